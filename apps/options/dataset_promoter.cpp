#include "apps/options/dataset_promoter.h"

#include <algorithm>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "base/table.h"

namespace bigdna::apps {

namespace {
/// " NAME, SUMMARY; NAME, SUMMARY ..." of a table's rows.
template <class Rows>
std::string in_words(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += concat(text.empty() ? "" : "; ", row.name, ": ", row.summary);
  return text;
}
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}
}  // namespace

void DatasetPromoterOptions::visit(OptionList& visit) {
  visit(dataset.promoters, "--promoters",
        "Start sites, plain or compressed. The format is recognised from the content: BED6 (the 5' end of each record; "
        "in EPDnew's and FANTOM5's files, of its thick part), BED3 of single bases (taken as +), the transcripts of "
        "GTF and GFF3, EPD's SGA and FPS (1-based), or three columns contig, 0-based position, strand; - is stdin")
      .type("BED|GTF|GFF|SGA|FPS|TSV")
      .input()
      .required();
  visit(dataset.chain, "--chain",
        "First lift the start sites over with this UCSC chain file (hg38ToHg19.over.chain.gz); sites that do not lift "
        "are written to unmapped.bed")
      .type("CHAIN")
      .input();
  visit(dataset.genome, "-g,--genome", "Genome, plain or bgzip").type("FASTA").input().required();
  folder.visit(visit, "Dataset folder: regions.bed.gz, sequences.fa.gz, dropped.tsv, leakage.tsv, dataset.json")
      .required();

  visit.group("Intervals");
  visit(recipe, "--recipe",
        "Values of --upstream, --downstream and --negatives that go together. " + in_words(dataset::promoter_recipes()))
      .one_of(names_of(dataset::promoter_recipes()));
  visit(dataset.upstream, "--upstream", "Bases before the start site, along its strand")
      .type("BP")
      .check(not_negative());
  visit(dataset.downstream, "--downstream", "Bases from the start site on, including it").type("BP").check(positive());
  visit(dataset.contigs, "--contigs", "Contigs to use: primary, all or a regular expression").type("CONTIGS");
  visit(dataset.genomic.max_n_fraction, "--max-n-fraction", "Drop intervals with a larger fraction of N")
      .check(between(0.0, 1.0));
  visit(dataset.cpg_islands, "--cpg-islands",
        "CpG islands: a promoter with an island within -700..+200 is a CpG promoter (default: Weber's rule, see "
        "docs/commands/dataset-promoter.md)")
      .type("BED")
      .input();
  visit_invalid_bases(visit, dataset.invalid_bases);

  visit.group("Negatives");
  auto kinds = names_of(dataset::synthetic_kinds());
  kinds.insert(kinds.begin(), "genomic");
  visit(dataset.negatives, "--negatives",
        "Kinds of negatives, joined by commas. genomic: real GC-matched intervals away from every start site; " +
            in_words(dataset::synthetic_kinds()))
      .type("KINDS")
      .commas()
      .one_of(kinds);
  visit(dataset.ratio, "--ratio", "Negatives of each kind per promoter").check(positive());
  visit(dataset.synthetic.pieces, "--pieces", "Number of pieces that a synthetic negative is cut into")
      .check(positive());
  visit(dataset.synthetic.changed, "--changed", "Number of these pieces that are changed").check(not_negative());
  visit(dataset.tss_distance, "--tss-distance", "Smallest distance of genomic negatives from every start site")
      .type("BP")
      .check(not_negative());
  visit(dataset.genomic.gc_tolerance, "--gc-tolerance",
        "Largest difference in GC fraction between a promoter and its genomic negative; if 2000 draws find none, the "
        "closest is used")
      .check(between(0.0, 1.0));
  split.visit(visit, true);
  common.visit_with_seed(visit);
}

void DatasetPromoterOptions::finish(const OptionList& list) {  // the recipe gives what no flag gave
  if (split.split.fold > split.split.folds)
    throw UsageError(concat("--fold ", split.split.fold, " is not one of --folds ", split.split.folds));
  for (const auto& kind : dataset.negatives)
    if (std::count(dataset.negatives.begin(), dataset.negatives.end(), kind) > 1)
      throw UsageError(concat("--negatives names ", kind, " twice (--ratio: several of each kind)"));
  const auto& row = row_named(dataset::promoter_recipes(), recipe, "recipe");
  if (!list.given("--upstream")) dataset.upstream = row.upstream;
  if (!list.given("--downstream")) dataset.downstream = row.downstream;
  if (!list.given("--negatives")) dataset.negatives = {std::string(row.negatives)};
}

std::string DatasetPromoterOptions::details() {
  return R"(Columns of regions.bed.gz: chrom, start, end (0-based, half-open), name, label (1: promoter), strand, split
(train, validation or test), kind (promoter, or the kind of negative), cpg (1: a CpG promoter, or a negative
made for one). dropped.tsv lists what was left out and why. leakage.tsv has the nearest and the most similar
training example for each validation and test example.)";
}

}  // namespace bigdna::apps
