#include "base/counted.h"

#include <gtest/gtest.h>

#include <vector>

namespace bigdna {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(std::vector<int>(1).size(), "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(2u, "entry", "entries"), "2 entries");
  EXPECT_EQ(counted(int64_t{1}, "interval is", "intervals are"), "1 interval is");
}

}  // namespace
}  // namespace bigdna
