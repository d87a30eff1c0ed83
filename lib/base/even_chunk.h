/// Parts of --shard that are about as long as each other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/shard.h"

namespace bigdna {

/// Of how many rows each the chunks of Shard::of() should be, where the results do not depend on it: of `chunk`, but so
/// few that the longest part is at most a tenth longer than the shortest, if there are ten rows for each part.
inline int64_t even_chunk(const Shard& shard, int64_t rows, int64_t chunk) {
  return std::clamp<int64_t>(rows / (11 * std::max<int64_t>(1, shard.count)), 1, chunk);
}

}  // namespace bigdna
