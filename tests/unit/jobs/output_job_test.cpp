#include "jobs/output_job.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/shard.h"
#include "io/output.h"
#include "io/output_record.h"
#include "support.h"

namespace bigdna::jobs {
namespace {

using test::error_of;
using test::TempDir;

/// Sets the job of this process, as apps/ does, and takes it back.
class ProcessJob {
 public:
  explicit ProcessJob(int stride) {
    io::Job job;
    job.set("--stride", stride);
    io::set_job(job, "");
  }
  ~ProcessJob() { io::set_job({}, ""); }
};

/// The job of a command with the option --stride that writes these outputs.
bool is_finished(int stride, const std::vector<std::string>& outputs) {
  const ProcessJob job(stride);
  return OutputJob(true, outputs, outputs, nullptr).is_finished({});
}

/// Writes them.
void run(bool resume, int stride, const std::vector<std::string>& outputs) {
  const ProcessJob process(stride);
  OutputJob job(resume, outputs, outputs, nullptr);
  EXPECT_EQ(job.open_journal("rows", 32) != nullptr, resume);
  for (const auto& output : outputs) io::write_file(output, "");
  job.finish();
}

TEST(OutputJob, ACompleteOutputIsOfTheSameJobOrAnError) {
  TempDir dir;
  const std::string table = dir / "out.tsv", calls = dir / "out.bed";
  EXPECT_FALSE(is_finished(5, {table}));
  run(true, 5, {table});
  EXPECT_EQ(dir.entries(), 2u);  // with its record
  EXPECT_TRUE(is_finished(5, {table}));
  EXPECT_NE(error_of([&] { is_finished(6, {table}); }).find("out.tsv: was made with --stride 5, not 6"),
            std::string::npos);
  // other outputs are still missing, whether they are named before or after it
  EXPECT_FALSE(is_finished(5, {table, calls}));
  EXPECT_FALSE(is_finished(5, {calls, table}));
  for (const auto& outputs : {std::vector{table, calls}, {calls, table}})
    EXPECT_NE(error_of([&] { is_finished(6, outputs); }).find("out.tsv: was made with --stride 5, not 6"),
              std::string::npos);
  std::filesystem::remove(table + ".options.json");
  for (const auto& outputs : {std::vector{table}, {table, calls}, {calls, table}})
    EXPECT_NE(error_of([&] { is_finished(5, outputs); }).find("records its options"), std::string::npos);
}

TEST(OutputJob, AnOutputIsCompleteOnlyAsTheJobWroteIt) {
  TempDir dir;
  const std::string table = dir / "out.tsv", calls = dir / "out.bed";
  run(true, 5, {table});
  io::write_file(calls, "of somebody else");
  EXPECT_NE(error_of([&] {
              is_finished(5, {table, calls});
            }).find("out.bed: exists, but is not what the job of"),
            std::string::npos);
  std::filesystem::remove(calls);
  run(true, 5, {table, calls});
  EXPECT_TRUE(is_finished(5, {table, calls}));
  EXPECT_EQ(dir.entries(), 3u);  // one record
  io::write_file(calls, "edited");
  EXPECT_NE(error_of([&] { is_finished(5, {table, calls}); }), "");
  EXPECT_TRUE(is_finished(5, {table}));
}

TEST(OutputJob, APartOfAJobIsRecordedBesideEachOutputThatTheCommandLineNames) {
  TempDir dir;
  const std::string table = dir / "out.tsv", tracks = dir / "tracks";
  io::Job job;
  job.set(kShardOption, "2/3");
  io::set_job(job, "");
  OutputJob part(false, {table, tracks + "/a.bw"}, {table, tracks, ""}, nullptr);
  io::write_file(table, "1");
  std::filesystem::create_directory(tracks);
  io::write_file(tracks + "/a.bw", "2");
  part.finish();
  io::set_job({}, "");
  EXPECT_EQ(dir.entries(), 4u);
  for (const auto& name : {table, tracks}) {
    const auto record = io::Job::load(io::record_of(name));
    EXPECT_EQ(record.values().at(kShardOption), "2/3");
    EXPECT_TRUE(io::is_recorded(record, table));
    EXPECT_TRUE(io::is_recorded(record, tracks + "/a.bw"));
  }
}

TEST(OutputJob, ThatIsResumedWritesFiles) {
  EXPECT_NE(error_of([] { is_finished(5, {"/dev/null"}); }).find("--resume needs outputs that are regular files"),
            std::string::npos);
}

TEST(OutputJob, ARecordGoesWhenItsOutputIsReplaced) {
  TempDir dir;
  const std::string table = dir / "out.tsv";
  run(true, 5, {table});
  {
    const ProcessJob process(6);
    const OutputJob fails_early(false, {table}, {table}, nullptr);
  }
  EXPECT_TRUE(is_finished(5, {table}));
  run(false, 6, {table});
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputJob, FindsTheJournalOfAnyOutput) {
  TempDir dir;
  const std::string table = dir / "out.tsv", calls = dir / "out.bed";
  const ProcessJob process(5);
  OutputJob(true, {calls}, {calls}, nullptr).open_journal("rows", 32)->append(0, std::vector<float>{1});
  io::write_file(dir / "out.tsv.999999999.partial", "of a process that cannot exist");
  OutputJob job(true, {table, calls}, {table, calls}, nullptr);
  EXPECT_FALSE(job.is_finished({}));
  EXPECT_EQ(job.open_journal("rows", 32)->recorded(), 1);
  EXPECT_EQ(dir.entries(), 1u);  // the journal
}

TEST(OutputJob, AJournalDoesNotGiveAwayACompleteOutputOfAnotherJob) {
  TempDir dir;
  const std::string table = dir / "out.tsv", calls = dir / "out.bed";
  run(true, 6, {table});
  {
    const ProcessJob process(5);
    OutputJob(true, {calls}, {calls}, nullptr).open_journal("rows", 32);
  }
  EXPECT_NE(error_of([&] {
              is_finished(5, {table, calls});
            }).find("out.tsv: was made with --stride 6, not 5"),
            std::string::npos);
  io::write_file(calls, "");  // killed before the record was written
  EXPECT_FALSE(is_finished(5, {calls}));
}

}  // namespace
}  // namespace bigdna::jobs
