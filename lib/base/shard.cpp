#include "base/shard.h"

#include <charconv>

#include "base/error.h"

namespace bigdna {

std::string to_string(const Shard& shard) { return shard.count == 0 ? "" : concat(shard.index, "/", shard.count); }

std::optional<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec != std::errc() || index.ptr == end || *index.ptr != '/') return std::nullopt;
  const auto count = std::from_chars(index.ptr + 1, end, shard.count);
  if (count.ec != std::errc() || count.ptr != end || shard.index < 1 || shard.index > shard.count) return std::nullopt;
  return shard;
}

}  // namespace bigdna
