#include "apps/options/dataset_table.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/counted.h"
#include "base/error.h"

namespace bigdna::apps {

void DatasetTableOptions::visit(OptionList& visit) {
  auto& inputs = dataset.inputs;
  visit(inputs.paths, "tables",
        "CSV or TSV with a header line, BED with one, FASTA with >NAME|LABEL, or folders of them; plain, gzip or xz; - "
        "is stdin")
      .type("TABLE")
      .input(dataset::table_files_of)
      .required();
  folder
      .visit(visit,
             "Dataset folder: regions.bed.gz, sequences.fa.gz, labels.safetensors, features.tsv, dropped.tsv, "
             "leakage.tsv, dataset.json")
      .required();
  visit(dataset.genome, "-g,--genome", "Genome that intervals are cut from, plain or bgzip").type("FASTA").input();
  visit_invalid_bases(visit, dataset.invalid_bases);

  visit.group("Columns");
  visit(inputs.columns.sequence, "--sequence-column",
        "Column of the bases (default: sequence or seq; without one: chrom, start, end and strand)")
      .type("NAME");
  visit(inputs.columns.labels, "--label-columns",
        "Columns of the labels, joined by commas (default: label, labels, target or y); for FASTA, names for them")
      .type("NAMES")
      .commas();
  visit(label_type, "--label-type",
        "binary: 0 and 1; classes: one of several, by name; multilabel: several columns of 0 and 1, or one of words "
        "joined by commas; regression: "
        "numbers, NA where they are missing; auto: recognised")
      .one_of({"auto", "binary", "classes", "multilabel", "regression"});
  visit(inputs.columns.name, "--name-column",
        "Column of the rows' names (default: name or id, or else row1, row2 and so on)")
      .type("NAME");

  split.visit(visit);
  visit(inputs.columns.split, "--split-column",
        "Column that holds train, validation (valid, val, dev) or test (default: split)")
      .type("NAME");
  visit(inputs.splits, "--splits",
        "The split of each TABLE, in their order, joined by commas, in place of what their names say")
      .type("SPLITS")
      .commas();
  visit(inputs.columns.group, "--group-column", "Rows of one group go to one split together").type("NAME");
  visit(dataset.drop_leaks, "--drop-leaks",
        "Remove validation rows whose sequence, on either strand, is also in training, and such test rows whose "
        "sequence is in training or validation");
  common.visit_with_seed(visit);
}

void DatasetTableOptions::finish(const OptionList&) {
  require_different(dataset.inputs.paths);
  if (label_type != "auto") dataset.label_type = dataset::label_type_of_name(label_type);
  const auto& inputs = dataset.inputs;
  if (!inputs.splits.empty() && inputs.splits.size() != inputs.paths.size())
    throw UsageError(
        concat("--splits names ", inputs.splits.size(), " splits for ", counted(inputs.paths.size(), "table")));
  for (const auto& word : inputs.splits)
    if (!dataset::split_of_word(word))
      throw UsageError(concat("--splits ", word, ": is not a split (train, validation, valid, val, dev, test)"));
  if (!inputs.splits.empty() && !inputs.columns.split.empty())
    throw UsageError("--splits cannot be used with --split-column");
  if (!split.like.empty() && dataset.genome.empty())
    throw UsageError("--split-like needs -g: the held-out intervals are a genome's");
}

std::string DatasetTableOptions::details() {
  return R"(Columns of regions.bed.gz: chrom, start, end (0-based, half-open; . 0 LENGTH for rows that are sequences
only), name, label (0 or 1; the class; words or numbers joined by commas), strand, split (train, validation
or test), group (with --group-column). sequences.fa.gz has the bases under the same names, dropped.tsv what
was left out and why, and leakage.tsv has for each row that is tested or validated on the nearest, the most
similar and the identical row of another split.)";
}

}  // namespace bigdna::apps
