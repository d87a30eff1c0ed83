#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include "base/error.h"
#include "no_more_threads.h"
#include "support.h"

namespace bigdna {
namespace {

TEST(AvailableThreads, IsPositiveAndSlurmLimitsIt) {
  EXPECT_GE(available_threads(), 1);
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  EXPECT_EQ(available_threads(), 1);
  unsetenv("SLURM_CPUS_PER_TASK");
}

TEST(ParallelFor, CallsEachOnce) {
  for (const int threads : {0, 1, 2, 8}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(1000, threads, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
  parallel_for(0, 4, [](int64_t) { FAIL(); });
}

TEST(ParallelFor, RethrowsAndStops) {
  for (const int threads : {1, 2, 8}) {
    std::atomic<int> calls{0};
    const auto body = [&](int64_t i) {
      ++calls;
      if (i == 3) throw std::runtime_error("three");
    };
    EXPECT_EQ(test::error_of([&] { parallel_for(1'000'000, threads, body); }), "three");
    EXPECT_LT(calls, 1'000'000);
  }
}

/// Every third item takes longer, so that results are ready out of order.
int slow_square(int value) {
  if (value % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  return value * value;
}

TEST(StartThreads, EverythingGoesOnWithThoseThatThereAre) {
  EXPECT_EQ(startable_threads(3), 3);
  const test::NoMoreThreads limit;
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  EXPECT_EQ(startable_threads(3), 1);
  std::vector<int> calls(100);
  parallel_for(100, 8, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
  EXPECT_EQ(calls, std::vector<int>(100, 1));
  int next = 0;
  std::vector<int> results;
  ordered_pipeline(
      8, [&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
      [](int value) { return 2 * value; }, [&](int result) { results.push_back(result); });
  ASSERT_EQ(results.size(), 100u);
  EXPECT_EQ(results.back(), 198);
}

class OrderedPipeline : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, OrderedPipeline, testing::Values(1, 2, 8));

TEST_P(OrderedPipeline, KeepsTheOrder) {
  for (const int items : {0, 1, 2, 500}) {
    int next = 0;
    std::vector<int> results;
    ordered_pipeline(
        GetParam(), [&]() -> std::optional<int> { return next < items ? std::optional(next++) : std::nullopt; },
        slow_square, [&](int result) { results.push_back(result); });
    ASSERT_EQ(results.size(), static_cast<size_t>(items));
    for (int i = 0; i < items; ++i) EXPECT_EQ(results[static_cast<size_t>(i)], i * i);
  }
}

TEST_P(OrderedPipeline, RunsAheadOfASlowConsumerByABoundedNumber) {
  const int threads = GetParam();
  int next = 0, consumed = 0, most = 0;
  std::mutex mutex;
  ordered_pipeline(
      threads,
      [&]() -> std::optional<int> {
        std::lock_guard lock(mutex);
        most = std::max(most, next - consumed);
        return next < 300 ? std::optional(next++) : std::nullopt;
      },
      [](int value) { return value; },
      [&](int) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        std::lock_guard lock(mutex);
        ++consumed;
      });
  EXPECT_EQ(consumed, 300);
  EXPECT_LE(most, 4 * threads + 2);
}

/// The same items are consumed before the error, and the same error comes, for any number of threads.
TEST_P(OrderedPipeline, ErrorsComeInOrder) {
  for (const std::string failing : {"produce", "work", "consume"}) {
    int next = 0, consumed = 0;
    const auto run = [&] {
      ordered_pipeline(
          GetParam(),
          [&]() -> std::optional<int> {
            if (failing == "produce" && next == 100) throw std::runtime_error("produce 100");
            return next++;
          },
          [&](int value) {
            if (failing == "work" && value >= 100) throw std::runtime_error(concat("work ", value));
            return slow_square(value), value;
          },
          [&](int value) {
            EXPECT_EQ(value, consumed);
            if (failing == "consume" && value == 100) throw std::runtime_error("consume 100");
            ++consumed;
          });
    };
    EXPECT_EQ(test::error_of(run), failing + " 100");
    EXPECT_EQ(consumed, 100);
  }
}

TEST_P(OrderedPipeline, MovesItemsAndResults) {
  int next = 0, sum = 0;
  ordered_pipeline(
      GetParam(),
      [&]() -> std::optional<std::unique_ptr<int>> {
        if (next == 50) return std::nullopt;
        return std::make_unique<int>(next++);
      },
      [](std::unique_ptr<int>&& item) { return std::make_unique<int>(2 * *item); },
      [&](std::unique_ptr<int>&& result) { sum += *result; });
  EXPECT_EQ(sum, 50 * 49);
}

TEST(OrderedPipelineStress, ManyShortRunsEnd) {
  for (int round = 0; round < 300; ++round) {
    int next = 0, consumed = 0;
    const auto run = [&] {
      ordered_pipeline(
          4, [&]() -> std::optional<int> { return next < 20 ? std::optional(next++) : std::nullopt; },
          [](int value) { return value; },
          [&](int) {
            if (++consumed == round % 25) throw std::runtime_error("enough");
          });
    };
    const int stop_at = round % 25;
    EXPECT_EQ(test::error_of(run), stop_at > 0 && stop_at <= 20 ? "enough" : "");
  }
}

TEST(BoundedQueue, DrainsAfterClose) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  queue.close();
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

}  // namespace
}  // namespace bigdna
