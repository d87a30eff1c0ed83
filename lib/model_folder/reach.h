/// How far a token reads through the layers of an encoder: which copies, promoters or genes it can take into account.
#pragma once

#include <cstdint>

#include "model_folder/config.h"

namespace bigdna::model_folder {

/// In tokens; at most the text's length minus 1.
struct Reach {
  int64_t every = 0;     // each token may read all that are at most so far away (of a causal model: before it)
  int64_t farthest = 0;  // some token may read one that is so far away
};

/// Of the layers `first`, `first` + 1 ... , `count` in number (runs, as layer_runs() counts them), one after the other,
/// in a text of n tokens. A residual passes on what was read before. Distances are rounded to whole blocks of the
/// pattern, `every` down and `farthest` up. Keys that the content decides on (hashing, clusters, sorting) count as
/// read. Where a distance is learned, it is the one at the start, or the longest (AttentionRow::reach).
Reach reach_of(const ModelConfig& config, int64_t n, int64_t first, int64_t count);

}  // namespace bigdna::model_folder
