#include "base/trial.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>

namespace bigdna {
namespace {

TEST(Trial, ReturnsWhatBecameOfTheChild) {
  EXPECT_EQ(try_in_child([] {}, 10), Trial::passed);
  EXPECT_EQ(try_in_child([] { std::abort(); }, 10), Trial::crashed);
  EXPECT_EQ(try_in_child([] { _Exit(1); }, 10), Trial::crashed);
}

TEST(Trial, EndsWhatDoesNotEnd) {
  EXPECT_EQ(try_in_child(
                [] {
                  while (getppid() > 0) continue;
                },
                1),
            Trial::too_slow);
}

TEST(Trial, ChangesNothingHere) {
  int number = 1;
  EXPECT_EQ(try_in_child([&] { number = 2; }, 10), Trial::passed);
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace bigdna
