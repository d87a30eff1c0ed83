#include "sparsity/picture.h"

#include <algorithm>
#include <cstdlib>

#include "sparsity/rows.h"

namespace bigdna::sparsity {

std::vector<PictureCell> cells(const PatternConfig& config, const Place& place) {
  const auto layout = make_layout(config, place);
  const PatternRow& row = pattern(config.name);
  const unsigned parts = row.parts;
  const int64_t reach = row.reads & kReadsNear ? near_reach(config, place) : config.window / 2;
  PatternConfig placed = config;
  if (row.extra_tokens) placed.global_blocks = GlobalBlocks::first;
  const KeyList global = parts & kGlobalPart ? global_blocks(placed, place.blocks) : KeyList();
  const auto is_global = [&](int64_t block) { return std::find(global.begin(), global.end(), block) != global.end(); };
  // the sequence is too short for the pattern, or the pattern is `full`
  const bool full = layout.pairs() == full_layout(Place{.blocks = layout.blocks, .causal = config.causal}).pairs();
  std::vector<PictureCell> all(static_cast<size_t>(layout.blocks * layout.blocks), PictureCell::none);
  for (int64_t query = 0; query < layout.blocks; ++query)
    for (const int32_t key : layout.keys_of(query)) {
      PictureCell& cell = all[static_cast<size_t>(query * layout.blocks + key)];
      if (is_global(query) || is_global(key))
        cell = PictureCell::global;
      else if (parts & kWindowPart && std::abs(query - key) <= reach)
        cell = PictureCell::window;
      else
        cell = parts & kRandomPart && !full ? PictureCell::random : PictureCell::other;
    }
  return all;
}

std::string text(const std::vector<PictureCell>& cells, int64_t blocks) {
  static constexpr std::string_view kLetters = ".GWRx";
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    out += kLetters[static_cast<size_t>(cells[i])];
    if (static_cast<int64_t>(i + 1) % blocks == 0) out += '\n';
  }
  return out;
}

}  // namespace bigdna::sparsity
