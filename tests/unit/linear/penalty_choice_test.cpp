#include "linear/penalty_choice.h"

#include <gtest/gtest.h>

namespace bigdna::linear {
namespace {

TEST(PenaltyChoice, AFoldHasNoPartInItsOwnChoice) {
  PenaltyChoice choice(3);
  EXPECT_TRUE(choice.add(std::vector<double>{4, 4, 4}));
  for (const int64_t fold : {0, 1, 2}) EXPECT_TRUE(choice.is_best_without(fold));
  EXPECT_EQ(choice.since_best(), 0);

  // better for fold 0 alone, by whose rows the others may be predicted, but not itself
  EXPECT_TRUE(choice.add(std::vector<double>{1, 4.5, 4.5}));
  EXPECT_FALSE(choice.is_best_without(0));
  EXPECT_TRUE(choice.is_best_without(1));
  EXPECT_TRUE(choice.is_best_without(2));

  // no better in all, but better without fold 1
  EXPECT_FALSE(choice.add(std::vector<double>{1, 6, 4}));
  EXPECT_FALSE(choice.is_best_without(0));
  EXPECT_TRUE(choice.is_best_without(1));
  EXPECT_FALSE(choice.is_best_without(2));
  EXPECT_EQ(choice.since_best(), 1);
  EXPECT_FALSE(choice.add(std::vector<double>{9, 9, 9}));
  EXPECT_EQ(choice.since_best(), 2);
}

TEST(PenaltyChoice, OfEqualOnesTheFirstCounts) {
  PenaltyChoice choice(1);
  EXPECT_TRUE(choice.add(std::vector<double>{0}));
  EXPECT_FALSE(choice.add(std::vector<double>{0}));
  EXPECT_FALSE(choice.is_best_without(0));
}

}  // namespace
}  // namespace bigdna::linear
