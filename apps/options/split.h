/// --test, --validation, --split-*: how a dataset command divides the genome.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "dataset/splits.h"

namespace bigdna::apps {

struct SplitCommandOptions {
  dataset::SplitOptions split;
  std::string like;  // --split-like
  /// `with_folds`: --folds and --fold too.
  void define(CLI::App& app, bool with_folds = false);
  /// What the model, corpus or run folder `like` held out of its training, in `genome`'s spelling; nullopt
  /// without it.
  std::optional<genome::IntervalSet> held_out(const std::string& genome) const;
};

}  // namespace bigdna::apps
