/// The random blocks of the released BigBird code (google-research/bigbird, bigbird/core/attention.py).
#pragma once

#include "sparsity/rows.h"

namespace bigdna::sparsity {

/// Random blocks of query blocks 1 .. blocks - 2 of place.head, in the order in which the released code draws them with
/// NumPy's generator, seeded by config.seed + place.layer. It draws one head after the other. At 1024, 3072 and 4096
/// tokens it draws from the first 1024 tokens; two rows near the end of 4096 tokens may then repeat a block of their
/// window or a global block, which is attended to twice.
KeyLists original_random_blocks(const PatternConfig& config, const Place& place);

}  // namespace bigdna::sparsity
