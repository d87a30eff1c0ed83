#include "apps/options/split.h"

#include "apps/options/checks.h"
#include "base/error.h"
#include "corpus/corpus.h"
#include "genome/contigs.h"
#include "io/manifest.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

void SplitCommandOptions::define(CLI::App& app, bool with_folds) {
  const char* group = "Splits";
  auto* test =
      app.add_option(
             "--test", split.test,
             "What is tested on: a FRACTION of the rows in whole blocks of the genome drawn by --seed, "
             "CONTIG names joined by commas, or a BED file")
          ->type_name("FRACTION|CONTIG|BED")
          ->capture_default_str()
          ->group(group);
  app.add_option("--validation", split.validation,
                 "What early stopping and thresholds are chosen on; 0: nothing")
      ->type_name("FRACTION|CONTIG|BED")
      ->capture_default_str()
      ->group(group);
  auto* split_like =
      app.add_option("--split-like", like,
                     "Test on what this model or corpus was not trained on (its held-out intervals)")
          ->type_name("MODEL|CORPUS")
          ->group(group)
          ->excludes(test);
  if (with_folds) {
    auto* folds =
        app.add_option("--folds", split.folds,
                       "k-fold: the blocks are dealt out to so many folds of about equally many rows, one "
                       "of which (--fold) is the test split")
            ->type_name("K")
            ->check(between(2, 1000))
            ->group(group)
            ->excludes(test)
            ->excludes(split_like);
    auto* fold = app.add_option("--fold", split.fold, "From 1 to K")
                     ->type_name("I")
                     ->check(positive())
                     ->group(group);
    folds->needs(fold);
    fold->needs(folds);
  }
  app.add_option("--split-block", split.block,
                 "Blocks that fractions are drawn in; halved until 20 of them hold rows")
      ->type_name("BP")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--split-gap", split.gap, "No man's land between splits (at most a quarter of a block)")
      ->type_name("BP")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
}

std::optional<genome::IntervalSet> SplitCommandOptions::held_out(const std::string& genome) const {
  if (like.empty()) return std::nullopt;
  const auto manifest = io::manifest_of_folder(like);
  genome::IntervalSet recorded;
  if (manifest.kind == "corpus")
    recorded = corpus::Corpus(like, corpus::Corpus::Part::training).held_out_intervals();
  else
    recorded = model_folder::ModelFolder::open(like).held_out_intervals();
  const auto set = genome::on_contigs(recorded, genome::Genome(genome).contigs());
  if (set.empty()) fail(like, ": held nothing of ", genome, " out of its training");
  return set;
}

}  // namespace bigdna::apps
