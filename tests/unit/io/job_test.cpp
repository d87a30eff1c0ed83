#include "io/job.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "io/folder.h"
#include "io/identity.h"
#include "io/manifest.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::io {
namespace {

using test::error_of, test::TempDir;

Job job_of(int stride, const std::string& genome) {
  Job job;
  job.set("--genome", identity_of(genome));
  job.set("--stride", stride);
  job.set("--precision", "auto");
  job.must_resolve("--precision");
  job.resolve("--precision", "fp32");
  return job;
}

TEST(Job, NamesTheFirstOptionThatDiffers) {
  TempDir dir;
  const std::string genome = dir / "g.fa", other = dir / "other.fa";
  write_file(genome, ">a\nACGT\n");
  write_file(other, ">a\nACGTA\n");
  const Job job = job_of(5, genome);
  job.save(dir / "job.json");
  const Job saved = Job::load(dir / "job.json");
  EXPECT_NO_THROW(job.require_same(saved, "out", "remedy"));
  EXPECT_EQ(error_of([&] { job_of(6, genome).require_same(saved, "out", "remedy"); }),
            "out: was made with --stride 5, not 6 (remedy)");
  EXPECT_NE(error_of([&] { job_of(6, other).require_same(saved, "out", "remedy"); }).find("was made with --genome"),
            std::string::npos);
  std::filesystem::rename(genome, dir / "moved.fa");  // another name for the same bases
  EXPECT_NO_THROW(job_of(5, dir / "moved.fa").require_same(saved, "out", "remedy"));
  EXPECT_EQ(error_of([&] { job_of(5, genome).require_same(saved, "out", "remedy"); }),
            concat("out: was made with --genome ", genome, ", which is gone and cannot be compared (remedy)"));
  std::filesystem::rename(other, genome);
  EXPECT_NE(
      error_of([&] { job_of(5, genome).require_same(saved, "out", "remedy"); }).find("an earlier version of --genome"),
      std::string::npos);
}

TEST(Job, AnotherJobIsReplacedWhereThatIsAskedFor) {
  Job earlier, job;
  earlier.set("--stride", 5);
  job.set("--stride", 6);
  EXPECT_EQ(error_of([&] { job.continues(earlier, "out", "remedy"); }),
            "out: was made with --stride 5, not 6 (remedy)");
  EXPECT_EQ(error_of([&] { job.refuse("out: is edited", "remedy"); }), "out: is edited (remedy)");
  job.replace_others();
  EXPECT_FALSE(job.continues(earlier, "out", "remedy"));
  EXPECT_TRUE(job.continues(job, "out", "remedy"));
  EXPECT_NO_THROW(job.refuse("out: is edited", "remedy"));
  Job of_journal;  // as ScoreJournal makes its own
  of_journal.add(job.without_output_options());
  EXPECT_FALSE(of_journal.continues(earlier, "out", "remedy"));
}

TEST(Job, AnotherJobsFolderIsEmptied) {
  TempDir dir;
  const std::string folder = dir / "run";
  const auto begin = [&](int stride, bool replace) {
    Job job;
    job.set("--stride", stride);
    if (replace) job.replace_others();
    set_job(job, folder);
    prepare_output_folder({folder, "run", Existing::resume});
    const bool kept = std::filesystem::exists(folder + "/metrics.tsv");
    write_file(folder + "/metrics.tsv", "");
    set_job({}, "");
    return kept;
  };
  EXPECT_FALSE(begin(5, false));
  EXPECT_TRUE(begin(5, true));
  EXPECT_NE(error_of([&] { begin(6, false); }), "");
  set_job({}, "");
  EXPECT_FALSE(begin(6, true));
  EXPECT_TRUE(begin(6, false));
  EXPECT_EQ(Job::load(folder + "/options.json").values()["--stride"], 6);
}

TEST(Job, WhatIsOnlyRecordedIsNotComparedAndItsLastValueIsKept) {
  TempDir dir;
  const std::string folder = dir / "out";
  const auto begin = [&](std::optional<int> every) {
    Job job = job_of(5, "");
    if (every) {
      job.set("--checkpoint-every", *every);
      job.only_record("--checkpoint-every");
    }
    set_job(job, folder);
    prepare_output_folder({folder, "run", Existing::resume});
    set_job({}, "");
    return Job::load(folder + "/options.json").values();
  };
  begin(std::nullopt);                               // as an earlier version, which did not record it
  std::filesystem::remove(folder + "/.unfinished");  // so that the record alone says whose folder it is
  EXPECT_EQ(begin(7)["--checkpoint-every"], 7);
  EXPECT_EQ(begin(8)["--checkpoint-every"], 8);
  EXPECT_EQ(begin(8)["--stride"], 5);
}

TEST(Job, AutoIsWhatItStandsForHere) {
  Job job;
  job.set("--precision", "auto");
  job.must_resolve("--precision");
  EXPECT_NE(error_of([&] { job.dump(); }).find("has not been resolved"), std::string::npos);
  Job elsewhere = job, asked;
  job.resolve("--precision", "bf16");
  EXPECT_EQ(job.values()["--precision"], "bf16");
  elsewhere.resolve("--precision", "fp32");
  EXPECT_EQ(error_of([&] { elsewhere.require_same(job, "out", "remedy"); }),
            "out: was made with --precision bf16, and auto is fp32 on this machine: give --precision bf16 (or remedy)");
  asked.set("--precision", "bf16");
  asked.resolve("--precision", "fp32");  // what is asked for stays
  EXPECT_NO_THROW(asked.require_same(job, "out", "remedy"));
}

TEST(Job, ALargeInputIsTheSameWhileItsContentIs) {
  TempDir dir;
  const std::string genome = dir / "g.fa", copy = dir / "copy.fa";
  std::string bases(5 << 20, 'A');
  write_file(genome, bases);
  const Job saved = job_of(5, genome);
  const auto touch = [](const std::string& path, int64_t seconds) {
    std::filesystem::last_write_time(
        path, std::chrono::file_clock::from_sys(std::chrono::sys_seconds(std::chrono::seconds(seconds))));
  };
  touch(genome, 1'000'000'000);
  EXPECT_NO_THROW(job_of(5, genome).require_same(saved, "out", "remedy"));
  write_file(copy, bases);
  EXPECT_NO_THROW(job_of(5, copy).require_same(saved, "out", "remedy"));
  const size_t part_51 = (bases.size() - (16 << 10)) / 5;  // of 256
  for (const size_t changed : {size_t{0}, part_51 + 100, bases.size() - 1}) {
    auto other = bases;
    other[changed] = 'C';
    write_file(genome, other);
    EXPECT_NE(error_of([&] { job_of(5, genome).require_same(saved, "out", "remedy"); }).find("an earlier version of"),
              std::string::npos);
  }
  write_file(genome, bases + "A");
  EXPECT_NE(error_of([&] { job_of(5, genome).require_same(saved, "out", "remedy"); }), "");
}

TEST(Job, AFolderOfAnotherJobIsNotResumed) {
  TempDir dir;
  const std::string folder = dir / "out";
  set_job(job_of(5, ""), folder);
  const auto build = [&] {
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.save(folder + "/dataset.json");
  };
  build_output_folder({folder, "dataset"}, build);
  EXPECT_TRUE(std::filesystem::exists(folder + "/options.json"));
  bool built = false;
  build_output_folder({folder, "dataset", Existing::resume}, [&] { built = true; });
  EXPECT_FALSE(built);
  set_job(job_of(6, ""), folder);
  EXPECT_NE(error_of([&] {
              build_output_folder({folder, "dataset", Existing::resume}, [&] { built = true; });
            }).find("was made with --stride 5, not 6"),
            std::string::npos);
  EXPECT_FALSE(built);
  build_output_folder({folder, "dataset", Existing::replace}, build);
  EXPECT_EQ(Job::load(folder + "/options.json").values()["--stride"], 6);
  set_job({}, "");
}

TEST(Job, ARecordWhoseFilesHaveNoNamesIsDamaged) {
  for (const char* files : {R"([{"naame": "a"}])", R"([{"name": 1}])", R"("a")", "[1]", R"({"name": "a"})"})
    for (const std::string begin : {R"({"model": )", R"({"--ensemble": [)"}) {
      const auto text = begin + R"({"path": "m", "files": )" + files + "}" + (begin.back() == '[' ? "]}" : "}");
      EXPECT_EQ(error_of([&] { Job::parse(text, "r.json"); }),
                "r.json: is damaged: it lists a file of m without a name");
    }
}

}  // namespace
}  // namespace bigdna::io
