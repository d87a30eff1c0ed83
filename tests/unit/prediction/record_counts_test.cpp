#include "prediction/record_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/output.h"
#include "support.h"

namespace bigdna::prediction {
namespace {

using test::error_of;
using test::TempDir;

class RecordCountsTest : public testing::Test {
 protected:
  RecordCountsTest() {
    input.fasta = folder_ / "r.fa";
    std::ofstream(input.fasta) << ">empty\n>long\n"
                               << std::string(25, 'A') << "\n>short\nACG\n>n\n"
                               << std::string(10, 'N') << "\n>last\n";
  }
  /// Every interval that has bases gets a score; those whose number is not below `in_shard` are of another shard.
  void read_all(RecordCounts& counts, int64_t in_shard = 100) {
    IntervalStream stream(input, tiling_, {});
    counts.open(stream);
    for (int64_t number = 0; auto interval = stream.next(true); ++number)
      counts.write(*interval, std::vector<float>{interval->bases.empty() ? NAN : 0.5F}, number < in_shard);
    counts.commit();
  }
  TempDir folder_;
  IntervalInput input;
  PromoterTiling tiling_{6, 4, 5, 0.5};
};

TEST_F(RecordCountsTest, SaysHowManyThereAreAndWhatWasSkipped) {
  const std::string path = folder_ / "counts.json";
  RecordCounts counts("predict-promoter", path, false, {10, 4});
  EXPECT_EQ(counts.files(), std::vector<std::string>{path});
  read_all(counts);
  auto json = nlohmann::ordered_json::parse(io::read_file(path));
  for (const char* key : {"bigdna_version", "bigdna_command"}) EXPECT_EQ(json.erase(key), 1u) << key;
  EXPECT_EQ(json, nlohmann::ordered_json::parse(R"({"command": "predict-promoter", "records": 5, "intervals": 6,
      "scored": 5, "skipped": {"no_bases": 2, "too_many_n": 1}, "too_short": 1, "too_long": 5, "seen": 0,
      "seen_unknown": 6})"));
  EXPECT_EQ(counts.without_score(), 1);
}

TEST_F(RecordCountsTest, CountsItsOwnShardAndWritesNoFileUnlessAsked) {
  RecordCounts counts("chromatin", "", false, {});
  EXPECT_TRUE(counts.files().empty());
  read_all(counts, 5);
  EXPECT_EQ(counts.without_score(), 0);  // n is the sixth interval
  EXPECT_EQ(folder_.entries(), 1u);
  // a halo's records without bases are counted by the shard that they are in
  std::ofstream(input.fasta) << ">empty\n>a\nACGTACGTAC\n>none\n>none\n>b\nACGTACGTAC\n";
  const std::string path = folder_ / "counts.json";
  for (const int64_t in_shard : {1, 2}) {
    RecordCounts part("predict-promoter", path, false, {});
    read_all(part, in_shard);
    const auto json = nlohmann::ordered_json::parse(io::read_file(path));
    EXPECT_EQ(json["skipped"]["no_bases"], in_shard == 1 ? 1 : 3);
    EXPECT_EQ(json["records"], in_shard == 1 ? 2 : 5);
  }
}

TEST_F(RecordCountsTest, StrictNamesTheRecordAndTheCauseAndLeavesNoFile) {
  const auto error = [&](const std::string& records, int64_t length) {
    std::ofstream(input.fasta) << records;
    return error_of([&] {
      RecordCounts counts("predict", folder_ / "counts.json", true, {length});
      read_all(counts);
    });
  };
  EXPECT_EQ(error(">a\nACGTACGTAC\n>n\nNNNNNNNNNN\n", 10),
            input.fasta + ": sequence n: n:1-10(+) has too many N for a score");
  EXPECT_EQ(
      error(">short\nACG\n", 10),
      input.fasta + ": sequence short: short:1-3(+) is shorter than half of the 10 bp that the model was trained on");
  EXPECT_EQ(error(">short\nACG\n", 0), "");
  input.strict = true;
  EXPECT_EQ(error(">a\nACGTACGTAC\n>none\n", 10), input.fasta + ": sequence none: has no bases");
  std::filesystem::remove(folder_ / "counts.json");
  EXPECT_NE(error(">short\nACG\n", 10), "");
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(RecordCountsTest, AFileOfRegionsIsJudgedBeforeItsFirstInterval) {
  std::ofstream(folder_ / "g.fa") << ">none\n>c\n" << std::string(50, 'A') << "\n";
  std::ofstream(folder_ / "g.fa.fai") << "none\t0\t6\t0\t0\nc\t50\t9\t50\t51\n";  // as other programs write it
  std::ofstream(folder_ / "r.bed") << "c\t0\t20\nc\t5\t5\n";
  input = {};
  input.genome = folder_ / "g.fa";
  IntervalStream scan(input, tiling_, {});  // a contig without bases is left out of a scan, and counted
  while (scan.next(false)) {
  }
  EXPECT_EQ(scan.without_bases(), 1);
  input.regions = folder_ / "r.bed";
  EXPECT_EQ(error_of([&] { IntervalStream(input, tiling_, {}); }), "");
  input.strict = true;
  EXPECT_EQ(error_of([&] { IntervalStream(input, tiling_, {}); }),
            input.regions + ":2: the interval is empty (end = start)");
}

}  // namespace
}  // namespace bigdna::prediction
