#include "profile/distance.h"

#include <gtest/gtest.h>

namespace bigdna::profile {
namespace {

TEST(Distance, IsThatOfSciPy) {
  const std::vector<float> one{1, 2, 3, 4}, other{4, 3, 2, 1};
  EXPECT_NEAR(profile_distance(one, other), 0.3918681606471551, 1e-12);  // scipy's jensenshannon(one, other, base=2)
  EXPECT_EQ(profile_distance(one, one), 0);
  EXPECT_EQ(profile_distance(std::vector<float>{1, 0}, std::vector<float>{0, 3}), 1);
}

TEST(Distance, ProfilesOfAnInsertionLoseItsBasesAndTheEnd) {
  // REF C, ALT CTT at base 2: bases 3 and 4 are ALT's alone
  std::vector<float> ref{0, 1, 2, 3, 4, 5, 6, 7}, alt{10, 11, 12, 13, 14, 15, 16, 17};
  align_profiles(ref, alt, 1, 2, 1, 3);
  EXPECT_EQ(ref, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(alt, (std::vector<float>{10, 11, 12, 15, 16, 17}));
}

TEST(Distance, ProfilesOfADeletionLoseItsBasesAndTheEndOnBothStrands) {
  std::vector<float> ref{0, 1, 2, 3, 4, 5, 6, 7}, alt{10, 11, 12, 13, 14, 15, 16, 17};
  align_profiles(ref, alt, 2, 1, 2, 1);
  EXPECT_EQ(ref, (std::vector<float>{0, 1, 3, 4, 5, 7}));
  EXPECT_EQ(alt, (std::vector<float>{10, 11, 12, 14, 15, 16}));
}

TEST(Distance, ProfilesOfASubstitutionStayAsTheyAre) {
  std::vector<float> ref{0, 1, 2}, alt{3, 4, 5};
  align_profiles(ref, alt, 1, 1, 1, 1);
  EXPECT_EQ(ref.size() + alt.size(), 6u);
}

}  // namespace
}  // namespace bigdna::profile
