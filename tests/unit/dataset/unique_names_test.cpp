#include "dataset/unique_names.h"

#include <gtest/gtest.h>

namespace bigdna::dataset {
namespace {

TEST(UniqueNames, NumbersFollowANameThatIsTaken) {
  UniqueNames names;
  EXPECT_EQ(names.take("a_3"), "a_3");
  for (const char* expected : {"a", "a_2", "a_4", "a_5"}) EXPECT_EQ(names.take("a"), expected);
  EXPECT_EQ(names.take("a_2"), "a_2_2");
  EXPECT_EQ(names.take("a_2"), "a_2_3");
}

TEST(UniqueNames, TakesNoLongerForRowsThatAreNamedAlike) {  // hours, if each began at NAME_2
  UniqueNames names;
  std::string last;
  for (int i = 0; i < 300'000; ++i) last = names.take("x");
  EXPECT_EQ(last, "x_300000");
}

}  // namespace
}  // namespace bigdna::dataset
