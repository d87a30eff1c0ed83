#include "prediction/fill.h"

#include <gtest/gtest.h>

namespace bigdna::prediction {
namespace {

TEST(RunsOfN, AreMaximal) {
  EXPECT_EQ(runs_of_n(""), std::vector<Stretch>());
  EXPECT_EQ(runs_of_n("ACGT"), std::vector<Stretch>());
  EXPECT_EQ(runs_of_n("NNN"), (std::vector<Stretch>{{0, 3}}));
  EXPECT_EQ(runs_of_n("NACNNNGTN"), (std::vector<Stretch>{{0, 1}, {3, 6}, {8, 9}}));
}

}  // namespace
}  // namespace bigdna::prediction
