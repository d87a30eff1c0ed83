#include "apps/options/split.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "corpus/corpus.h"
#include "genome/contigs.h"
#include "io/manifest.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

void SplitCommandOptions::visit(OptionList& visit, bool with_folds) {
  visit.group("Splits");
  visit(split.test, "--test",
        "Test set: a FRACTION of the examples, in whole blocks of the genome drawn by --seed; CONTIG names joined by "
        "commas; a BED file; or all, for a dataset that is only used for evaluation")
      .type("FRACTION|CONTIG|BED|all")
      .input();
  visit(split.validation, "--validation",
        "Validation set, for early stopping and for choosing thresholds, in the same notation; 0: none")
      .type("FRACTION|CONTIG|BED")
      .input();
  visit(like, "--split-like", "Test on the intervals that this model or corpus held out of its training")
      .type("MODEL|CORPUS")
      .path_or_name()
      .input([](const std::string& path) {
        return io::kind_of_folder(path) == "corpus" ? io::files_of_manifest(path) : model_folder::files_of(path);
      })
      .excludes({"--test"});
  if (with_folds) {
    visit(split.folds, "--folds",
          "k-fold cross-validation: divide the blocks among K folds with about equally many examples; --fold is the "
          "test split")
        .type("K")
        .default_is("")
        .check(between(2, 1000))
        .excludes({"--test", "--split-like"})
        .needs({"--fold"});
    visit(split.fold, "--fold", "The fold that is the test split, from 1 to K")
        .type("I")
        .default_is("")
        .check(positive())
        .needs({"--folds"});
  }
  visit(
      split.block, "--split-block",
      "Size of the blocks that fractions are drawn in. It is halved until 20 blocks have examples, down to about 20 kb")
      .type("BP")
      .check(positive());
  visit(split.gap, "--split-gap", "Unused bases between splits (at most a quarter of a block)")
      .type("BP")
      .check(not_negative());
}

std::optional<genome::IntervalSet> SplitCommandOptions::held_out(const std::string& genome) const {
  if (like.empty()) return std::nullopt;
  const auto manifest = io::manifest_of_folder(like);
  genome::IntervalSet recorded, training;
  const auto read = [&](const auto& trained) {
    recorded = trained.held_out_intervals();
    training = trained.training_intervals();
  };
  if (manifest.kind == "corpus")
    read(corpus::Corpus(like, corpus::Corpus::Split::training));
  else
    read(model_folder::ModelFolder::open_any(like));
  const auto contigs = genome::Genome(genome).contigs();
  training.add(recorded);
  if (const auto other = genome::other_genome(training, contigs, genome))
    fail("--split-like ", like, ": was trained on ", *other,
         ": that is another assembly, on which it is not known what was held out");
  const auto set = genome::on_contigs(recorded, contigs);
  if (set.empty() && manifest.kind == "model" && recorded.empty())
    fail("--split-like ", like,
         ": it records what it was trained on, not what it held out. Name the test with --test; train --from and "
         "evaluate say if the model was trained there");
  if (set.empty()) fail(like, ": held nothing of ", genome, " out of its training");
  return set;
}

}  // namespace bigdna::apps
