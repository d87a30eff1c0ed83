#include "genome/bigwig.h"

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "bigwig_reader.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using test::BigWigReader;
using test::error_of;
using test::TempDir;
using Interval = BigWigReader::Interval;

const std::vector<Contig> kContigs{{"chr1", 3'000'000}, {"chr2", 500}, {"chr10", 40}};

TEST(TrackOrder, IsThatOfTheContigsWithoutOverlaps) {
  TrackOrder order(kContigs);
  EXPECT_TRUE(order.follows("chr1", {"1", 10, 20, '.'}));
  EXPECT_TRUE(order.follows("chr1", {"1", 20, 30, '.'}));
  EXPECT_FALSE(order.follows("chr1", {"1", 29, 40, '.'}));
  EXPECT_TRUE(order.follows("chr10", {"chr10", 0, 5, '.'}));
  EXPECT_FALSE(order.follows("chr2", {"chr2", 0, 5, '.'}));
}

TEST(BigWig, ReadsBackWhatWasWritten) {
  TempDir dir;
  std::vector<Interval> first;
  for (int64_t i = 0; i < 20'000; ++i) first.push_back({i * 100 + 7, i * 100 + 80 + i % 20, float(i % 1000) / 999});
  BigWigWriter writer(dir / "a.bw", kContigs);
  for (const auto& [start, end, value] : first) writer.add("chr1", start, end, value);
  writer.add("chr10", 0, 40, 0.25F);
  EXPECT_FALSE(std::filesystem::exists(dir / "a.bw"));
  writer.commit();
  EXPECT_EQ(dir.entries(), 1u);

  const BigWigReader reader(dir / "a.bw");
  const auto contigs = reader.contigs();
  ASSERT_EQ(contigs.size(), 3u);
  EXPECT_EQ(contigs[1].name, "chr10");  // contigs without values come last
  EXPECT_EQ(contigs[0].length, 3'000'000);
  EXPECT_EQ(reader.intervals("chr1", 0, 3'000'000), first);
  EXPECT_EQ(reader.intervals("chr1", 150, 210), (std::vector<Interval>{first[1], first[2]}));
  EXPECT_EQ(reader.intervals("chr2", 0, 500), std::vector<Interval>{});
  EXPECT_EQ(reader.intervals("chr10", 39, 1000), (std::vector<Interval>{{0, 40, 0.25F}}));
  EXPECT_EQ(reader.intervals("chr3", 0, 10), std::vector<Interval>{});
}

TEST(BigWig, ZoomLevelsHoldTheMeans) {
  TempDir dir;
  BigWigWriter writer(dir / "a.bw", kContigs);
  double sum = 0;
  for (int64_t i = 0; i < 10'000; ++i) {
    writer.add("chr1", i * 300, i * 300 + 200, float(i % 7));
    if (i >= 2000 && i < 6000) sum += static_cast<double>(i % 7);
  }
  writer.commit();
  const BigWigReader reader(dir / "a.bw");
  EXPECT_NEAR(reader.mean("chr1", 2000 * 300, 6000 * 300), sum / 4000, 1e-2);  // from a zoom level
  EXPECT_NEAR(reader.mean("chr1", 600, 800), 2, 1e-6);
}

TEST(BigWig, ContigsHaveTheInputsNames) {
  TempDir dir;
  const std::vector<Contig> contigs{{"1", 1000}, {"20", 500}, {"MT", 100}};
  BigWigWriter writer(dir / "a.bw", contigs);
  writer.add("1", 0, 10, 1, "chr1");
  writer.add("20", 0, 10, 2, "chr20");
  const std::string error = error_of([&] { writer.add("20", 20, 30, 2); });
  EXPECT_NE(error.find("20:20-30 (0-based): is called 20, and before it chr20"), std::string::npos);
  writer.commit();
  const BigWigReader reader(dir / "a.bw");
  ASSERT_EQ(reader.contigs().size(), 2u);  // what the input would call MT is not known
  EXPECT_EQ(reader.contigs()[1].name, "chr20");
  EXPECT_EQ(reader.intervals("chr20", 0, 500), (std::vector<Interval>{{0, 10, 2}}));
  EXPECT_EQ(reader.intervals("20", 0, 500), std::vector<Interval>{});
}

template <class T>
T number_at(const std::string& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Finds a contig's id and length as kent's bPlusTree.c does (rFind); -1 if the search does not find it.
std::pair<int64_t, int64_t> find_as_ucsc(const std::string& file, std::string name) {
  const auto tree = number_at<uint64_t>(file, 8);
  const auto key = number_at<uint32_t>(file, tree + 8);
  if (name.size() > key) return {-1, -1};
  name.resize(key, '\0');
  for (uint64_t node = tree + 32;;) {
    const bool leaf = file[node];
    const auto count = number_at<uint16_t>(file, node + 2);
    const auto entry = [&](uint64_t i) { return node + 4 + i * (key + 8); };
    if (leaf) {
      for (uint64_t i = 0; i < count; ++i)
        if (std::memcmp(name.data(), file.data() + entry(i), key) == 0)
          return {number_at<uint32_t>(file, entry(i) + key), number_at<uint32_t>(file, entry(i) + key + 4)};
      return {-1, -1};
    }
    uint64_t child = number_at<uint64_t>(file, entry(0) + key);
    for (uint64_t i = 1; i < count; ++i) {
      if (std::memcmp(name.data(), file.data() + entry(i), key) < 0) break;
      child = number_at<uint64_t>(file, entry(i) + key);
    }
    node = child;
  }
}

TEST(BigWig, TensOfThousandsOfContigsAreFoundByUcscsSearch) {
  for (const int64_t count : {1, 255, 256, 257, 65'535, 65'537, 70'000}) {
    TempDir dir;
    std::vector<Contig> contigs;  // not in the order of their names
    for (int64_t i = 0; i < count; ++i)
      contigs.push_back({concat("scf", i * 7919 % 104'729, i % 2 ? "_a" : ""), i + 50});
    const auto begun = std::chrono::steady_clock::now();
    BigWigWriter writer(dir / "a.bw", contigs);
    for (int64_t i = 0; i < count; i += 3)
      for (int64_t k = 0; k < 2; ++k)
        writer.add(contigs[static_cast<size_t>(i)].name, k * 20, k * 20 + 20, float(i + k));
    writer.commit();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    EXPECT_LT(took.count(), 10);  // not quadratic: a minute where each contig is looked up among all
    const std::string file = io::read_file(dir / "a.bw");
    for (const auto& contig : contigs) ASSERT_EQ(find_as_ucsc(file, contig.name).second, contig.length) << contig.name;
    EXPECT_EQ(find_as_ucsc(file, "scf").first, -1);
    const BigWigReader reader(dir / "a.bw");
    ASSERT_EQ(reader.contigs().size(), contigs.size());
    Rng rng(1);
    for (int i = 0; i < 200; ++i) {
      const auto at = static_cast<int64_t>(rng.below(static_cast<uint64_t>(count)));
      const std::vector<Interval> values{{0, 20, float(at)}, {20, 40, float(at + 1)}};
      const auto& name = contigs[static_cast<size_t>(at)].name;
      ASSERT_EQ(reader.intervals(name, 0, 50), at % 3 ? std::vector<Interval>{} : values);
    }
  }
}

TEST(BigWig, AFileWithoutValuesIsValid) {
  TempDir dir;
  BigWigWriter writer(dir / "a.bw", kContigs);
  writer.commit();
  EXPECT_EQ(BigWigReader(dir / "a.bw").contigs().size(), 3u);
  EXPECT_TRUE(BigWigReader(dir / "a.bw").intervals("chr1", 0, 100).empty());
}

/// Fills a file of several blocks, with no room past `bytes`.
std::string error_within(rlim_t bytes, const std::string& path) {
  struct rlimit limit {};
  getrlimit(RLIMIT_FSIZE, &limit);
  const struct rlimit small { bytes, limit.rlim_max };
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = error_of([&] {
    BigWigWriter writer(path, kContigs);
    for (int64_t i = 0; i < 30'000; ++i) writer.add("chr1", i * 100, i * 100 + 100, float(i * 7919 % 104729));
    writer.add("chr2", 0, 10, 1);
    writer.commit();
  });
  setrlimit(RLIMIT_FSIZE, &limit);
  return error;
}

TEST(BigWig, AFullDiskIsAnErrorWhereverItComes) {
  TempDir dir;
  ASSERT_EQ(error_within(RLIM_INFINITY, dir / "whole.bw"), "");
  const auto size = std::filesystem::file_size(dir / "whole.bw");
  for (uintmax_t bytes = 1; bytes < size; bytes += bytes < 3000 ? 300 : 7919)
    EXPECT_EQ(error_within(bytes, dir / "a.bw"), dir / "a.bw: File too large") << bytes;
  EXPECT_EQ(error_within(size - 1, dir / "a.bw"), dir / "a.bw: File too large");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(BigWig, ErrorsNameTheCauseAndLeaveNothing) {
  TempDir dir;
  const auto adds = [&](const std::string& contig, int64_t start, int64_t end, float value) {
    BigWigWriter writer(dir / "a.bw", kContigs);
    writer.add("chr2", 100, 200, 1);
    return error_of([&] { writer.add(contig, start, end, value); });
  };
  EXPECT_NE(adds("chr3", 0, 1, 1).find("a.bw: chr3:0-1 (0-based): no such contig"), std::string::npos);
  EXPECT_NE(adds("chr1", 0, 1, 1).find("comes after chr2"), std::string::npos);
  EXPECT_NE(adds("chr2", 150, 250, 1).find("the interval that ends at 200"), std::string::npos);
  EXPECT_NE(adds("chr2", 400, 501, 1).find("not an interval"), std::string::npos);
  EXPECT_NE(adds("chr2", 300, 300, 1).find("not an interval"), std::string::npos);
  EXPECT_NE(adds("chr2", 300, 301, NAN).find("not a finite number"), std::string::npos);
  EXPECT_EQ(adds("chr10", 0, 1, 1), "");
  EXPECT_EQ(dir.entries(), 0u);
  EXPECT_NE(error_of([&] { BigWigWriter writer(dir / "no/a.bw", kContigs); }).find("No such file"), std::string::npos);
  EXPECT_NE(error_of([&] { BigWigReader reader(dir / "a.bw"); }).find("No such file"), std::string::npos);
  std::ofstream(dir / "text.bw") << "not a bigWig file, but a long enough text to be looked into\n";
  EXPECT_NE(error_of([&] { BigWigReader reader(dir / "text.bw"); }).find("is not a bigWig file"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::genome
