/// A part of a job that is divided among several processes or machines (--shard I/N).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bigdna {

/// Part `index` (from 1) of a job that is divided into `count`; a count of 0: the job is not divided. The concatenated
/// text outputs of all parts are the whole job's; only the first has a header.
struct Shard {
  int64_t index = 1, count = 0;
  /// Whether it is all of the job: 1/1 is, too.
  bool whole() const { return count <= 1; }
  bool first() const { return index == 1; }
  bool last() const { return index >= count; }
  /// The part's rows of `rows`, whole chunks of so many: [first, second).
  std::pair<int64_t, int64_t> of(int64_t rows, int64_t chunk) const {
    const int64_t chunks = (rows + chunk - 1) / chunk, parts = std::max<int64_t>(1, count);
    const auto border = [&](int64_t part) { return std::min(rows, chunks * part / parts * chunk); };
    return {border(index - 1), border(index)};
  }
  bool operator==(const Shard&) const = default;
};

/// The option that chooses a part, as jobs record it.
inline constexpr const char* kShardOption = "--shard";
/// "2/8"; "" for a job that is not divided.
std::string to_string(const Shard& shard);
/// The opposite: nothing unless the text is I/N, from 1/N to N/N.
std::optional<Shard> parse_shard(std::string_view text);

}  // namespace bigdna
