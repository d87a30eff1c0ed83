#include "dataset/peak_check.h"

#include "base/error.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

using Intervals = std::vector<genome::IntervalSet::Interval>;

std::string said_of(const PeaksByContig& peaks) {
  testing::internal::CaptureStderr();
  PeakCheck().finish("p.bed", peaks, {{"chr1", 10'000}, {"chrM", 400}, {"chr2", 1'000}});
  return testing::internal::GetCapturedStderr();
}

TEST(PeakCheck, ReadsOverlapEachOther) {
  Intervals reads;
  for (int64_t i = 0; i < 100; ++i) reads.push_back({i / 3 * 40, i / 3 * 40 + 30});  // each three times
  EXPECT_NE(said_of({{0, reads}}).find("p.bed: 66 of 100 intervals overlap another one: are these reads, fragments"),
            std::string::npos);
  reads.resize(4);
  EXPECT_EQ(said_of({{0, {{0, 30}, {10, 40}, {50, 60}, {70, 80}}}}), "");  // one with two summits
  EXPECT_EQ(said_of({{0, {{0, 30}, {10, 40}, {50, 60}, {55, 80}}}}), "");  // half
  EXPECT_EQ(said_of({}), "");
}

TEST(PeakCheck, PeaksCoverASmallPartOfAContig) {
  EXPECT_NE(said_of({{0, {{0, 10}}}, {2, {{0, 300}, {500, 900}}}}).find("p.bed: they cover 70 % of chr2: are these"),
            std::string::npos);
  EXPECT_NE(said_of({{0, {{0, 9'000}, {10, 8'000}, {20, 30}}}})
                .find("2 of 3 intervals overlap another one, and they cover 90 % of chr1"),
            std::string::npos);
  EXPECT_EQ(said_of({{0, {{0, 5'000}}}, {1, {{0, 400}}}}), "");  // half of it; mitochondria are short
}

TEST(PeakCheck, BlocksAndSignalsAreTold) {
  PeakCheck gapped, signal;
  genome::BedRecord record;
  record.region = {"chr1", 10, 90, '.'};
  record.columns = 15;
  record.extra = {"10", "90", "0", "2", "5,5,", "0,75,", "1", "2", "3"};
  gapped.add(record);
  record.extra[3] = "1";
  gapped.add(record);
  record.extra = {"5.5", "2", "2", "37", "0.1", "0.9", "311", "319", "5"};  // IDR's narrowPeak: a summit, and no blocks
  gapped.add(record);
  testing::internal::CaptureStderr();
  gapped.finish("p.bed", {}, {});
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "p.bed: 1 of 3 peaks has blocks (columns 10 to 12, as in gappedPeak)"),
            std::string::npos);
  record.columns = 4;
  record.name = "0.5";
  for (int64_t i = 0; i < 5; ++i) {
    record.region = {"chr1", 10 * i, 10 * i + 10, '.'};
    signal.add(record);
  }
  EXPECT_EQ(test::error_of([&] { signal.finish("s.bed", {}, {}); }),
            "s.bed: bedGraph holds a signal, not peaks: call peaks of it first, or name it in --tracks");
}

}  // namespace
}  // namespace bigdna::dataset
