#include "sparsity/pattern.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "sparsity/patterns.h"

namespace bigdna::sparsity {
namespace {

constexpr unsigned kBigBirdParts = kGlobalPart | kWindowPart | kRandomPart;

constexpr std::array kPatterns{
    PatternRow{.name = "bigbird",
               .summary = "global + window + random blocks (BigBird's ITC)",
               .layout = bigbird_layout,
               .by_head = true,
               .linear = true,
               .parts = kBigBirdParts,
               .released = true},
    PatternRow{.name = "bigbird-etc",
               .summary = "the same, with extra learned global tokens before the sequence (BigBird's ETC)",
               .layout = bigbird_etc_layout,
               .by_head = true,
               .linear = true,
               .parts = kBigBirdParts,
               .needs = kGlobalPart,
               .extra_tokens = true},
    PatternRow{.name = "full",
               .summary = "every block attends to every block",
               .layout = full_pattern_layout,
               .attention_type = "original_full"},
    PatternRow{.name = "window",
               .summary = "a block and its neighbours",
               .layout = window_layout,
               .linear = true,
               .parts = kWindowPart},
    PatternRow{.name = "random",
               .summary = "random blocks only",
               .layout = random_layout,
               .by_head = true,
               .linear = true,
               .parts = kRandomPart,
               .needs = kRandomPart},
    PatternRow{.name = "window-random",
               .summary = "window and random blocks, none global",
               .layout = window_random_layout,
               .by_head = true,
               .linear = true,
               .parts = kWindowPart | kRandomPart},
    PatternRow{.name = "global-window",
               .summary = "global and window blocks (Longformer's)",
               .layout = global_window_layout,
               .linear = true,
               .parts = kGlobalPart | kWindowPart},
    PatternRow{.name = "strided",
               .summary = "the window and every stride-th block (Sparse Transformer's)",
               .layout = strided_layout,
               .parts = kWindowPart},
    PatternRow{.name = "fixed",
               .summary = "a span of blocks and the last ones of every span (Sparse Transformer's)",
               .layout = fixed_layout},
    PatternRow{.name = "blockbert",
               .summary = "one span of blocks, another for each head (BlockBERT's)",
               .layout = blockbert_layout,
               .by_head = true},
};

constexpr std::array<std::string_view, 3> kRandomBlocks{"uniform", "original", "huggingface"};
constexpr std::array<std::string_view, 2> kGlobalBlocks{"edges", "first"};

template <class Enum, size_t n>
Enum enum_from(const std::array<std::string_view, n>& names, std::string_view text, const char* what) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::string choices;
  for (const auto& name : names) choices += (choices.empty() ? "" : ", ") + std::string(name);
  throw UsageError(concat("unknown ", what, " ", text, " (", choices, ")"));
}

}  // namespace

std::span<const PatternRow> patterns() { return kPatterns; }

const PatternRow& pattern(std::string_view name) {
  const auto found =
      std::find_if(kPatterns.begin(), kPatterns.end(), [&](const auto& row) { return row.name == name; });
  if (found != kPatterns.end()) return *found;
  std::string choices;
  for (const auto& row : kPatterns) choices += (choices.empty() ? "" : ", ") + std::string(row.name);
  throw UsageError(concat("unknown attention pattern ", name, " (", choices, ")"));
}

bool differs_by_head(const PatternConfig& config) {
  return pattern(config.name).by_head && config.random_blocks != RandomBlocks::huggingface;
}

int64_t extra_tokens(const PatternConfig& config) {
  return pattern(config.name).extra_tokens ? config.global * config.block : 0;
}

std::string_view to_string(RandomBlocks value) { return kRandomBlocks[static_cast<size_t>(value)]; }
std::string_view to_string(GlobalBlocks value) { return kGlobalBlocks[static_cast<size_t>(value)]; }
RandomBlocks random_blocks_from(std::string_view text) {
  return enum_from<RandomBlocks>(kRandomBlocks, text, "random blocks");
}
GlobalBlocks global_blocks_from(std::string_view text) {
  return enum_from<GlobalBlocks>(kGlobalBlocks, text, "global blocks");
}

void check(const PatternConfig& config) {
  const PatternRow& row = pattern(config.name);
  auto require = [](bool holds, const auto&... cause) {
    if (!holds) throw UsageError(concat("attention pattern: ", cause...));
  };
  require(config.block >= 1 && config.block <= 4096, "a block must have 1 to 4096 tokens, not ", config.block);
  constexpr int64_t kMost = int64_t{1} << 31;  // blocks
  require(config.global <= kMost && config.random <= kMost && config.window <= kMost && config.stride <= kMost,
          "numbers of blocks above ", kMost, " are not supported");
  require(config.global >= 0 && config.random >= 0, "the numbers of global and random blocks must not be negative");
  require(config.window >= 1 && config.window % 2 == 1, "the window must be an odd number of blocks, not ",
          config.window);
  require(!(row.needs & kGlobalPart) || config.global > 0, row.name, " needs global blocks");
  require(config.stride >= 0, "the stride must not be negative");
  require(!(row.needs & kRandomPart) || config.random > 0, row.name, " needs random blocks");
  if (config.random_blocks != RandomBlocks::uniform)
    require(row.released && config.global == 2 && config.window == 3 && config.global_blocks == GlobalBlocks::edges,
            to_string(config.random_blocks),
            " random blocks need bigbird with 2 global blocks at the edges and a window of 3");
}

BlockLayout make_layout(const PatternConfig& config, const Place& place) {
  check(config);
  if (place.blocks < 1 || place.head < 0 || place.head >= place.heads || place.layer < 0)
    fail("no attention layout for block count ", place.blocks, ", layer ", place.layer, ", head ", place.head, " of ",
         place.heads);
  return pattern(config.name).layout(config, place);
}

}  // namespace bigdna::sparsity
