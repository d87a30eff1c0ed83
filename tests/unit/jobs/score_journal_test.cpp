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

}  // namespace
}  // namespace bigdna::jobs
