/// Whether numbers are numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace bigdna {

/// Whether none of the values is NaN or infinite. As fast as the values are read from memory.
inline bool all_finite(std::span<const float> values) {
  uint32_t largest = 0;  // of the values' bits without their sign, which are in the order of the magnitudes
  for (const float value : values) largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7fffffff);
  return largest < 0x7f800000;
}

}  // namespace bigdna
