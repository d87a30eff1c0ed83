#include "sparsity/picture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bigdna::sparsity {
namespace {

TEST(Picture, BigBirdHasItsThreeParts) {
  PatternConfig config;
  config.random = 1;
  const Place place{.blocks = 8};
  const auto all = cells(config, place);
  const std::string drawn = text(all, 8);
  EXPECT_EQ(drawn.substr(0, 9), "GGGGGGGG\n");
  EXPECT_EQ(drawn.substr(7 * 9, 9), "GGGGGGGG\n");
  for (size_t query = 2; query < 6; ++query) {  // away from the global blocks
    const std::string row = drawn.substr(query * 9, 8);
    EXPECT_EQ(row.front(), 'G');
    EXPECT_EQ(row.back(), 'G');
    EXPECT_EQ(row[query], 'W');
    EXPECT_EQ(std::count(row.begin(), row.end(), 'R'), 1);
  }
}

TEST(Picture, EveryPatternShowsExactlyItsPairs) {
  for (const auto& row : patterns()) {
    PatternConfig config;
    config.name = row.name;
    for (const int64_t blocks : {1, 5, 16}) {
      const Place place{.layer = 1, .head = 1, .heads = 4, .blocks = blocks};
      const auto all = cells(config, place);
      const auto layout = make_layout(config, place);
      for (int64_t query = 0; query < blocks; ++query)
        for (int64_t key = 0; key < blocks; ++key) {
          const auto keys = layout.keys_of(query);
          EXPECT_EQ(std::find(keys.begin(), keys.end(), key) != keys.end(),
                    all[static_cast<size_t>(query * blocks + key)] != PictureCell::none)
              << row.name;
        }
      for (const PictureCell cell : all) {
        EXPECT_TRUE(cell != PictureCell::global || row.parts & kGlobalPart) << row.name;
        EXPECT_TRUE(cell != PictureCell::random || row.parts & kRandomPart) << row.name;
      }
    }
  }
}

TEST(Picture, FullAttentionIsOther) {
  PatternConfig config;
  config.name = "full";
  EXPECT_EQ(text(cells(config, {.blocks = 2}), 2), "xx\nxx\n");
}

}  // namespace
}  // namespace bigdna::sparsity
