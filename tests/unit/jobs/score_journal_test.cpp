#include "jobs/score_journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/output.h"
#include "support.h"

namespace bigdna::jobs {
namespace {

using test::error_of, test::TempDir;

io::Job long_job() {
  io::Job job;
  job.set("--features", std::string(20'000, 'x'));
  return job;
}

TEST(ScoreJournal, ATornFirstLineIsAnEmptyJournal) {
  TempDir dir;
  const std::string path = dir / "out.journal";
  { ScoreJournal(path, long_job()).append(0, std::vector<float>{1, 2}); }
  const std::string whole = io::read_file(path);
  EXPECT_EQ(ScoreJournal(path, long_job()).recorded(), 1);
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{16}, size_t{17}, size_t{4096}}) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, bytes);
    EXPECT_EQ(ScoreJournal(path, long_job()).recorded(), 0) << bytes;
    EXPECT_EQ(io::read_file(path), whole.substr(0, whole.find('\n') + 1)) << bytes;
  }
  std::ofstream(path, std::ios::binary) << whole.substr(0, 40) << std::string(100, '\0');  // after a power cut
  EXPECT_EQ(ScoreJournal(path, long_job()).recorded(), 0);
}

TEST(ScoreJournal, AnythingElseIsLeftAlone) {
  TempDir dir;
  const std::string path = dir / "out.journal", other = dir / "mine.txt";
  for (const std::string text : {"Dear diary", "{\"models\": 1}\n"}) {
    io::write_file(path, text);
    EXPECT_NE(error_of([&] { ScoreJournal(path, long_job()); }).find("is not a journal"), std::string::npos);
    EXPECT_EQ(io::read_file(path), text);
  }
  std::filesystem::remove(path);
  io::write_file(other, "");
  std::filesystem::create_symlink(other, path);
  EXPECT_NE(error_of([&] { ScoreJournal(path, long_job()); }).find("is a link"), std::string::npos);
}

TEST(ScoreJournal, ADamagedCountTakesNoMemory) {
  TempDir dir;
  const std::string path = dir / "out.journal";
  { ScoreJournal journal(path, long_job()); }
  std::ofstream(path, std::ios::binary | std::ios::app) << std::string(8, '\0') << "\xff\xff\xff\xff"
                                                        << "1234";
  EXPECT_EQ(ScoreJournal(path, long_job()).recorded(), 0);
}

io::Job job_of(int stride) {
  io::Job job;
  job.set("--stride", stride);
  return job;
}

TEST(ScoreJournal, GivesBackWholeChunksOfTheSameJobOnly) {
  TempDir dir;
  const std::string path = dir / "j";
  {
    ScoreJournal journal(path, job_of(5));
    EXPECT_FALSE(journal.scores_of(7));
    journal.append(7, std::vector<float>{1, 2});
    journal.append(8, std::vector<float>{3});
  }
  const auto whole = std::filesystem::file_size(path);
  for (uintmax_t cut = 0; cut < 12; ++cut) {
    std::filesystem::resize_file(path, whole - cut);
    ScoreJournal journal(path, job_of(5));
    EXPECT_EQ(journal.recorded(), cut == 0 ? 2 : 1);
    EXPECT_FALSE(journal.scores_of(0));  // of a run that begins before this journal's
    EXPECT_EQ(journal.scores_of(8), cut ? std::nullopt : std::optional(std::vector<float>{3}));
    EXPECT_EQ(journal.scores_of(7), (std::vector<float>{1, 2}));
    if (cut) journal.append(8, std::vector<float>{3});
    EXPECT_EQ(std::filesystem::file_size(path), whole);
  }
  EXPECT_NE(error_of([&] { ScoreJournal journal(path, job_of(6)); }).find("was made with --stride 5, not 6"),
            std::string::npos);
  ScoreJournal journal(path, job_of(5));
  EXPECT_NE(error_of([&] { ScoreJournal second(path, job_of(5)); }).find("another process is writing to it"),
            std::string::npos);
  journal.remove();
  EXPECT_EQ(dir.entries(), 0u);
}

}  // namespace
}  // namespace bigdna::jobs
