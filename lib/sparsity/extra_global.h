/// BigBird's extended transformer construction (ETC; paper, section 2 and appendix E): global tokens that are no part
/// of the text. They stand before the sequence, so the encoder's n is longer than the text by this many.
#pragma once

#include "sparsity/pattern.h"

namespace bigdna::sparsity {

/// global x block for bigbird-etc, 0 for every other pattern.
int64_t extra_global_tokens(const PatternConfig& config);

}  // namespace bigdna::sparsity
