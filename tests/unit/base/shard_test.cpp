#include "base/shard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/even_chunk.h"

namespace bigdna {
namespace {

TEST(Shard, PartsAreWholeChunksAndCoverAll) {
  constexpr int64_t kChunk = 32;
  for (const int64_t rows : {0, 1, 31, 32, 33, 1000, 4096})
    for (const int64_t count : {1, 2, 3, 7, 50}) {
      int64_t at = 0;
      for (int64_t index = 1; index <= count; ++index) {
        const auto [first, last] = Shard{index, count}.of(rows, kChunk);
        EXPECT_EQ(first, at);
        EXPECT_TRUE(first % kChunk == 0 || first == rows);
        at = last;
      }
      EXPECT_EQ(at, rows);
    }
}

TEST(Shard, PartsOfSmallJobsAreEven) {
  for (const int64_t chunk : {8, 32, 512})
    for (const int64_t rows : {20, 100, 1000, 1003, 4096, 300'000})
      for (const int64_t count : {1, 2, 3, 7, 50}) {
        const int64_t even = even_chunk({1, count}, rows, chunk);
        EXPECT_LE(even, chunk);
        int64_t shortest = rows, longest = 0;
        for (int64_t index = 1; index <= count; ++index) {
          const auto [first, last] = Shard{index, count}.of(rows, even);
          shortest = std::min(shortest, last - first);
          longest = std::max(longest, last - first);
        }
        if (rows < 10 * count) {
          EXPECT_LE(longest - shortest, 1);
        } else {
          EXPECT_LE(static_cast<double>(longest), 1.1 * static_cast<double>(shortest) + 1);
        }
        if (rows >= 11 * count * chunk) {
          EXPECT_EQ(even, chunk);
        }
      }
}

TEST(Shard, IsWrittenAsItIsRead) {
  for (const char* text : {"1/1", "2/8", "8/8"}) EXPECT_EQ(to_string(*parse_shard(text)), text);
  for (const char* text : {"", "1", "0/1", "2/1", "1/2x", "/2", "1/", "-1/2", "1/0"})
    EXPECT_FALSE(parse_shard(text)) << text;
  EXPECT_EQ(to_string(Shard{}), "");
  EXPECT_TRUE((Shard{1, 1}.whole()));
  EXPECT_EQ(Shard{}.of(100, 32), (std::pair<int64_t, int64_t>{0, 100}));
}

}  // namespace
}  // namespace bigdna
