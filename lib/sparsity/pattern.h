/// Attention patterns: what is configured (Pattern), and the one table of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sparsity/block_layout.h"

namespace bigdna::sparsity {

/// How BigBird's random blocks are drawn: over the whole sequence, per (seed, layer, head, query block); as the
/// released code does (NumPy's MT19937 seeded by the layer's index); as transformers does in eval mode (all of them
/// are block 0).
enum class RandomBlocks { uniform, original, huggingface };
/// Which blocks are global: half of them at each end (transformers, the released code), or the first ones (paper,
/// appendix D).
enum class GlobalBlocks { edges, first };

/// A pattern's parameters: part of a model's configuration. Counts are in blocks.
struct PatternConfig {
  std::string name = "bigbird";  // a row of patterns()
  int64_t block = 64;            // tokens
  int64_t global = 2;            // g
  int64_t window = 3;            // w: the block itself and (w - 1) / 2 on each side
  int64_t random = 3;            // r
  int64_t stride = 0;            // span of strided, fixed and blockbert; 0: by the sequence's length (their files)
  GlobalBlocks global_blocks = GlobalBlocks::edges;
  RandomBlocks random_blocks = RandomBlocks::uniform;
  uint64_t seed = 0;             // of the random blocks
  bool operator==(const PatternConfig&) const = default;
};

/// Where a layout is used: a head of a layer, and a sequence's number of whole blocks. `blocks` counts real ones
/// (padding not counted), but in huggingface mode the batch's padded ones, as transformers does.
struct Place {
  int64_t layer = 0, head = 0;
  int64_t heads = 1;  // of the layer: `original` draws for all heads in turn
  int64_t blocks = 1;
};

/// The key blocks each query block of one head attends to. Called through make_layout().
using LayoutFunction = BlockLayout (*)(const PatternConfig&, const Place&);

/// What a pattern's rows are made of (a set of bits): pictures tell them apart.
enum Part : unsigned { kGlobalPart = 1, kWindowPart = 2, kRandomPart = 4 };

struct PatternRow {
  std::string_view name;
  std::string_view summary;
  LayoutFunction layout;
  bool by_head;    // layouts differ by layer and head
  unsigned parts;  // of Part
};
/// The table: CLI choices, configuration checks and tests read it.
std::span<const PatternRow> patterns();

/// The row of that name; UsageError naming the choices.
const PatternRow& pattern(std::string_view name);

/// The layout for one head of one layer. Sequences too short for a pattern's blocks (fewer than global + window +
/// random for bigbird) attend fully. Error for an unknown name or parameters that do not fit.
BlockLayout make_layout(const PatternConfig& config, const Place& place);
/// Whether layouts differ between layers and heads.
bool differs_by_head(const PatternConfig& config);
/// UsageError where the configuration makes no sense (even window, block < 1 ...).
void check(const PatternConfig& config);

/// Names as configuration files and options spell them; UsageError naming the choices.
std::string_view to_string(RandomBlocks value);
std::string_view to_string(GlobalBlocks value);
RandomBlocks random_blocks_from(std::string_view text);
GlobalBlocks global_blocks_from(std::string_view text);

}  // namespace bigdna::sparsity
