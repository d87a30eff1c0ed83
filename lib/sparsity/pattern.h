/// Attention patterns: a pattern's parameters in a model's configuration, and the table of patterns.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sparsity/block_layout.h"

namespace bigdna::sparsity {

/// How BigBird's random blocks are drawn. `uniform`: over the whole sequence, per (seed, layer, head, query block).
/// `original`: as the released code does (NumPy's MT19937, seeded by seed + layer; there by the layer). `huggingface`:
/// as transformers does in eval mode, where every random block is block 0.
enum class RandomBlocks { uniform, original, huggingface };
/// Which blocks are global: half of them at each end (transformers, the released code), or the first ones (paper,
/// appendix D).
enum class GlobalBlocks { edges, first };
/// How strided and fixed combine their two parts, the query's neighbourhood and the blocks that lie a stride apart
/// (Child et al. 2019, Sparse Transformer): every head attends to both; even layers attend to the neighbourhood, odd
/// ones to the others; or half of the heads do.
enum class Factors { merged, by_layer, by_head };
/// What the neighbourhood of strided is: all blocks up to the stride away (the published form, in which two layers join
/// every pair of blocks), or the window (all models made before there was a choice).
enum class Near { stride, window };

/// A pattern's parameters: part of a model's configuration. Counts are in blocks.
struct PatternConfig {
  std::string name = "bigbird";  // a row of patterns()
  int64_t block = 64;            // tokens
  int64_t global = 2;            // g
  int64_t window = 3;            // w: the block itself and (w - 1) / 2 on each side
  int64_t random = 3;            // r
  int64_t stride = 0;            // of rows that read it; 0: follows from the sequence's length (their files)
  int64_t dilation = 1;          // from one block of the window to the next
  int64_t growth = 0;            // blocks that each layer adds to the window on either side
  int64_t local_heads = 0;       // heads that stay in their own span (blockbert; 0: equal shares), or without dilation
  GlobalBlocks global_blocks = GlobalBlocks::edges;
  RandomBlocks random_blocks = RandomBlocks::uniform;
  Factors factors = Factors::merged;
  Near near = Near::stride;
  uint64_t seed = 0;    // of the random blocks
  bool causal = false;  // a block attends to no later one, and a token to no later token
  auto operator<=>(const PatternConfig&) const = default;
};

/// Where a layout is used: a head of a layer, and the sequence's number of blocks. Blocks of padding are not counted,
/// except in huggingface mode, which counts them as transformers does.
struct Place {
  int64_t layer = 0, head = 0;
  int64_t heads = 1;  // of the layer; `original` draws for one head after the other
  int64_t blocks = 1;
  bool causal = false;  // make_layout() takes it from the pattern
  /// Causal patterns: so many first blocks attend to each other in both directions, by the pattern as it is without
  /// causality (a prefix LM; Raffel et al. 2020, section 3.2.1).
  int64_t prefix = 0;

  /// How many blocks, from the first on, a query block may attend to.
  int64_t visible(int64_t query) const { return causal ? query + 1 : blocks; }
};

/// The key blocks each query block of one head attends to. Called through make_layout().
using LayoutFunction = BlockLayout (*)(const PatternConfig&, const Place&);

/// The parts of a pattern, combined as bits. Pictures colour them differently.
enum PatternPart : unsigned { kGlobalPart = 1, kWindowPart = 2, kRandomPart = 4 };

/// The parameters that only some patterns read, combined as bits. Elsewhere they must keep their defaults.
enum Reads : unsigned {
  kReadsStride = 1,
  kReadsDilation = 2,
  kReadsGrowth = 4,
  kReadsLocalHeads = 8,
  kReadsFactors = 16,
  kReadsNear = 32
};

/// A number of PatternConfig that has an option (--NAME) and a key of config.json.
struct PatternNumber {
  std::string_view flag, key, help;
  int64_t PatternConfig::*value;
  int64_t least;
  unsigned read_by = 0;  // the bit of Reads that rows have which read it; 0: any row may have it, as when a model is
                         // given another pattern
  unsigned part = 0;     // where read_by is 0, the bit of PatternPart that rows read it for
};
std::span<const PatternNumber> pattern_numbers();
/// Names of the patterns that have this bit of Reads, for messages and help.
std::string patterns_that_read(unsigned number);
/// UsageError if the pattern's layout does not depend on the number, which a user has given.
void refuse_unread(const PatternConfig& config, const PatternNumber& number);

/// Everything that code may know about a pattern: no code compares a pattern's name.
struct PatternRow {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // the publication that describes it, as Markdown (docs/attentions.md)
  LayoutFunction layout;
  bool by_head = false;       // layouts differ between layers and heads
  bool linear = false;        // the number of attended pairs of blocks grows linearly with the sequence
  unsigned parts = 0;         // bits of PatternPart that it consists of
  unsigned needs = 0;         // bits of PatternPart whose number of blocks must be at least 1
  unsigned counts = 0;        // bits of PatternPart whose number of blocks it reads for something else
  unsigned reads = 0;         // bits of Reads
  bool extra_tokens = false;  // its global blocks are learned tokens that the encoder puts before the text
  bool released = false;      // RandomBlocks::original and ::huggingface can draw its random blocks
  std::string_view not_causal =
      {};  // why no layout of it can leave out later blocks; empty: PatternConfig::causal does
  /// In transformers' config.json, which loads as the first row that has it.
  std::string_view attention_type = "block_sparse";
};
/// The table. Command-line choices, configuration checks and tests read it.
std::span<const PatternRow> patterns();

/// The row of that name; UsageError naming the choices.
const PatternRow& pattern(std::string_view name);

/// The layout for one head of one layer. Sequences too short for a pattern's blocks (fewer than global + window +
/// random for bigbird) attend fully. The first rows of a causal layout are the layout of a shorter sequence, so that
/// no result depends on what follows the query and the prefix. Error for an unknown name or invalid parameters.
BlockLayout make_layout(const PatternConfig& config, const Place& place);
/// Whether layouts differ between layers and heads.
bool differs_by_head(const PatternConfig& config);
/// Tokens that the encoder puts before the text: the global blocks of BigBird's extended transformer construction
/// (ETC; paper, section 2 and appendix E), which are no part of the sequence. 0 for the other patterns.
int64_t extra_tokens(const PatternConfig& config);
/// UsageError naming what is invalid (an even window, a block of no tokens).
void check(const PatternConfig& config);

/// Names as configuration files and options spell them; UsageError naming the choices.
std::string_view to_string(RandomBlocks value);
std::string_view to_string(GlobalBlocks value);
std::string_view to_string(Factors value);
std::string_view to_string(Near value);
RandomBlocks random_blocks_from(std::string_view text);
GlobalBlocks global_blocks_from(std::string_view text);
Factors factors_from(std::string_view text);
Near near_from(std::string_view text);

}  // namespace bigdna::sparsity
