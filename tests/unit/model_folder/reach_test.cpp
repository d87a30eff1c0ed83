#include "model_folder/reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <vector>

#include "model_folder/stack.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {

static bool operator==(const Reach& a, const Reach& b) { return a.every == b.every && a.farthest == b.farthest; }
static std::ostream& operator<<(std::ostream& out, const Reach& reach) {
  return out << reach.every << ", " << reach.farthest;
}

namespace {

constexpr int64_t kTokens = 160;

/// Three layers of two heads, in blocks of 4.
ModelConfig with(const std::string& pattern, const std::string& attention = "blocks") {
  ModelConfig config;
  config.layers = 3, config.heads = 2, config.hidden = 16, config.max_length = 512;
  config.attention_dropout = 0;
  config.pattern = {.name = pattern, .block = 4, .global = 2, .random = 1};
  config.attention = attention_from(attention, config.heads);
  check_attention(config);
  return config;
}
Reach of(const ModelConfig& config, int64_t count, int64_t first = 0) {
  return reach_of(config, kTokens, first, count);
}
constexpr Reach kAll{kTokens - 1, kTokens - 1};

/// Token by token, for patterns without tokens of their own.
Reach by_tokens(const ModelConfig& config, int64_t count) {
  const int64_t block = config.pattern.block, blocks = kTokens / block;
  std::vector<std::vector<bool>> read(kTokens, std::vector<bool>(kTokens));
  for (size_t i = 0; i < read.size(); ++i) read[i][i] = true;
  for (int64_t layer = 0; layer < count; ++layer) {  // the state of i holds what its keys' states held
    auto next = read;
    for (int64_t head = 0; head < config.heads; ++head) {
      const auto layout = sparsity::make_layout(
          config.pattern, {.layer = layer, .head = head, .heads = config.heads, .blocks = blocks});
      for (int64_t i = 0; i < kTokens; ++i)
        for (const auto key : layout.keys_of(i / block))
          for (int64_t j = key * block; j < (key + 1) * block; ++j)
            for (int64_t k = 0; k < kTokens; ++k)
              if (read[static_cast<size_t>(j)][static_cast<size_t>(k)])
                next[static_cast<size_t>(i)][static_cast<size_t>(k)] = true;
    }
    read = std::move(next);
  }
  Reach reach{kTokens - 1, 0};
  for (int64_t i = 0; i < kTokens; ++i)
    for (int64_t j = 0; j < kTokens; ++j) {
      const int64_t apart = std::abs(i - j);
      if (read[static_cast<size_t>(i)][static_cast<size_t>(j)])
        reach.farthest = std::max(reach.farthest, apart);
      else
        reach.every = std::min(reach.every, apart - 1);
    }
  return reach;
}

TEST(Reach, OfPatternsIsThatOfTheirLayouts) {
  for (const auto& row : sparsity::patterns()) {
    if (row.extra_tokens) continue;
    const auto config = with(std::string(row.name));
    for (const int64_t layers : {1, 2, 3})
      EXPECT_EQ(of(config, layers), by_tokens(config, layers)) << row.name << ", " << layers;
  }
  EXPECT_EQ(of(with("window"), 1), (Reach{4, 7}));
  EXPECT_EQ(of(with("window"), 3), (Reach{12, 15}));
  EXPECT_EQ(of(with("global-window"), 2), kAll);
  EXPECT_EQ(of(with("full"), 1), kAll);
}

TEST(Reach, TokensBeforeTheTextJoinItsTokens) {
  EXPECT_EQ(of(with("star"), 1), (Reach{4, 7}));
  EXPECT_EQ(of(with("star"), 2), kAll);
}

TEST(Reach, OfACausalModelIsThatToTheLeft) {
  auto config = with("window");
  config.pattern.causal = true;
  EXPECT_EQ(of(config, 1), (Reach{4, 7}));
  EXPECT_EQ(of(config, 2), (Reach{8, 11}));
}

// Attentions begin at layer 1 here, in one of two heads, beside the window. 18 tokens are 4 blocks and a half.
TEST(Reach, OfAttentionsIsWhatTheirRowSays) {
  EXPECT_EQ(of(with("window", "xl:reach=18"), 1), (Reach{4, 7}));
  EXPECT_EQ(of(with("window", "xl:reach=18"), 1, 1), (Reach{16, 23}));
  EXPECT_EQ(of(with("window", "xl:reach=18"), 3), (Reach{4 + 16 + 16, 4 + 20 + 20 + 3}));
  EXPECT_EQ(of(with("window", "xl:reach=500"), 3), kAll);
  EXPECT_EQ(of(with("window", "performer"), 1, 1), kAll);
  EXPECT_EQ(of(with("window", "axial:width=16"), 1, 1), (Reach{4, 19}));  // a row has ends
  EXPECT_EQ(of(with("window", "axial:width=16"), 1, 2), (Reach{4, kTokens - 1}));
  EXPECT_EQ(of(with("global-window", "longformer:local=0"), 1, 1), of(with("global-window"), 1));
}

TEST(Reach, CountsRepeatedLayers) {
  auto config = with("window");
  config.layers = 1;
  config.stack = stack_from("universal:steps=5");
  EXPECT_EQ(reach_of(config, kTokens, 0, layer_runs(config)), (Reach{20, 23}));
}

}  // namespace
}  // namespace bigdna::model_folder
