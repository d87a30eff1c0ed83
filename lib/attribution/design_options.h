/// The options of `bigdna design`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attribution/explain_options.h"

namespace bigdna::attribution {

struct DesignOptions {
  std::string model;
  prediction::SequenceInput input;    // the sequences that are edited
  std::string raise, lower, keep;     // dataset::choose_features(); "" for none
  double keep_weight = 1;             // of the mean absolute change of kept features
  std::optional<profile::Part> part;  // of a profile model; unset: the model without its bias model
  int64_t around = 0;                 // bp on either side of the centre that may be edited; 0: the whole interval
  int64_t edits = 10;                 // substitutions at most
  bool evolve = false;                // false: greedy
  int64_t population = 64;            // of sequences that survive a generation
  int64_t generations = 30;
  int64_t random = 20;  // sequences with random substitutions, whose mean is the chance level
  uint64_t seed = 1;
  std::string output = "-";  // FASTA
  std::string table;         // TSV; "" for none
  std::string picture;       // SVG; "" for none
  session::RunOptions run = ExplainOptions().run;
};

}  // namespace bigdna::attribution
