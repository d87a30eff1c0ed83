#include "jobs/journalled_stream.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "support.h"

namespace bigdna::jobs {
namespace {

using test::error_of, test::TempDir;

using Numbers = std::vector<int64_t>;

/// Squares the numbers from 0 up to `count`, three at a time, and records which chunks each stage was asked for.
struct Squares {
  int64_t count = 20, next = 0, fails_to_read = -1, fails_to_score = -1, fails_to_write = -1;
  size_t values_of_each = 1;
  Numbers read, read_recorded, written_numbers;
  std::vector<float> written;
  std::mutex mutex;
  std::set<int64_t> scored;  // the first number of each chunk

  void run(int threads, ScoreJournal* journal, int64_t first = 0) {
    next = 3 * first;
    log::Progress progress("squares");
    JournalledStream<Numbers>{
        .threads = threads,
        .journal = journal,
        .first = first,
        .read = [&](int64_t number, bool recorded) -> std::optional<Numbers> {
          if (number == fails_to_read) fail("cannot read");
          read.push_back(number);
          if (recorded) read_recorded.push_back(number);
          Numbers chunk;
          for (; std::ssize(chunk) < 3 && next < count; ++next) chunk.push_back(next);
          if (chunk.empty()) return std::nullopt;
          return chunk;
        },
        .size = [&](const Numbers& chunk) { return values_of_each * chunk.size(); },
        .score =
            [&](const Numbers& chunk) {
              std::this_thread::sleep_for(std::chrono::milliseconds(chunk[0] % 2 ? 5 : 0));  // the next one overtakes
              if (chunk[0] == fails_to_score) fail("cannot score");
              std::lock_guard lock(mutex);
              scored.insert(chunk[0]);
              return std::vector<float>(chunk.begin(), chunk.end());
            },
        .write =
            [&](const Numbers& chunk, const std::vector<float>& values) {
              if (chunk[0] == fails_to_write) fail("cannot write");
              written_numbers.insert(written_numbers.end(), chunk.begin(), chunk.end());
              for (const float value : values) written.push_back(value * value);
              return static_cast<uint64_t>(written.size());
            }}
        .run(progress);
  }
};

Numbers numbers(int64_t begin, int64_t end) {
  Numbers all;
  for (; begin < end; ++begin) all.push_back(begin);
  return all;
}

std::vector<float> squares(int64_t begin, int64_t end) {
  std::vector<float> all;
  for (; begin < end; ++begin) all.push_back(static_cast<float>(begin * begin));
  return all;
}

io::Job job() {
  io::Job job;
  job.set("--input", "squares");
  return job;
}

class JournalledStreams : public testing::TestWithParam<int> {
 protected:
  const int threads_ = GetParam();
  TempDir dir_;
  const std::string path_ = dir_ / "out.journal";
};

TEST_P(JournalledStreams, ReadsAndWritesInOrderAndScoresEachChunkOnce) {
  Squares all;
  all.run(threads_, nullptr);
  EXPECT_EQ(all.written_numbers, numbers(0, 20));
  EXPECT_EQ(all.written, squares(0, 20));
  EXPECT_EQ(all.scored.size(), 7u);
  EXPECT_TRUE(all.read_recorded.empty());
}

TEST_P(JournalledStreams, AnEmptyInputWritesNothing) {
  Squares none;
  none.count = 0;
  none.run(threads_, nullptr);
  EXPECT_TRUE(none.written.empty() && none.scored.empty());
}

TEST_P(JournalledStreams, ScoresOnlyWhatTheJournalLacks) {
  {
    ScoreJournal journal(path_, job());
    journal.append(1, std::vector<float>{30, 40, 50});  // not what score() would give
    journal.append(6, std::vector<float>{180, 190});
  }
  Squares all;
  ScoreJournal journal(path_, job());
  all.run(threads_, &journal);
  EXPECT_EQ(all.read_recorded, (Numbers{1, 6}));
  EXPECT_EQ(all.scored, (std::set<int64_t>{0, 6, 9, 12, 15}));
  auto expected = squares(0, 20);
  for (const int64_t i : {3, 4, 5, 18, 19}) expected[static_cast<size_t>(i)] *= 100;
  EXPECT_EQ(all.written, expected);
}

TEST_P(JournalledStreams, AJobThatFailedGoesOnWhereItWas) {
  {
    Squares failing;
    failing.fails_to_write = 12;  // the first number of chunk 4, which is journalled before it is written
    ScoreJournal journal(path_, job());
    EXPECT_EQ(error_of([&] { failing.run(threads_, &journal); }), "cannot write");
    EXPECT_EQ(failing.written, squares(0, 12));
  }
  Squares all;
  {
    ScoreJournal journal(path_, job());
    EXPECT_EQ(journal.recorded(), 5);
    all.run(threads_, &journal);
  }
  EXPECT_EQ(all.scored, (std::set<int64_t>{15, 18}));
  EXPECT_EQ(all.written, squares(0, 20));
  EXPECT_EQ(ScoreJournal(path_, job()).recorded(), 7);
}

TEST_P(JournalledStreams, ChunksOfAPartHaveTheNumbersOfTheWhole) {
  {
    Squares part;
    ScoreJournal journal(path_, job());
    part.run(threads_, &journal, 4);
    EXPECT_EQ(part.written, squares(12, 20));
  }
  ScoreJournal journal(path_, job());
  EXPECT_EQ(journal.scores_of(4), (std::vector<float>{12, 13, 14}));
  EXPECT_EQ(journal.scores_of(0), std::nullopt);
}

TEST_P(JournalledStreams, WhatAStageThrowsComesAfterTheChunksBefore) {
  for (int64_t Squares::*const stage : {&Squares::fails_to_read, &Squares::fails_to_score, &Squares::fails_to_write}) {
    Squares failing;
    failing.*stage = stage == &Squares::fails_to_read ? 3 : 9;  // a chunk's number; its first number
    const auto text = error_of([&] { failing.run(threads_, nullptr); });
    EXPECT_EQ(text.substr(0, 7), "cannot ");
    EXPECT_EQ(failing.written, squares(0, 9)) << text;
  }
}

TEST_P(JournalledStreams, AnotherNumberOfValuesIsADamagedJournal) {
  {
    Squares all;
    ScoreJournal journal(path_, job());
    all.run(threads_, &journal);
  }
  Squares other;
  other.values_of_each = 2;
  ScoreJournal journal(path_, job());
  EXPECT_NE(error_of([&] { other.run(threads_, &journal); }).find("is not the journal of this job"), std::string::npos);
  EXPECT_TRUE(other.written.empty());
}

INSTANTIATE_TEST_SUITE_P(Threads, JournalledStreams, testing::Values(1, 2, 5));

}  // namespace
}  // namespace bigdna::jobs
