#include "session/length_batches.h"

#include <gtest/gtest.h>

namespace bigdna::session {
namespace {

using Batches = std::vector<std::vector<size_t>>;

TEST(LengthBatches, LongestFirstSimilarLengthsTogether) {
  model_folder::ModelConfig config;
  config.pattern.block = 10;
  // blocks: 10, 9, 8, 10, 1
  EXPECT_EQ(length_batches({95, 90, 80, 100, 1}, config, 1000), (Batches{{3, 0, 1}, {2}, {4}}));
  EXPECT_EQ(length_batches({95, 90, 80, 100, 1}, config, 200), (Batches{{3, 0}, {1, 2}, {4}}));  // 8 of 9 blocks
  EXPECT_EQ(length_batches({95, 90, 80, 100, 1}, config, 1), (Batches{{3}, {0}, {1}, {2}, {4}}));
  EXPECT_TRUE(length_batches({}, config, 1000).empty());
}

TEST(LengthBatches, HuggingfaceModeKeepsEachToItsBlocks) {
  model_folder::ModelConfig config;
  config.pattern.block = 10;
  config.pattern.random_blocks = sparsity::RandomBlocks::huggingface;
  EXPECT_EQ(length_batches({95, 90, 80, 100, 81}, config, 1000), (Batches{{3, 0}, {1, 4}, {2}}));
}

}  // namespace
}  // namespace bigdna::session
