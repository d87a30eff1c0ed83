#include "apps/options/dataset_promoter.h"

#include <algorithm>

#include "apps/options/checks.h"
#include "base/error.h"

namespace bigdna::apps {

void DatasetPromoterOptions::define(CLI::App& app) {
  app.add_option(
         "--promoters", dataset.promoters,
         "Start sites, plain or compressed, told apart by content: BED6 (the 5' end of each record), BED3 of "
         "single bases (taken as +), EPD's SGA and FPS (1-based), or three columns contig, 0-based position, "
         "strand; - is stdin")
      ->required()
      ->type_name("BED|SGA|FPS|TSV");
  app.add_option("--chain", dataset.chain,
                 "Lift the start sites over with this UCSC chain file first (hg38ToHg19.over.chain.gz); what "
                 "does not "
                 "lift goes to unmapped.bed")
      ->type_name("CHAIN");
  app.add_option("-g,--genome", dataset.genome, "Genome, plain or bgzip")->required()->type_name("FASTA");
  folder.define(app,
                "Dataset folder: regions.bed.gz, sequences.fa.gz, dropped.tsv, leakage.tsv, dataset.json");

  std::string recipes;
  std::vector<std::string> names;
  for (const auto& row : dataset::promoter_recipes()) {
    names.emplace_back(row.name);
    recipes += concat(recipes.empty() ? "" : "; ", row.name, " = ", row.summary);
  }
  const char* group = "Intervals";
  app.add_option("--recipe", recipe, "Values that go together, each a flag too: " + recipes)
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group(group);
  auto* upstream =
      app.add_option("--upstream", dataset.upstream, "Bases before the start site, along its strand")
          ->type_name("BP")
          ->check(not_negative())
          ->default_str("5000")
          ->group(group);
  auto* downstream =
      app.add_option("--downstream", dataset.downstream, "Bases from the start site on, itself included")
          ->type_name("BP")
          ->check(positive())
          ->default_str("3000")
          ->group(group);
  app.add_option("--contigs", dataset.contigs, "Contigs used: primary, all or a regular expression")
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-n-fraction", dataset.genomic.max_n_fraction,
                 "Intervals with a larger share of N are dropped")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--cpg-islands", dataset.cpg_islands,
                 "CpG islands: promoters with one in -700..+200 are CpG promoters (default: by Weber's rule, "
                 "see docs)")
      ->type_name("BED")
      ->group(group);
  add_invalid_bases(app, dataset.invalid_bases);

  group = "Negatives";
  std::string kinds = "genomic = real GC-matched intervals away from every start site";
  std::vector<std::string> kind_names{"genomic"};
  for (const auto& row : dataset::synthetic_kinds()) {
    kind_names.emplace_back(row.name);
    kinds += concat("; ", row.name, " = ", row.summary);
  }
  auto* negatives =
      app.add_option("--negatives", dataset.negatives, "Kinds of negatives, joined by commas: " + kinds)
          ->delimiter(',')
          ->check(CLI::IsMember(kind_names))
          ->default_str("genomic")
          ->group(group);
  app.add_option("--ratio", dataset.ratio, "Negatives of each kind for each promoter")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--pieces", dataset.synthetic.pieces, "Pieces that a synthetic negative is cut into")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--changed", dataset.synthetic.changed, "Pieces of them that change")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--tss-distance", dataset.tss_distance,
                 "What a genomic negative keeps from every start site")
      ->type_name("BP")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_option("--gc-tolerance", dataset.genomic.gc_tolerance,
                 "A genomic negative's GC share may differ by so much; the nearest of 2000 draws otherwise")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  split.define(app, true);
  common.define(app);
  common.define_seed(app);
  app.parse_complete_callback([this, upstream, downstream, negatives] {  // the recipe gives what no flag gave
    if (split.split.fold > split.split.folds)
      throw UsageError(concat("--fold ", split.split.fold, " is not one of --folds ", split.split.folds));
    const auto recipes = dataset::promoter_recipes();
    const auto row = std::find_if(recipes.begin(), recipes.end(),
                                  [&](const auto& candidate) { return candidate.name == recipe; });
    if (!upstream->count()) dataset.upstream = row->upstream;
    if (!downstream->count()) dataset.downstream = row->downstream;
    if (!negatives->count()) dataset.negatives = {std::string(row->negatives)};
  });
}

}  // namespace bigdna::apps
