#include "dataset/profile_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "base/error.h"
#include "base/rng.h"
#include "io/lines.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

/// Two contigs of random bases, and cuts of strand + and - in their first 30 kb.
class ProfileFolder : public testing::Test {
 protected:
  static constexpr int64_t kLength = 40'000;

  void SetUp() override {
    Rng rng(1);
    std::ofstream genome(path("g.fa"));
    for (const char* name : {"chr1", "chr2"}) {
      std::string bases;
      for (int64_t i = 0; i < kLength; ++i) bases += rng.below(10) < 6 ? "AT"[rng.below(2)] : "CG"[rng.below(2)];
      genome << '>' << name << '\n' << bases << '\n';
    }
    std::ofstream reads(path("reads.bed"));
    for (int i = 0; i < 20'000; ++i) {
      const auto contig = rng.below(2);
      const int64_t start = rng.between(0, 30'000), end = start + 20;
      const bool minus = rng.below(2);
      ++cuts_[contig][minus][minus ? end - 1 : start];
      reads << "chr" << contig + 1 << '\t' << start << '\t' << end << "\tr\t0\t"
            << "+-"[minus] << '\n';
    }
    io::write_file(path("one.tsv"), "file\tname\tcount\nreads.bed\tcuts\tcuts\n");
    io::write_file(path("two.tsv"), "file\tname\tcount\tstrand\nreads.bed\tcuts\tcuts\t+\nreads.bed\tcuts\tcuts\t-\n");
    std::ofstream peaks(path("peaks.narrowPeak"));
    for (const char* name : {"chr1", "chr2"})
      for (int64_t at = 2000; at < 30'000; at += 3000)
        peaks << name << '\t' << at << '\t' << at + 200 << "\tp\t0\t.\t1\t1\t1\t" << at % 150 << '\n';
    peaks << "chr1\t10\t60\tend\t0\t.\t1\t1\t1\t5\n";
  }

  std::string path(const std::string& name) const { return folder_ / name; }
  ProfileDatasetOptions options(const std::string& output = "d") const {
    ProfileDatasetOptions settings;
    settings.tracks = path("two.tsv");
    settings.peaks = path("peaks.narrowPeak");
    settings.genome = path("g.fa");
    settings.output = path(output);
    settings.window = 300;
    settings.width = 100;
    settings.jitter = 30;
    settings.split.test = "chr2";
    settings.split.validation = "0";
    return settings;
  }

  test::TempDir folder_;
  std::map<int64_t, float> cuts_[2][2];  // of each contig and strand
};

TEST_F(ProfileFolder, HoldsTheCountsOfEachBase) {
  build_profile_dataset(options());
  const auto dataset = ProfileDataset::open(path("d"));
  EXPECT_EQ(dataset.strands(), 2);
  ASSERT_EQ(dataset.of(Split::train, RegionKind::peak).size(), 10U);  // but the one at the contig's end
  ASSERT_EQ(dataset.of(Split::test, RegionKind::peak).size(), 10U);
  double halves = 0, all = 0;
  for (int64_t row = 0; row < std::ssize(dataset.rows); ++row)
    for (const int64_t shift : {0, -30, 17}) {
      const auto& [region, split, kind] = dataset.rows[static_cast<size_t>(row)];
      if (kind == RegionKind::background && shift) continue;
      const auto counts = dataset.counts(row, shift);
      ASSERT_EQ(counts.size(), 200U);
      const auto half = dataset.halves(row);
      for (int64_t strand = 0; strand < 2; ++strand)
        for (int64_t i = 0; i < 100; ++i) {
          const auto& cuts = cuts_[region.contig == "chr2"][strand];
          const auto found = cuts.find(region.start + shift + i);
          const auto at = static_cast<size_t>(strand * 100 + i);
          EXPECT_EQ(counts[at], found == cuts.end() ? 0 : found->second) << row << " " << shift << " " << at;
          EXPECT_TRUE(shift || half[at] <= counts[at]) << row << " " << at;
        }
      if (!shift) halves += std::accumulate(half.begin(), half.end(), 0.);
      if (!shift) all += std::accumulate(counts.begin(), counts.end(), 0.);
    }
  EXPECT_NEAR(halves / all, 0.5, 0.1);
}

TEST_F(ProfileFolder, PeaksLieAroundSummitsAndBackgroundOutsideThem) {
  build_profile_dataset(options());
  const auto dataset = ProfileDataset::open(path("d"));
  const auto peaks = dataset.of(Split::train, RegionKind::peak);
  EXPECT_EQ(dataset.rows[static_cast<size_t>(peaks.front())].region.start, 2000 + 2000 % 150 - 50);
  for (const auto split : {Split::train, Split::test}) {
    const auto background = dataset.of(split, RegionKind::background);
    EXPECT_EQ(background.size(), 10U);
    for (const int64_t row : background) {
      const auto window = dataset.window_of(row);
      EXPECT_EQ(window.length(), 300);
      EXPECT_EQ(window.contig, split == Split::train ? "chr1" : "chr2");
      for (int64_t at = 2000; at < 30'000; at += 3000)
        EXPECT_TRUE(window.end <= at || window.start >= at + 200) << window.start << " " << at;
    }
  }
}

TEST_F(ProfileFolder, WithoutPeaksHasTilesOfTheGenome) {
  auto settings = options();
  settings.peaks.clear();
  settings.tracks = path("one.tsv");
  build_profile_dataset(settings);
  const auto dataset = ProfileDataset::open(path("d"));
  const auto tiles = dataset.of(Split::train);
  EXPECT_EQ(tiles.size(), static_cast<size_t>((kLength - 2 * 180) / 100 + 1));
  for (size_t i = 1; i < tiles.size(); ++i)
    EXPECT_EQ(dataset.rows[static_cast<size_t>(tiles[i])].region.start,
              dataset.rows[static_cast<size_t>(tiles[i - 1])].region.end);
  EXPECT_TRUE(dataset.has(RegionKind::tile) && !dataset.has(RegionKind::peak));
}

TEST_F(ProfileFolder, NoBaseOfATestWindowIsTrainedOn) {
  auto settings = options();
  settings.split.test = "0.3";
  settings.split.gap = 0;
  build_profile_dataset(settings);
  const auto dataset = ProfileDataset::open(path("d"));
  genome::IntervalSet trained;
  for (const int64_t row : dataset.of(Split::train))
    for (const int64_t shift : {-30, 30}) trained.add(dataset.window_of(row, shift));
  ASSERT_FALSE(dataset.of(Split::test).empty());
  for (const int64_t row : dataset.of(Split::test)) EXPECT_FALSE(trained.overlaps(dataset.window_of(row)));
}

TEST_F(ProfileFolder, IsTheSameWithAnyNumberOfThreads) {
  build_profile_dataset(options("one"));
  auto settings = options("two");
  settings.threads = 2;
  build_profile_dataset(settings);
  for (const char* name : {"counts.safetensors", "regions.bed.gz"})
    EXPECT_EQ(io::read_file(path("one/") + name), io::read_file(path("two/") + name));
}

TEST_F(ProfileFolder, ErrorsNameTheirCause) {
  const auto message = [&](auto change) {
    auto settings = options();
    change(settings);
    const auto text = test::error_of([&] { build_profile_dataset(settings); });
    EXPECT_FALSE(std::filesystem::exists(path("d")));
    return text;
  };
  io::write_file(path("swapped.tsv"),
                 "file\tname\tcount\tstrand\nreads.bed\tcuts\tcuts\t-\nreads.bed\tcuts\tcuts\t+\n");
  EXPECT_NE(message([&](auto& o) { o.tracks = path("swapped.tsv"); }).find("one of strand + and then one of strand -"),
            std::string::npos);
  io::write_file(path("past.bed"), "chr1\t0\t40001\n");
  EXPECT_NE(message([&](auto& o) { o.peaks = path("past.bed"); }).find("past.bed:1: end 40001 is past the end of chr1"),
            std::string::npos);
  io::write_file(path("other.bed"), "chr7\t0\t400\n");
  EXPECT_NE(message([&](auto& o) { o.peaks = path("other.bed"); }).find("peaks are on chr7, and"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.window = 301; }).find("--window 301"), std::string::npos);
  io::write_file(path("chr2.bed"), "chr2\t5000\t5200\n");
  EXPECT_NE(message([&](auto& o) { o.peaks = path("chr2.bed"); }).find("the train split has no region"),
            std::string::npos);
  io::write_file(path("ends.bed"), "chr1\t0\t10\nchr2\t5000\t5200\n");
  EXPECT_NE(message([&](auto& o) {
              o.peaks = path("ends.bed");
            }).find("the train split has no region (left out: contig_end 1): choose"),
            std::string::npos);
}

TEST(BaseCounts, PositionsAscendAndCountsAreNumbersOfReads) {
  const test::TempDir dir;
  const std::string path = dir / "counts.safetensors";
  const auto error_with = [&](const std::vector<uint32_t>& positions, const std::vector<float>& counts) {
    const std::vector<int64_t> first{0, 3};
    const std::vector<float> halves{0, 1, 0};
    io::write_safetensors(path,
                          {io::array<int64_t>("first", first, {2}), io::array<uint32_t>("positions", positions, {3}),
                           io::array<float>("counts", counts, {3}), io::array<float>("halves", halves, {3})});
    return test::error_of([&] { BaseCounts(path, {{"chr1", 100}}, 1); });
  };
  EXPECT_EQ(error_with({4, 7, 9}, {1, 2, 3}), "");
  EXPECT_EQ(error_with({4, 2, 9}, {1, 2, 3}), path + ": damaged: positions of chr1 do not ascend");
  EXPECT_EQ(error_with({4, 7, 9}, {1, -2, 3}),
            path + ": track 1 is -2 at chr1:8; models learn counts, which are at least 0");
  EXPECT_NE(error_with({4, 7, 9}, {1, 2, NAN}).find("at chr1:10"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::dataset
