#include "sparsity/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.h"
#include "sparsity/original.h"
#include "sparsity/rows.h"

namespace bigdna::sparsity {
namespace {

std::vector<int32_t> keys(const BlockLayout& layout, int64_t query) {
  const auto span = layout.keys_of(query);
  return {span.begin(), span.end()};
}

// DESIGN section 3: what the released code draws for head 0 at 4096 tokens, blocks of 64.
TEST(OriginalRandomBlocks, GoldenRows) {
  const PatternConfig config{.random_blocks = RandomBlocks::original};
  const KeyLists seed0 = original_random_blocks(config, {.layer = 0, .head = 0, .heads = 12, .blocks = 64});
  const KeyLists seed1 = original_random_blocks(config, {.layer = 1, .head = 0, .heads = 12, .blocks = 64});
  ASSERT_EQ(seed0.size(), 62u);
  EXPECT_EQ((KeyLists{seed0.begin(), seed0.begin() + 4}), (KeyLists{{9, 14, 7}, {9, 6, 7}, {10, 5, 14}, {6, 8, 12}}));
  EXPECT_EQ((KeyLists{seed1.begin(), seed1.begin() + 4}), (KeyLists{{5, 6, 7}, {5, 11, 4}, {15, 9, 7}, {10, 12, 6}}));
  for (const KeyList& row : seed0)
    for (const int32_t key : row) EXPECT_TRUE(key >= 1 && key <= 15);
}

TEST(OriginalRandomBlocks, HeadsAreDrawnInTurn) {
  const PatternConfig config{.random_blocks = RandomBlocks::original};
  const auto head = [&](int64_t h, int64_t heads, int64_t blocks) {
    return original_random_blocks(config, {.layer = 2, .head = h, .heads = heads, .blocks = blocks});
  };
  EXPECT_NE(head(0, 2, 64), head(1, 2, 64));
  EXPECT_EQ(head(1, 2, 64), head(1, 12, 64));  // 4096 tokens: head by head
  EXPECT_NE(head(1, 2, 32), head(1, 12, 32));  // 2048 tokens: row by row, all heads in turn
}

TEST(HuggingFaceRandomBlocks, MiddleRowsAttendToTheFirstBlockOftener) {
  const PatternConfig config{.random_blocks = RandomBlocks::huggingface};
  const auto layout = make_layout(config, {.blocks = 12});
  EXPECT_EQ(keys(layout, 0).size(), 12u);
  EXPECT_EQ(keys(layout, 1), (std::vector<int32_t>{0, 0, 0, 0, 1, 2, 11}));
  EXPECT_EQ(keys(layout, 5), (std::vector<int32_t>{0, 0, 0, 0, 4, 5, 6, 11}));
  EXPECT_EQ(keys(layout, 10), (std::vector<int32_t>{0, 0, 0, 0, 9, 10, 11}));
  EXPECT_EQ(make_layout(config, {.blocks = 11}), full_layout(11));  // (5 + 2 r) blocks attend fully
}

TEST(BigBird, RowsHoldGlobalWindowAndDistinctRandomBlocks) {
  const PatternConfig config{.seed = 7};
  for (const int64_t blocks : {8, 9, 20, 64, 257})
    for (int64_t head = 0; head < 3; ++head) {
      const auto layout = make_layout(config, {.layer = 3, .head = head, .heads = 3, .blocks = blocks});
      for (int64_t query = 0; query < blocks; ++query) {
        const auto row = keys(layout, query);
        const std::set<int32_t> distinct(row.begin(), row.end());
        EXPECT_EQ(distinct.size(), row.size());
        EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
        if (query == 0 || query == blocks - 1) {
          EXPECT_EQ(static_cast<int64_t>(row.size()), blocks);
        } else {
          for (const int64_t key : {int64_t{0}, blocks - 1, query - 1, query, query + 1})
            EXPECT_TRUE(distinct.count(static_cast<int32_t>(key)));
          const bool edge = query == 1 || query == blocks - 2;
          EXPECT_EQ(row.size(), std::min<size_t>(edge ? 7 : 8, static_cast<size_t>(blocks)));
        }
      }
    }
}

TEST(BigBird, RandomBlocksDependOnSeedLayerAndHead) {
  const auto layout = [](uint64_t seed, int64_t layer, int64_t head) {
    return make_layout({.seed = seed}, {.layer = layer, .head = head, .heads = 4, .blocks = 64});
  };
  EXPECT_EQ(layout(1, 2, 3), layout(1, 2, 3));
  EXPECT_NE(layout(1, 2, 3), layout(2, 2, 3));
  EXPECT_NE(layout(1, 2, 3), layout(1, 3, 3));
  EXPECT_NE(layout(1, 2, 3), layout(1, 2, 2));
}

TEST(BigBird, RandomBlocksCoverTheWholeSequenceEvenly) {
  std::vector<int> drawn(64);
  const int trials = 400;
  for (int seed = 0; seed < trials; ++seed)
    for (const int32_t key : keys(make_layout({.seed = static_cast<uint64_t>(seed)}, {.blocks = 64}), 30)) ++drawn[key];
  for (int key = 1; key < 63; ++key) {
    if (key >= 29 && key <= 31) continue;
    EXPECT_NEAR(drawn[key], trials * 3 / 59.0, 5 * std::sqrt(trials * 3 / 59.0)) << key;
  }
}

TEST(BigBird, GlobalBlocksAtTheEdgesOrFirst) {
  const auto edges = make_layout({.global = 3, .random = 0}, {.blocks = 20});
  EXPECT_EQ(keys(edges, 10), (std::vector<int32_t>{0, 1, 9, 10, 11, 19}));
  const auto first = make_layout({.global = 3, .random = 0, .global_blocks = GlobalBlocks::first}, {.blocks = 20});
  EXPECT_EQ(keys(first, 10), (std::vector<int32_t>{0, 1, 2, 9, 10, 11}));
  EXPECT_EQ(keys(first, 2).size(), 20u);
  EXPECT_EQ(keys(first, 19), (std::vector<int32_t>{0, 1, 2, 18, 19}));
}

TEST(BigBird, ShortSequencesAttendFully) {
  for (int64_t blocks = 1; blocks < 8; ++blocks) EXPECT_EQ(make_layout({}, {.blocks = blocks}), full_layout(blocks));
  EXPECT_LT(make_layout({}, {.blocks = 9}).pairs(), 81);
}

TEST(OtherPatterns, WindowAndRandom) {
  EXPECT_EQ(keys(make_layout({.name = "window", .window = 5}, {.blocks = 9}), 1), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(keys(make_layout({.name = "random", .random = 4}, {.blocks = 40}), 17).size(), 4u);
  EXPECT_EQ(keys(make_layout({.name = "random", .random = 4}, {.blocks = 3}), 1), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(keys(make_layout({.name = "window-random"}, {.blocks = 40}), 17).size(), 6u);
}

TEST(OtherPatterns, EtcHasItsGlobalBlocksFirst) {
  const auto layout = make_layout({.name = "bigbird-etc", .random = 0}, {.blocks = 20});
  EXPECT_EQ(keys(layout, 10), (std::vector<int32_t>{0, 1, 9, 10, 11}));
  EXPECT_EQ(keys(layout, 1).size(), 20u);
  EXPECT_EQ(keys(layout, 19), (std::vector<int32_t>{0, 1, 18, 19}));
}

TEST(OtherPatterns, GlobalWindow) {
  const auto layout = make_layout({.name = "global-window"}, {.blocks = 20});
  EXPECT_EQ(keys(layout, 10), (std::vector<int32_t>{0, 9, 10, 11, 19}));
  EXPECT_EQ(keys(layout, 19).size(), 20u);
  EXPECT_EQ(make_layout({.name = "global-window"}, {.blocks = 4}), full_layout(4));
}

TEST(OtherPatterns, StridedAndFixed) {
  EXPECT_EQ(keys(make_layout({.name = "strided"}, {.blocks = 16}), 6),
            (std::vector<int32_t>{2, 3, 4, 5, 6, 7, 8, 9, 10, 14}));
  EXPECT_EQ(keys(make_layout({.name = "strided", .stride = 3, .causal = true}, {.blocks = 16}), 10),
            (std::vector<int32_t>{1, 4, 7, 8, 9, 10}));  // Child et al. 2019: max(0, i - l) ... i, and j = i mod l
  EXPECT_EQ(keys(make_layout({.name = "strided", .near = Near::window}, {.blocks = 16}), 6),
            (std::vector<int32_t>{2, 5, 6, 7, 10, 14}));
  EXPECT_EQ(keys(make_layout({.name = "strided", .stride = 7, .near = Near::window}, {.blocks = 16}), 0),
            (std::vector<int32_t>{0, 1, 7, 14}));
  EXPECT_EQ(keys(make_layout({.name = "fixed", .global = 1}, {.blocks = 16}), 5),
            (std::vector<int32_t>{3, 4, 5, 6, 7, 11, 15}));
  EXPECT_EQ(keys(make_layout({.name = "fixed", .global = 2, .stride = 5}, {.blocks = 12}), 11),
            (std::vector<int32_t>{3, 4, 8, 9, 10, 11}));
}

TEST(OtherPatterns, BlockBertShiftsByHead) {
  const auto head = [](int64_t h, int64_t blocks, int64_t stride) {
    return make_layout({.name = "blockbert", .stride = stride}, {.head = h, .heads = 4, .blocks = blocks});
  };
  EXPECT_EQ(keys(head(0, 8, 0), 5), (std::vector<int32_t>{4, 5, 6, 7}));
  EXPECT_EQ(keys(head(1, 8, 0), 5), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(keys(head(1, 8, 3), 0), (std::vector<int32_t>{3, 4, 5}));
  EXPECT_EQ(keys(head(2, 8, 3), 0), (std::vector<int32_t>{6, 7}));
  EXPECT_EQ(keys(head(1, 1, 0), 0), (std::vector<int32_t>{0}));
  EXPECT_EQ(keys(head(1, 2, 0), 0), (std::vector<int32_t>{1}));
  EXPECT_EQ(keys(head(0, 5, 0), 0), (std::vector<int32_t>{0, 1, 2}));
}

TEST(OtherPatterns, BlockBertGivesHeadsUnequalShares) {
  const auto head = [](int64_t h, int64_t stride) {
    const PatternConfig config{.name = "blockbert", .stride = stride, .local_heads = 10};
    return keys(make_layout(config, {.head = h, .heads = 12, .blocks = 9}), 0);
  };
  for (const int64_t h : {0, 5, 9}) EXPECT_EQ(head(h, 3), (std::vector<int32_t>{0, 1, 2})) << h;  // 10:1:1
  EXPECT_EQ(head(10, 3), (std::vector<int32_t>{3, 4, 5}));
  EXPECT_EQ(head(11, 3), (std::vector<int32_t>{6, 7, 8}));
  EXPECT_EQ(head(10, 0), (std::vector<int32_t>{5, 6, 7, 8}));  // 10:2
  EXPECT_EQ(head(11, 0), (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST(OtherPatterns, LongformersWindowHasGapsAndGrowsFromLayerToLayer) {
  const auto row = [](const std::string& name, int64_t local_heads, const Place& place) {
    const PatternConfig config{.name = name, .window = 5, .dilation = 3, .growth = 1, .local_heads = local_heads};
    return keys(make_layout(config, place), 10);
  };
  EXPECT_EQ(row("window", 0, {.blocks = 40}), (std::vector<int32_t>{4, 7, 10, 13, 16}));
  EXPECT_EQ(row("window", 0, {.layer = 2, .blocks = 40}), (std::vector<int32_t>{1, 4, 7, 10, 13, 16, 19, 22}));
  EXPECT_EQ(row("window", 2, {.head = 1, .heads = 4, .blocks = 40}), (std::vector<int32_t>{8, 9, 10, 11, 12}));
  EXPECT_EQ(row("window", 2, {.head = 2, .heads = 4, .blocks = 40}), (std::vector<int32_t>{4, 7, 10, 13, 16}));
  EXPECT_EQ(row("global-window", 0, {.blocks = 40}), (std::vector<int32_t>{0, 4, 7, 10, 13, 16, 39}));
  EXPECT_TRUE(differs_by_head({.name = "window", .growth = 1}));
  EXPECT_TRUE(differs_by_head({.name = "window", .dilation = 2, .local_heads = 1}));
  EXPECT_FALSE(differs_by_head({.name = "window", .dilation = 2}));
}

TEST(OtherPatterns, SparseTransformersFactorsByLayerAndByHead) {
  const auto row = [](const std::string& name, Factors factors, int64_t layer, int64_t head) {
    PatternConfig config{.name = name, .global = 1, .factors = factors};
    if (name == "strided") config.near = Near::window;
    return keys(make_layout(config, {.layer = layer, .head = head, .heads = 4, .blocks = 16}), 6);
  };
  const std::vector<int32_t> window{5, 6, 7}, column{2, 6, 10, 14}, span{4, 5, 6, 7}, summaries{3, 7, 11, 15};
  for (const int64_t i : {0, 1, 2, 3}) {
    EXPECT_EQ(row("strided", Factors::by_layer, i, 0), i % 2 == 0 ? window : column) << i;
    EXPECT_EQ(row("fixed", Factors::by_layer, i, 3), i % 2 == 0 ? span : summaries) << i;
    EXPECT_EQ(row("strided", Factors::by_head, 0, i), i < 2 ? window : column) << i;
    EXPECT_EQ(row("fixed", Factors::by_head, 1, i), i < 2 ? span : summaries) << i;
  }
  // the two parts together are what every head attends to otherwise
  for (const std::string name : {"strided", "fixed"})
    EXPECT_EQ(merge(row(name, Factors::by_head, 0, 0), row(name, Factors::by_head, 0, 3)),
              row(name, Factors::merged, 0, 0));
  EXPECT_TRUE(differs_by_head({.name = "fixed", .factors = Factors::by_layer}));
}

TEST(OtherPatterns, LocalImageAndStar) {
  EXPECT_EQ(keys(make_layout({.name = "local"}, {.blocks = 11}), 4), (std::vector<int32_t>{3, 4, 5}));
  EXPECT_EQ(keys(make_layout({.name = "local"}, {.blocks = 11}), 10), (std::vector<int32_t>{9, 10}));
  const auto image = make_layout({.name = "image", .stride = 5}, {.blocks = 18});  // lines of 5, the last of 3
  EXPECT_EQ(keys(image, 7), (std::vector<int32_t>{1, 2, 3, 6, 7, 8, 11, 12, 13}));
  EXPECT_EQ(keys(image, 9), (std::vector<int32_t>{3, 4, 8, 9, 13, 14}));  // no way round the edge
  EXPECT_EQ(keys(image, 12), (std::vector<int32_t>{6, 7, 8, 11, 12, 13, 16, 17}));
  const auto star = make_layout({.name = "star", .global = 1}, {.blocks = 9});
  EXPECT_EQ(keys(star, 0).size(), 9u);
  EXPECT_EQ(keys(star, 5), (std::vector<int32_t>{0, 4, 5, 6}));
  // ETC without random blocks is the same: a remark on Star Transformer
  EXPECT_EQ(star, make_layout({.name = "bigbird-etc", .global = 1, .random = 0}, {.blocks = 9}));
}

TEST(Layout, TransposeListsTheSamePairs) {
  for (const auto& row : patterns()) {
    PatternConfig config;
    config.name = row.name;
    const auto layout = make_layout(config, {.blocks = 33});
    EXPECT_EQ(layout.columns.size(), layout.rows.size());
    for (int64_t key = 0; key < layout.blocks; ++key)
      for (const int32_t query : layout.queries_of(key)) {
        const auto of = layout.keys_of(query);
        EXPECT_TRUE(std::find(of.begin(), of.end(), key) != of.end()) << row.name;
      }
  }
}

// The table's fields agree with each pattern's layouts and check.
TEST(Table, SaysHowTheCostGrows) {
  for (const auto& row : patterns()) {
    const PatternConfig config{.name = std::string(row.name)};
    const auto pairs = [&](int64_t blocks) {
      return static_cast<double>(make_layout(config, {.blocks = blocks}).pairs());
    };
    const double growth = pairs(2048) / pairs(1024);
    EXPECT_EQ(growth < 2.05, row.linear) << row.name << " grows by " << growth;
  }
}

TEST(Table, SaysWhetherLayoutsDifferByHead) {
  for (const auto& row : patterns()) {
    const PatternConfig config{.name = std::string(row.name)};
    const bool differs = make_layout(config, {.head = 0, .heads = 2, .blocks = 64}) !=
                         make_layout(config, {.head = 1, .heads = 2, .blocks = 64});
    EXPECT_EQ(differs, row.by_head) << row.name;
  }
}

TEST(Table, SaysWhatAPatternNeeds) {
  for (const auto& row : patterns()) {
    const std::string name(row.name);
    const auto refused = [](const PatternConfig& config) {
      try {
        check(config);
        return false;
      } catch (const UsageError&) {
        return true;
      }
    };
    EXPECT_EQ(refused({.name = name, .global = 0}), (row.needs & kGlobalPart) != 0) << name;
    EXPECT_EQ(refused({.name = name, .random = 0}), (row.needs & kRandomPart) != 0) << name;
    EXPECT_EQ(refused({.name = name, .random_blocks = RandomBlocks::original}), !row.released) << name;
    EXPECT_EQ(refused({.name = name, .random_blocks = RandomBlocks::huggingface}), !row.released) << name;
    EXPECT_EQ(extra_tokens({.name = name, .block = 16, .global = 3}), row.extra_tokens ? 48 : 0) << name;
  }
}

// A number that a pattern does not read changes nothing, so it is refused; one that it reads changes its layout.
TEST(Table, SaysWhichNumbersAPatternReads) {
  for (const auto& row : patterns())
    for (const auto& number : pattern_numbers()) {
      PatternConfig config{.name = std::string(row.name)};
      if (number.read_by == kReadsLocalHeads && row.reads & kReadsDilation) config.dilation = 2;
      const Place place{.layer = 1, .head = 1, .heads = 4, .blocks = 64};
      const auto before = make_layout(config, place);
      config.*number.value += number.part ? 2 : 3;  // a window is odd
      if (number.part) {
        bool refused = false;
        try {
          refuse_unread(PatternConfig{.name = std::string(row.name)}, number);
        } catch (const UsageError&) {
          refused = true;
        }
        EXPECT_EQ(refused, make_layout(config, place) == before) << row.name << " " << number.flag;
      } else if (row.reads & number.read_by) {
        EXPECT_NO_THROW(refuse_unread(PatternConfig{.name = std::string(row.name)}, number));
        EXPECT_NE(make_layout(config, place), before) << row.name << " " << number.flag;
      } else {
        EXPECT_THROW(check(config), UsageError) << row.name << " " << number.flag;
        EXPECT_THROW(refuse_unread(PatternConfig{.name = std::string(row.name)}, number), UsageError)
            << row.name << " " << number.flag;
      }
    }
}

TEST(Check, RefusesWhatMakesNoSense) {
  EXPECT_THROW(check({.name = "window", .factors = Factors::by_head}), UsageError);
  EXPECT_THROW(check({.name = "window", .local_heads = 1}), UsageError);
  EXPECT_THROW(check({.name = "window", .dilation = 0}), UsageError);
  EXPECT_EQ(factors_from("by-layer"), Factors::by_layer);
  EXPECT_THROW(check({.name = "none"}), UsageError);
  EXPECT_THROW(check({.window = 4}), UsageError);
  EXPECT_THROW(check({.block = 0}), UsageError);
  EXPECT_THROW(check({.global = -1}), UsageError);
  EXPECT_THROW(check({.global = 4, .random_blocks = RandomBlocks::original}), UsageError);
  EXPECT_THROW(random_blocks_from("sometimes"), UsageError);
  EXPECT_EQ(random_blocks_from("original"), RandomBlocks::original);
  EXPECT_EQ(to_string(GlobalBlocks::first), "first");
}

}  // namespace
}  // namespace bigdna::sparsity
