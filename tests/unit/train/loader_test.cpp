#include "train/loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/rng.h"
#include "no_more_threads.h"

namespace bigdna::train {
namespace {

std::vector<corpus::Example> numbered(int64_t batch) {
  std::this_thread::sleep_for(std::chrono::microseconds(Rng(7, static_cast<uint64_t>(batch)).below(300)));
  corpus::Example example;
  example.index = batch;
  return {example};
}

TEST(Loader, GivesBatchesInOrderWithAnyNumberOfWorkers) {
  for (const int workers : {0, 1, 3, 8}) {
    Loader loader(numbered, 5, workers);
    for (int64_t i = 5; i < 205; ++i) ASSERT_EQ(loader.next().at(0).index, i) << workers << " workers";
  }
}

TEST(Loader, RunsAheadNoFurtherThanItsQueue) {
  std::atomic<int64_t> made = 0;
  Loader loader([&](int64_t batch) { return ++made, numbered(batch); }, 0, 2, 6);
  for (int64_t i = 0; i < 50; ++i) {
    loader.next();
    EXPECT_LE(made.load(), i + 1 + 6);
  }
  for (int wait = 0; made < 56 && wait < 10'000; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(made.load(), 56);  // there before they are asked for
}

TEST(Loader, AnErrorComesWithItsBatch) {
  for (const int workers : {0, 4}) {
    Loader loader(
        [](int64_t batch) {
          if (batch == 3) fail("batch 3 is broken");
          return numbered(batch);
        },
        0, workers);
    for (int i = 0; i < 3; ++i) loader.next();
    EXPECT_THROW(loader.next(), Error);
    EXPECT_EQ(loader.next().at(0).index, 4);
  }
}

TEST(Loader, MakesTheBatchesItselfWhereNoThreadCanBeStarted) {
  const test::NoMoreThreads limit;
  Loader loader(numbered, 0, 3);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(loader.next().at(0).index, i);
}

TEST(Loader, MayBeLeftAtAnyTime) {
  for (int i = 0; i < 20; ++i) {
    Loader loader(numbered, 0, 3);
    for (int j = 0; j < i % 4; ++j) loader.next();
  }
}

}  // namespace
}  // namespace bigdna::train
