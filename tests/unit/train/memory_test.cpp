#include "train/memory.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace bigdna::train {
namespace {

TEST(Memory, SeesWhatATensorTakes) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's allocator keeps no such statistics";
#endif
  at::ones({1});  // what LibTorch keeps from its first operation on
  const uint64_t before = memory_in_use(at::kCPU);
  const auto tensor = at::ones({1 << 20});
  EXPECT_NEAR(static_cast<double>(memory_in_use(at::kCPU) - before), 4 << 20, 1 << 16);
  EXPECT_GT(memory_available(at::kCPU), 1u << 20);
}

TEST(Memory, FittingExamples) {
  constexpr uint64_t kMega = 1000000;
  // 30 MB an example, 40 with backward, of 320
  EXPECT_EQ(fitting_examples(100 * kMega, 130 * kMega, 400 * kMega, 100, 4.0 / 3), 8);
  EXPECT_EQ(fitting_examples(100 * kMega, 130 * kMega, 400 * kMega, 100, 2), 5);
  EXPECT_EQ(fitting_examples(100 * kMega, 130 * kMega, 400 * kMega, 5, 4.0 / 3), 5);
  EXPECT_EQ(fitting_examples(100 * kMega, 130 * kMega, 10 * kMega, 5, 4.0 / 3), 1);  // one has to fit
}

}  // namespace
}  // namespace bigdna::train
