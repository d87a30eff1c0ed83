/// The options of `bigdna marginalize`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attribution/explain_options.h"

namespace bigdna::attribution {

struct MarginalizeOptions {
  std::string model;
  std::string motifs;                 // MEME or JASPAR (motif/files.h)
  prediction::SequenceInput input;    // the sequences that motifs are put into, or that are shuffled before
  std::string features;               // dataset::choose_features()
  std::optional<profile::Part> part;  // of a profile model; unset: the model without its bias model
  bool shuffle = true;                // false: the sequences as they are
  int64_t sequences = 200;            // shuffled ones
  bool draw = false;                  // a motif's bases are drawn from its matrix; false: its consensus
  std::vector<int64_t> distances;     // bp between the two motifs of a pair; empty: no pairs
  uint64_t seed = 1;
  std::string output = "-";  // TSV
  session::RunOptions run = ExplainOptions().run;
};

}  // namespace bigdna::attribution
