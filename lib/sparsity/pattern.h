/// Attention patterns: what is configured (Pattern), and the one table of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sparsity/block_layout.h"

namespace bigdna::sparsity {

enum class RandomBlocks { uniform, original, huggingface };
enum class GlobalBlocks { edges, first };

/// A pattern's parameters: part of a model's configuration. Counts are in blocks.
struct PatternConfig {
  std::string name = "bigbird";  // a row of patterns()
  int64_t block = 64;            // tokens
  int64_t global = 2;            // g
  int64_t window = 3;            // w: the block itself and (w - 1) / 2 on each side
  int64_t random = 3;            // r
  GlobalBlocks global_blocks = GlobalBlocks::edges;
  RandomBlocks random_blocks = RandomBlocks::uniform;
  uint64_t seed = 0;
};

/// The key blocks each query block of one head attends to, for a sequence of `blocks` whole blocks (padding not
/// counted). Called through make_layout().
using LayoutFunction = BlockLayout (*)(const PatternConfig&, int64_t layer, int64_t head, int64_t blocks);

struct PatternRow {
  std::string_view name;
  std::string_view summary;
  LayoutFunction layout;
};
/// The table: CLI choices, configuration checks and tests read it.
std::span<const PatternRow> patterns();

/// The layout for one head of one layer. Sequences of fewer blocks than global + window + random attend fully.
/// Error for an unknown name or parameters that do not fit.
BlockLayout make_layout(const PatternConfig& config, int64_t layer, int64_t head, int64_t blocks);
/// Error where the configuration makes no sense (even window, block < 1 ...).
void check(const PatternConfig& config);

}  // namespace bigdna::sparsity
