#include "sparsity/pattern.h"

#include <array>
#include <utility>

#include "base/error.h"
#include "base/table.h"
#include "sparsity/patterns.h"
#include "sparsity/references.h"

namespace bigdna::sparsity {
namespace {

constexpr unsigned kBigBirdParts = kGlobalPart | kWindowPart | kRandomPart;
constexpr std::string_view kExtraTokensReadAll = "its extra tokens read the text that follows a token";

constexpr std::array kPatterns{
    PatternRow{.name = "bigbird",
               .summary = "global + window + random blocks (BigBird's ITC)",
               .source = references::kBigBird,
               .layout = bigbird_layout,
               .by_head = true,
               .linear = true,
               .parts = kBigBirdParts,
               .released = true},
    PatternRow{.name = "bigbird-etc",
               .summary = "the same, with extra learned global tokens before the sequence (BigBird's ETC)",
               .source = references::kBigBird,
               .layout = bigbird_etc_layout,
               .by_head = true,
               .linear = true,
               .parts = kBigBirdParts,
               .needs = kGlobalPart,
               .extra_tokens = true,
               .not_causal = kExtraTokensReadAll},
    PatternRow{.name = "full",
               .summary = "every block attends to every block",
               .source = references::kTransformer,
               .layout = full_pattern_layout,
               .attention_type = "original_full"},
    PatternRow{.name = "window",
               .summary = "a block and its neighbours",
               .source = references::kLongformer,
               .layout = window_layout,
               .linear = true,
               .parts = kWindowPart,
               .reads = kReadsDilation | kReadsGrowth | kReadsLocalHeads},
    PatternRow{.name = "random",
               .summary = "random blocks only",
               .source = references::kBigBird,
               .layout = random_layout,
               .by_head = true,
               .linear = true,
               .parts = kRandomPart,
               .needs = kRandomPart},
    PatternRow{.name = "window-random",
               .summary = "window and random blocks, none global",
               .source = references::kBigBird,
               .layout = window_random_layout,
               .by_head = true,
               .linear = true,
               .parts = kWindowPart | kRandomPart},
    PatternRow{.name = "global-window",
               .summary = "global and window blocks (Longformer's)",
               .source = references::kLongformer,
               .layout = global_window_layout,
               .linear = true,
               .parts = kGlobalPart | kWindowPart,
               .reads = kReadsDilation | kReadsGrowth | kReadsLocalHeads},
    PatternRow{.name = "strided",
               .summary = "all blocks up to the stride away, and every stride-th block (Sparse Transformer's)",
               .source = references::kSparse,
               .layout = strided_layout,
               .parts = kWindowPart,
               .reads = kReadsStride | kReadsFactors | kReadsNear},
    PatternRow{.name = "fixed",
               .summary = "a span of blocks and the last ones of every span (Sparse Transformer's)",
               .source = references::kSparse,
               .layout = fixed_layout,
               .counts = kGlobalPart,
               .reads = kReadsStride | kReadsFactors},
    PatternRow{.name = "blockbert",
               .summary = "one span of blocks, another for each head (BlockBERT's)",
               .source = references::kBlockBert,
               .layout = blockbert_layout,
               .by_head = true,
               .reads = kReadsStride | kReadsLocalHeads,
               .not_causal = "a head attends to another span, which for some spans is a later one"},
    PatternRow{.name = "local",
               .summary = "spans of window blocks that do not overlap",
               .source = references::kCompressed,
               .layout = local_layout,
               .linear = true,
               .counts = kWindowPart},
    PatternRow{.name = "image",
               .summary = "a rectangle of blocks, where stride blocks are a line (Image Transformer's 2-D)",
               .source = references::kImage,
               .layout = image_layout,
               .linear = true,
               .counts = kWindowPart,
               .reads = kReadsStride},
    PatternRow{.name = "star",
               .summary = "the window, with learned tokens before the sequence as relays (Star Transformer's)",
               .source = references::kStar,
               .layout = star_layout,
               .linear = true,
               .parts = kGlobalPart | kWindowPart,
               .needs = kGlobalPart,
               .extra_tokens = true,
               .not_causal = kExtraTokensReadAll},
};

constexpr std::array kNumbers{
    PatternNumber{"--global", "global", "Number of global blocks", &PatternConfig::global, 0, 0, kGlobalPart},
    PatternNumber{"--window", "window", "Number of window blocks, including the block itself (odd)",
                  &PatternConfig::window, 1, 0, kWindowPart},
    PatternNumber{"--random", "random", "Number of random blocks per query block", &PatternConfig::random, 0, 0,
                  kRandomPart},
    PatternNumber{"--stride", "stride", "Span in blocks (0: by the length)", &PatternConfig::stride, 0, kReadsStride},
    PatternNumber{"--dilation", "dilation", "Blocks from one block of the window to the next", &PatternConfig::dilation,
                  1, kReadsDilation},
    PatternNumber{"--growth", "growth", "Blocks that each layer adds to the window on either side",
                  &PatternConfig::growth, 0, kReadsGrowth},
    PatternNumber{"--local-heads", "local_heads",
                  "Heads that stay in their own span (0: equal shares) or whose window has no dilation",
                  &PatternConfig::local_heads, 0, kReadsLocalHeads},
};

constexpr std::array<std::string_view, 3> kRandomBlocks{"uniform", "original", "huggingface"};
constexpr std::array<std::string_view, 2> kGlobalBlocks{"edges", "first"};
constexpr std::array<std::string_view, 3> kFactors{"merged", "by-layer", "by-head"};
constexpr std::array<std::string_view, 2> kNear{"stride", "window"};

template <class Enum, size_t n>
Enum enum_from(const std::array<std::string_view, n>& names, std::string_view text, const char* what) {
  return static_cast<Enum>(&row_named(names, text, what) - names.data());
}

}  // namespace

std::span<const PatternRow> patterns() { return kPatterns; }
std::span<const PatternNumber> pattern_numbers() { return kNumbers; }

std::string patterns_that_read(unsigned number) {
  std::string names;
  for (const auto& row : kPatterns)
    if (row.reads & number) names += concat(names.empty() ? "" : ", ", row.name);
  return names;
}

namespace {
bool reads(const PatternRow& row, const PatternNumber& number) {
  return number.read_by ? row.reads & number.read_by : (row.parts | row.counts) & number.part;
}
}  // namespace

void refuse_unread(const PatternConfig& config, const PatternNumber& number) {
  const PatternRow& asked = pattern(config.name);
  if (asked.reads & kReadsNear && number.part == kWindowPart && config.near != Near::window)
    throw UsageError(concat("attention pattern: ", asked.name, " reads ", number.flag, " only with --near window"));
  if (reads(asked, number)) return;
  std::string names;
  for (const auto& row : kPatterns)
    if (reads(row, number)) names += concat(names.empty() ? "" : ", ", row.name);
  throw UsageError(concat("attention pattern: ", asked.name, " does not read ", number.flag, " (", names, ")"));
}

const PatternRow& pattern(std::string_view name) { return row_named(kPatterns, name, "attention pattern"); }

bool differs_by_head(const PatternConfig& config) {
  const bool differs = pattern(config.name).by_head || config.growth > 0 || config.factors != Factors::merged ||
                       (config.dilation > 1 && config.local_heads > 0);
  return differs && config.random_blocks != RandomBlocks::huggingface;
}

int64_t extra_tokens(const PatternConfig& config) {
  return pattern(config.name).extra_tokens ? config.global * config.block : 0;
}

std::string_view to_string(RandomBlocks value) { return kRandomBlocks[static_cast<size_t>(value)]; }
std::string_view to_string(Factors value) { return kFactors[static_cast<size_t>(value)]; }
std::string_view to_string(Near value) { return kNear[static_cast<size_t>(value)]; }
std::string_view to_string(GlobalBlocks value) { return kGlobalBlocks[static_cast<size_t>(value)]; }
RandomBlocks random_blocks_from(std::string_view text) {
  return enum_from<RandomBlocks>(kRandomBlocks, text, "random blocks");
}
GlobalBlocks global_blocks_from(std::string_view text) {
  return enum_from<GlobalBlocks>(kGlobalBlocks, text, "global blocks");
}

Factors factors_from(std::string_view text) { return enum_from<Factors>(kFactors, text, "factors"); }
Near near_from(std::string_view text) { return enum_from<Near>(kNear, text, "neighbourhood"); }

void check(const PatternConfig& config) {
  const PatternRow& row = pattern(config.name);
  auto require = [](bool holds, const auto&... cause) {
    if (!holds) throw UsageError(concat("attention pattern: ", cause...));
  };
  require(config.block >= 1 && config.block <= 4096, "a block must have 1 to 4096 tokens, not ", config.block);
  constexpr int64_t kMost = int64_t{1} << 31;  // blocks
  for (const auto& number : kNumbers) {
    const int64_t value = config.*number.value;
    require(value <= kMost, "numbers of blocks above ", kMost, " are not supported");
    require(value >= number.least, number.flag, " must be ", number.least, " or more, not ", value);
    require(number.read_by == 0 || row.reads & number.read_by || value == PatternConfig().*number.value, row.name,
            " does not read ", number.flag, " (", patterns_that_read(number.read_by), ")");
  }
  require(config.factors == Factors::merged || row.reads & kReadsFactors, row.name, " has no factors (",
          patterns_that_read(kReadsFactors), ")");
  require(config.near == Near::stride || row.reads & kReadsNear, row.name, " does not read --near (",
          patterns_that_read(kReadsNear), ")");
  require(config.local_heads == 0 || row.by_head || config.dilation > 1,
          "--local-heads of a window without --dilation: all of its heads are local");
  require(config.window >= 1 && config.window % 2 == 1, "the window must be an odd number of blocks, not ",
          config.window);
  require(!(row.needs & kGlobalPart) || config.global > 0, row.name, " needs global blocks");
  require(!(row.needs & kRandomPart) || config.random > 0, row.name, " needs random blocks");
  require(!config.causal || row.not_causal.empty(), row.name, " cannot be causal: ", row.not_causal);
  require(!config.causal || !(row.reads & kReadsStride) || config.stride > 0, row.name,
          " can be causal only with --stride: by itself, it follows from the sequence's length");
  require(!config.causal || config.random_blocks == RandomBlocks::uniform, to_string(config.random_blocks),
          " random blocks cannot be causal: they are drawn from the whole sequence");
  if (config.random_blocks != RandomBlocks::uniform)
    require(row.released && config.global == 2 && config.window == 3 && config.global_blocks == GlobalBlocks::edges,
            to_string(config.random_blocks),
            " random blocks need bigbird with 2 global blocks at the edges and a window of 3");
}

namespace {

/// The rows of a causal layout, but the first ones of a layout that is not.
BlockLayout with_prefix(const BlockLayout& causal, PatternConfig config, Place place) {
  config.causal = false;
  const int64_t prefix = std::exchange(place.prefix, 0);
  place.blocks = prefix;
  const BlockLayout both_ways = make_layout(config, place);
  std::vector<std::vector<int32_t>> lists;
  for (int64_t query = 0; query < causal.blocks; ++query) {
    const auto keys = (query < prefix ? both_ways : causal).keys_of(query);
    lists.emplace_back(keys.begin(), keys.end());
  }
  BlockLayout layout = BlockLayout::from_rows(std::move(lists));
  layout.prefix = prefix;
  return layout;
}

}  // namespace

BlockLayout make_layout(const PatternConfig& config, const Place& place) {
  check(config);
  if (place.blocks < 1 || place.head < 0 || place.head >= place.heads || place.layer < 0 || place.prefix < 0 ||
      place.prefix > (config.causal ? place.blocks : 0))
    fail("no attention layout for block count ", place.blocks, ", layer ", place.layer, ", head ", place.head, " of ",
         place.heads, ", prefix ", place.prefix);
  Place placed = place;
  placed.causal = config.causal;
  BlockLayout layout = pattern(config.name).layout(config, placed);
  return place.prefix > 0 ? with_prefix(layout, config, place) : layout;
}

}  // namespace bigdna::sparsity
