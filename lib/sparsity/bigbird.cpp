/// BigBird's internal transformer construction (ITC): global + window + random (paper, section 2 and appendix D).
#include <algorithm>

#include "sparsity/original.h"
#include "sparsity/patterns.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {
namespace {

/// transformers in eval mode: every random block is block 0, which the middle rows thus attend to 1 + r times.
KeyList huggingface_row(KeyList row, const PatternConfig& config) {
  row.insert(row.end(), static_cast<size_t>(config.random), 0);
  return row;
}

}  // namespace

BlockLayout bigbird_layout(const PatternConfig& config, const Place& place) {
  const bool huggingface = config.random_blocks == RandomBlocks::huggingface;
  // transformers attends fully up to 5 + 2 r blocks, bigdna's own modes while there are fewer blocks than the pattern
  // needs
  const int64_t full_up_to = huggingface ? 5 + 2 * config.random : config.global + config.window + config.random - 1;
  if (place.blocks <= full_up_to) return full_layout(place);

  const KeyList global = global_blocks(config, place.blocks);
  KeyLists drawn;
  if (config.random_blocks == RandomBlocks::original) drawn = original_random_blocks(config, place);
  KeyLists rows;
  for (int64_t query = 0; query < place.blocks; ++query) {
    const int64_t visible = place.visible(query);
    if (visible <= full_up_to || std::ranges::binary_search(global, query)) {
      rows.push_back(all_blocks(visible));
      continue;
    }
    KeyList row = merge(below(global, visible), window_of(query, config.window, visible));
    switch (config.random_blocks) {
      case RandomBlocks::uniform:
        add_random(row, config.random, config, place, query);
        break;
      case RandomBlocks::huggingface:
        row = huggingface_row(std::move(row), config);
        break;
      case RandomBlocks::original: {
        const KeyList& extra = drawn[static_cast<size_t>(query) - 1];
        row.insert(row.end(), extra.begin(), extra.end());
        break;
      }
    }
    rows.push_back(std::move(row));
  }
  return BlockLayout::from_rows(std::move(rows));
}

}  // namespace bigdna::sparsity
