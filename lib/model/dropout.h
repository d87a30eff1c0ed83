/// Dropout as a pure function of a seed, so that a resumed run draws the same masks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace bigdna::model {

/// x with each element dropped with `probability`, the others scaled by 1 / (1 - probability); x itself for 0. On a
/// CPU the mask depends on (seed, element) alone (Philox), whatever the threads.
at::Tensor dropout(const at::Tensor& x, double probability, uint64_t seed);

}  // namespace bigdna::model
