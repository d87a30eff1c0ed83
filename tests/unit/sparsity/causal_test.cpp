// Causal patterns: no layout lists a later block, but within a prefix.
#include <gtest/gtest.h>

#include "base/error.h"
#include "sparsity/pattern.h"

namespace bigdna::sparsity {
namespace {

std::vector<int32_t> keys(const BlockLayout& layout, int64_t query) {
  const auto span = layout.keys_of(query);
  return {span.begin(), span.end()};
}

PatternConfig causal_config(const PatternRow& row) {
  return {.name = std::string(row.name), .stride = row.reads & kReadsStride ? 5 : 0, .seed = 3, .causal = true};
}

// So that what follows a block changes nothing: not its keys, and not which of them are random.
TEST(Causal, FirstRowsOfALayoutAreTheLayoutOfAShorterSequence) {
  std::vector<PatternConfig> configs;
  for (const auto& row : patterns())
    if (row.not_causal.empty()) configs.push_back(causal_config(row));
  EXPECT_GE(configs.size(), 10u);
  configs.push_back({.global = 3, .random = 2, .causal = true});
  configs.push_back({.name = "window", .dilation = 2, .growth = 1, .local_heads = 1, .causal = true});
  configs.push_back({.name = "global-window", .dilation = 2, .growth = 1, .causal = true});
  for (const auto factors : {Factors::by_layer, Factors::by_head})
    for (const char* name : {"strided", "fixed"})
      configs.push_back({.name = name, .stride = 4, .factors = factors, .causal = true});
  for (const auto& config : configs)
    for (const auto& place : {Place{.blocks = 70}, Place{.layer = 1, .head = 2, .heads = 3, .blocks = 70}}) {
      const auto whole = make_layout(config, place);
      bool sees_all = true;
      for (int64_t query = 0; query < 70; ++query) {
        const auto row = keys(whole, query);
        EXPECT_FALSE(row.empty()) << config.name;
        EXPECT_LE(row.back(), query) << config.name;
        sees_all &= std::ssize(row) == query + 1;
      }
      EXPECT_EQ(sees_all, config.name == "full");
      for (int64_t blocks = 1; blocks < 70; ++blocks) {
        Place shorter = place;
        shorter.blocks = blocks;
        const auto part = make_layout(config, shorter);
        for (int64_t query = 0; query < blocks; ++query)
          EXPECT_EQ(keys(part, query), keys(whole, query)) << config.name << " " << blocks << " " << query;
      }
    }
}

TEST(Causal, APrefixHasTheRowsOfAPatternThatIsNotCausal) {
  for (const auto& row : patterns()) {
    if (!row.not_causal.empty()) continue;
    auto config = causal_config(row);
    const auto causal = make_layout(config, {.layer = 1, .blocks = 40}),
               joined = make_layout(config, {.layer = 1, .blocks = 40, .prefix = 23});
    EXPECT_EQ(causal.prefix, 0);
    EXPECT_EQ(joined.prefix, 23);
    config.causal = false;
    const auto both_ways = make_layout(config, {.layer = 1, .blocks = 23});
    for (int64_t query = 0; query < 40; ++query)
      EXPECT_EQ(keys(joined, query), keys(query < 23 ? both_ways : causal, query)) << row.name << " " << query;
    EXPECT_THROW(make_layout(config, {.blocks = 40, .prefix = 1}), Error);
  }
  EXPECT_THROW(make_layout({.causal = true}, {.blocks = 4, .prefix = 5}), Error);
}

TEST(Causal, OtherPatternsAreRefusedWithTheReason) {
  const auto cause = [](const PatternConfig& config) -> std::string {
    try {
      check(config);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  for (const auto& row : patterns()) {
    const auto config = causal_config(row);
    if (!row.not_causal.empty()) {
      EXPECT_NE(cause(config).find(concat(row.name, " cannot be causal: ", row.not_causal)), std::string::npos);
    } else {
      EXPECT_EQ(cause(config), "");
    }
    if (!(row.reads & kReadsStride) || !row.not_causal.empty()) continue;
    EXPECT_NE(cause({.name = std::string(row.name), .causal = true}).find("only with --stride"), std::string::npos);
  }
  EXPECT_NE(cause({.random_blocks = RandomBlocks::original, .causal = true}), "");
}

TEST(Causal, RowsKeepTheirParts) {
  EXPECT_EQ(keys(make_layout({.random = 0, .causal = true}, {.blocks = 20}), 10), (std::vector<int32_t>{0, 1, 9, 10}));
  EXPECT_EQ(keys(make_layout({.name = "strided", .stride = 4, .causal = true}, {.blocks = 16}), 6),
            (std::vector<int32_t>{2, 3, 4, 5, 6}));
  EXPECT_EQ(keys(make_layout({.name = "fixed", .global = 1, .stride = 4, .causal = true}, {.blocks = 16}), 9),
            (std::vector<int32_t>{3, 7, 8, 9}));
  EXPECT_EQ(keys(make_layout({.name = "image", .stride = 5, .causal = true}, {.blocks = 18}), 7),
            (std::vector<int32_t>{1, 2, 3, 6, 7}));
}

}  // namespace
}  // namespace bigdna::sparsity
