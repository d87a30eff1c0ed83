#include "prediction/interval_stream.h"

#include <gtest/gtest.h>

#include <fstream>

#include "genome/alphabet.h"
#include "support.h"

namespace bigdna::prediction {
namespace {

using test::error_of;
using test::TempDir;

/// 1000 bp of chr1, each 10 bp of one letter, and 50 bp of chr2.
std::string chr1() {
  std::string bases;
  for (int i = 0; i < 100; ++i) bases += std::string(10, "ACGT"[i % 4]);
  return bases;
}

class IntervalStreamTest : public testing::Test {
 protected:
  IntervalStreamTest() {
    std::ofstream(folder_ / "g.fa") << ">chr1\n" << chr1() << "\n>chr2\n" << std::string(50, 'N') << "\n";
    input.genome = folder_ / "g.fa";
  }
  void bed(const std::string& text) {
    std::ofstream(folder_ / "r.bed") << text;
    input.regions = folder_ / "r.bed";
  }
  std::vector<Interval> all(const Tiling& tiling, int64_t skipped = 0) {
    IntervalStream stream(input, tiling, training);
    stream.skip(skipped);
    std::vector<Interval> intervals;
    while (auto interval = stream.next(true)) intervals.push_back(std::move(*interval));
    if (skipped == 0 && stream.total()) {
      EXPECT_EQ(*stream.total(), static_cast<int64_t>(intervals.size()));
    }
    return intervals;
  }

  TempDir folder_;
  IntervalInput input;
  genome::IntervalSet training;
};

TEST_F(IntervalStreamTest, OnlyTheNOfAnIntervalCountAndNotThoseOfWhatIsReadAroundIt) {
  const std::string known(100, 'A'), unknown(100, 'N');
  const PromoterTiling tiling(60, 40, 80, 0.5, /*context=*/100);
  EXPECT_TRUE(tiling.readable(unknown + known + unknown));
  EXPECT_FALSE(tiling.readable(known + unknown + known));
  EXPECT_EQ(PromoterTiling(60, 40, std::nullopt, 0.5).stride(), 25);
  EXPECT_EQ(PromoterTiling(60, 40, std::nullopt, 0.5, 100).stride(), 100);
}

TEST_F(IntervalStreamTest, TilesOfARegionRunAlongItsStrandAndTheLastEndsWithIt) {
  const PromoterTiling tiling(60, 40, 80, 0.5);
  bed("chr1\t100\t350\ta\t0\t-\nchr1\t500\t530\tb\nchr2\t0\t50\tn\n");
  training.add("chr1", 505, 506);
  const auto intervals = all(tiling);
  ASSERT_EQ(intervals.size(), 5u);
  const std::vector<std::pair<int64_t, int64_t>> expected{{250, 350}, {170, 270}, {100, 200}, {500, 530}, {0, 50}};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(std::pair(intervals[i].region().start, intervals[i].region().end), expected[i]);
    EXPECT_EQ(intervals[i].last, i >= 2);
    EXPECT_EQ(intervals[i].source, i < 3 ? 0 : static_cast<int64_t>(i) - 2);
    EXPECT_EQ(intervals[i].seen, i == 3);
  }
  EXPECT_EQ(intervals[1].bases, genome::reverse_complement(chr1().substr(170, 100)));
  EXPECT_EQ(intervals[3].bases, chr1().substr(500, 30));
  EXPECT_TRUE(intervals[4].bases.empty());  // all N
}

TEST_F(IntervalStreamTest, ASingleBaseIsAStartSite) {
  const PromoterTiling tiling(60, 40, 80, 0.5);
  bed("chr1\t500\t501\tplus\t0\t+\nchr1\t500\t501\tminus\t0\t-\n");
  const auto intervals = all(tiling);
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_EQ(intervals[0].bases, chr1().substr(440, 100));                              // [t - 60, t + 40)
  EXPECT_EQ(intervals[1].bases, genome::reverse_complement(chr1().substr(461, 100)));  // [t - 39, t + 61)
}

TEST_F(IntervalStreamTest, ChromatinReadsTheBinAtEachPiecesCentreWithContext) {
  const ChromatinTiling tiling(200, 100, 50, 200);
  bed("chr1\t300\t750\tx\t7\t+\tp\tq\nchr1\t10\t10\ty\t8\t.\tr\ts\n");
  const auto intervals = all(tiling);
  ASSERT_EQ(intervals.size(), 4u);  // 300-500, 500-700, 700-750 and the empty one
  EXPECT_EQ(intervals[2].region().end, 750);
  EXPECT_EQ(intervals[0].bases, chr1().substr(200, 350));
  EXPECT_EQ(intervals[2].bases, chr1().substr(525, 350));                        // bin 625-825
  EXPECT_EQ(intervals[3].bases, std::string(190, 'N') + chr1().substr(0, 160));  // bin -90..110
  EXPECT_EQ(intervals[3].record.extra, (std::vector<std::string>{"r", "s"}));
  EXPECT_EQ(all(tiling, 3).front().record.name, "y");
  bed("chr1\t300\t400\n");  // in tiles of 50 bp, as bins of 50 bp
  const auto narrow = all(ChromatinTiling(50, 10, 20, 50));
  ASSERT_EQ(narrow.size(), 2u);
  EXPECT_EQ(narrow[0].bases, chr1().substr(290, 80));
  EXPECT_EQ(narrow[1].bases, chr1().substr(340, 80));
}

TEST_F(IntervalStreamTest, WhatIsSkippedChangesNothingThatFollows) {
  const PromoterTiling tiling(60, 40, 30, 1);
  const auto whole = all(tiling);  // both contigs
  ASSERT_EQ(whole.size(), 32u);
  for (const int64_t skipped : {1, 30, 31}) {
    const auto rest = all(tiling, skipped);
    ASSERT_EQ(rest.size(), whole.size() - static_cast<size_t>(skipped));
    for (size_t i = 0; i < rest.size(); ++i) {
      EXPECT_EQ(rest[i].bases, whole[i + static_cast<size_t>(skipped)].bases);
      EXPECT_EQ(rest[i].region(), whole[i + static_cast<size_t>(skipped)].region());
    }
  }
}

TEST_F(IntervalStreamTest, AFileIsCheckedBeforeItsFirstInterval) {
  const ChromatinTiling tiling(200, 100, 50, 0);
  const auto opened = [&] { IntervalStream(input, tiling, {}); };
  bed("chr1\t0\t10\nchr3\t0\t10\n");
  EXPECT_NE(error_of(opened).find("r.bed:2: "), std::string::npos);
  bed("chr1\t0\t10\nchr1\t990\t1001\n");
  EXPECT_NE(error_of(opened).find("r.bed:2: end 1001 is past the end of chr1 (1000 bp)"), std::string::npos);
  bed("chr1\t0\t10\ta\t0\t+\tx\nchr1\t20\t30\ta\t0\t+\n");
  EXPECT_NE(error_of(opened).find("r.bed:2: 0 columns past the sixth, but the first record has 1"), std::string::npos);
}

TEST_F(IntervalStreamTest, RecordsNeedNoGenome) {
  const PromoterTiling tiling(6, 4, 5, 0.5);
  std::ofstream(folder_ / "records.fa") << ">a\nACGTACGTACGTA\n>b\nACG\n";
  input = {};
  input.fasta = folder_ / "records.fa";
  const auto intervals = all(tiling);
  ASSERT_EQ(intervals.size(), 3u);
  EXPECT_EQ(intervals[1].bases, "TACGTACGTA");
  EXPECT_EQ(intervals[2].record.name, "b");
  EXPECT_EQ(count_record_intervals(input, tiling), 3);
}

TEST_F(IntervalStreamTest, ARecordHasAPlaceIfItsNameIsThatOfAnInterval) {
  const PromoterTiling tiling(6, 4, 5, 0.5);
  const auto seen = [&](const std::string& records, const genome::IntervalSet& held_out = {}) {
    std::ofstream(folder_ / "records.fa") << records;
    IntervalInput of_records;
    of_records.fasta = folder_ / "records.fa";
    IntervalStream stream(of_records, tiling, training, held_out);
    std::string all;
    while (const auto interval = stream.next(false)) all += ".01"[seen_flag(*interval) + 1];
    return all;
  };
  const std::string bases = "\nACGTACGTACACGTACGTAC\n";  // 20 bp: tiles at 0, 5 and 10
  training.add("chr1", 112, 113);
  EXPECT_EQ(seen(">chr1:101-120" + bases), "011");
  EXPECT_EQ(seen(">1:101-120 a comment" + bases), "011");
  EXPECT_EQ(seen(">chr1:1-20" + bases), "000");
  genome::IntervalSet held_out;
  held_out.add("chr2", 5, 6);
  EXPECT_EQ(seen(">chr2:101-120" + bases), "...");
  EXPECT_EQ(seen(">chr2:101-120" + bases, held_out), "000");
  for (const std::string name :
       {"chr1", "chr1:101-119", "chr1:101-121", "chr1:100-120", "chr1:101-120/rc", "r:101-120"})
    EXPECT_EQ(seen(">" + name + bases), "...") << name;
  training = {};
  EXPECT_EQ(seen(">chr1:101-120" + bases), "...");
  bed("chr1\t100\t110\n");
  EXPECT_EQ(all(tiling).front().seen, std::nullopt);  // the model does not record where its training data lie
}

TEST_F(IntervalStreamTest, OfARecordForAChromatinModelTheBinIsJudged) {
  training.add("chr1", 450, 451);
  std::ofstream(folder_ / "records.fa") << ">chr1:1-1000\n" << std::string(1000, 'A') << "\n";
  input = {};
  input.fasta = folder_ / "records.fa";
  EXPECT_EQ(all(WholeTiling()).front().seen, true);
  EXPECT_EQ(all(WholeTiling(0.5)).front().seen, true);       // 400 to 600
  EXPECT_EQ(all(WholeTiling(0.25)).front().seen, false);     // 150 to 350
  EXPECT_EQ(all(WholeTiling(0.5, 50)).front().seen, false);  // 475 to 525
}

}  // namespace
}  // namespace bigdna::prediction
