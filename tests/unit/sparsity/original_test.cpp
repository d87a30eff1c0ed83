/// The released code's random blocks against tests/peers/original_blocks.py, which draws them with NumPy.
#include "sparsity/original.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support.h"

namespace bigdna::sparsity {
namespace {

TEST(OriginalRandomBlocks, EqualNumPysForSeeds0To11) {
  std::ifstream file(test::source_folder() + "/tests/unit/sparsity/original_blocks.tsv");
  std::string line;
  std::getline(file, line);  // the header
  int cases = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    uint64_t seed = 0, hash = 0;
    int64_t tokens = 0, block = 0;
    fields >> seed >> tokens >> block >> std::hex >> hash;
    ASSERT_TRUE(fields) << line;
    PatternConfig config;
    config.block = block;
    config.random_blocks = RandomBlocks::original;
    uint64_t value = 14695981039346656037u;
    auto add = [&](uint64_t number) { value = (value ^ number) * 1099511628211u; };
    const Place last{.layer = static_cast<int64_t>(seed), .head = 0, .heads = 12, .blocks = tokens / block};
    for (Place place = last; place.head < place.heads; ++place.head)
      for (const KeyList& row : original_random_blocks(config, place)) {
        add(row.size());
        for (const int32_t key : row) add(static_cast<uint64_t>(key));
      }
    EXPECT_EQ(value, hash) << line;
    ++cases;
  }
  EXPECT_EQ(cases, 12 * 6 * 3);
}

}  // namespace
}  // namespace bigdna::sparsity
