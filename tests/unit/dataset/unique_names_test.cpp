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

TEST(UniqueNames, ARowKeepsItsNameWhateverIsBeforeIt) {
  UniqueNames names("/");
  for (const char* name : {"x", "x", "x_2", "a b", "a_b", "c d", "e/f", "x_3_"}) names.reserve(name);
  testing::internal::CaptureStderr();
  names.warn("row");
  for (const auto& [name, expected] : std::vector<std::pair<const char*, const char*>>{
           {"x", "x"}, {"x", "x_3"}, {"x_2", "x_2"}, {"a b", "a_b_2"}, {"a_b", "a_b"}, {"c d", "c_d"}, {"e/f", "e_f"}})
    EXPECT_EQ(names.take(name), expected);
  names.warn("row");
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "warning: 4 rows have another name than in the input, because names are unique and without blanks here "
                "(the first: x_3, which was 'x')"),
            std::string::npos);
}

TEST(UniqueNames, TakesNoLongerForRowsThatAreNamedAlike) {  // hours, if each began at NAME_2
  UniqueNames names;
  std::string last;
  for (int i = 0; i < 300'000; ++i) last = names.take("x");
  EXPECT_EQ(last, "x_300000");
}

}  // namespace
}  // namespace bigdna::dataset
