/// Random rows for the row kernels' tests.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"

namespace bigdna::kernels {

using Floats = std::vector<float>;

inline Floats random_floats(int64_t count, uint64_t seed) {
  Floats values(static_cast<size_t>(count));
  Rng rng(seed);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

}  // namespace bigdna::kernels
