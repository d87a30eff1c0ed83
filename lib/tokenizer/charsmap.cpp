#include "tokenizer/charsmap.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace bigdna::tokenizer {
namespace {

/// A unit of the double array: bit 8 says that a leaf follows, the low byte (and bit 31, set in leaves) is the label.
bool has_leaf(uint32_t unit) { return unit >> 8 & 1; }
uint32_t label(uint32_t unit) { return unit & (1u << 31 | 0xff); }
uint32_t leaf_value(uint32_t unit) { return unit & ~(1u << 31); }
uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

uint32_t unit_at(std::string_view array, size_t index) {
  uint32_t unit;
  std::memcpy(&unit, array.data() + 4 * index, 4);
  return unit;
}

}  // namespace

std::string_view fault_of_charsmap(std::string_view table) {
  if (table.empty()) return "";
  if (table.size() <= 4) return "its table is cut short";
  const uint32_t bytes = unit_at(table, 0);
  if (bytes == 0 || bytes % 4 != 0 || bytes >= table.size() - 4) return "its double array has an impossible size";
  const std::string_view array = table.substr(4, bytes), texts = table.substr(4 + bytes);
  const size_t units = array.size() / 4;
  if (texts.back() != '\0') return "its last text has no end";
  // From a node at `base` the library looks at base ^ c for every byte c of a text, so all 256 places must be there.
  std::vector<bool> seen(units, false);
  std::vector<size_t> bases{offset(unit_at(array, 0))};
  while (!bases.empty()) {
    const size_t base = bases.back();
    bases.pop_back();
    if ((base | 0xff) >= units) return "its double array points outside of itself";
    if (seen[base]) continue;
    seen[base] = true;
    for (size_t c = 0; c < 256; ++c) {
      const size_t place = base ^ c;
      const uint32_t unit = unit_at(array, place);
      if (label(unit) != c) continue;
      const size_t next = place ^ offset(unit);
      if (next >= units) return "its double array points outside of itself";
      if (has_leaf(unit) && leaf_value(unit_at(array, next)) >= texts.size()) return "it points past its texts";
      bases.push_back(next);
    }
  }
  return "";
}

}  // namespace bigdna::tokenizer
