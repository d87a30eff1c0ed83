#include "apps/options/dataset_table.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/counted.h"
#include "base/error.h"

namespace bigdna::apps {

void DatasetTableOptions::visit(OptionList& visit) {
  auto& inputs = dataset.inputs;
  visit(inputs.paths, "tables",
        "CSV, TSV or BED with a header line, FASTA with >NAME|LABEL, or folders of such files; plain, gzip or xz; - is "
        "stdin")
      .type("TABLE...")
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
        "binary: 0 and 1; classes: one name per example; multilabel: several columns of 0 and 1, or one column of "
        "names joined by commas; regression: numbers, NA where they are missing; counts: numbers from 0 on, such as "
        "reads; auto: recognised from the labels, never counts")
      .one_of({"auto", "binary", "classes", "multilabel", "regression", "counts"});
  visit(inputs.columns.name, "--name-column",
        "Column with the names of the examples (default: name or id; without one: row1, row2 and so on)")
      .type("NAME");

  split.visit(visit);
  visit(inputs.columns.split, "--split-column",
        "Column with the split: train, validation (valid, val, dev) or test (default: split)")
      .type("NAME");
  visit(inputs.splits, "--splits",
        "The split of each TABLE, in the same order, joined by commas (default: by their file names)")
      .type("SPLITS")
      .commas();
  visit(inputs.columns.group, "--group-column", "Column of groups: all examples of a group go to the same split")
      .type("NAME");
  visit(dataset.drop_leaks, "--drop-leaks",
        "Remove validation examples whose sequence, on either strand, is also in training, and test examples whose "
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
  return R"(Columns of regions.bed.gz: chrom, start, end (0-based, half-open; . 0 LENGTH for sequences without a
position), name, label (0 or 1; the class; names or numbers joined by commas), strand, split (train,
validation or test), group (with --group-column). sequences.fa.gz has the bases under the same names.
dropped.tsv lists what was left out and why. leakage.tsv has, for each validation and test example, the
nearest, the most similar and the identical example of another split.)";
}

}  // namespace bigdna::apps
