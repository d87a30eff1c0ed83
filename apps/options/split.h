/// --test, --validation, --split-*: how a dataset command divides the genome.
#pragma once

#include <optional>
#include <string>

#include "dataset/splits.h"

namespace bigdna::apps {

class OptionList;

struct SplitCommandOptions {
  dataset::SplitOptions split;
  std::string like;  // --split-like
  /// `with_folds`: also --folds and --fold.
  void visit(OptionList& visit, bool with_folds = false);
  /// What the model, corpus or run folder `like` held out, under the contig names of `genome`; nullopt without
  /// --split-like.
  std::optional<genome::IntervalSet> held_out(const std::string& genome) const;
};

}  // namespace bigdna::apps
