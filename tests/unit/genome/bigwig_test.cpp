#include "genome/bigwig.h"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using test::error_of;
using test::TempDir;
using Interval = BigWigReader::Interval;

const std::vector<Contig> kContigs{{"chr1", 3'000'000}, {"chr2", 500}, {"chr10", 40}};

TEST(BigWig, ReadsBackWhatWasWritten) {
  TempDir dir;
  std::vector<Interval> first;
  for (int64_t i = 0; i < 20'000; ++i)
    first.push_back({i * 100 + 7, i * 100 + 80 + i % 20, float(i % 1000) / 999});
  BigWigWriter writer(dir / "a.bw", kContigs);
  for (const auto& [start, end, value] : first) writer.add("chr1", start, end, value);
  writer.add("chr10", 0, 40, 0.25F);
  EXPECT_FALSE(std::filesystem::exists(dir / "a.bw"));
  writer.commit();
  EXPECT_EQ(dir.entries(), 1u);

  const BigWigReader reader(dir / "a.bw");
  const auto contigs = reader.contigs();
  ASSERT_EQ(contigs.size(), 3u);
  EXPECT_EQ(contigs[2].name, "chr10");
  EXPECT_EQ(contigs[0].length, 3'000'000);
  EXPECT_EQ(reader.intervals("chr1", 0, 3'000'000), first);
  EXPECT_EQ(reader.intervals("chr1", 150, 210), (std::vector<Interval>{first[1], first[2]}));
  EXPECT_EQ(reader.intervals("chr2", 0, 500), std::vector<Interval>{});
  EXPECT_EQ(reader.intervals("chr10", 39, 1000), (std::vector<Interval>{{0, 40, 0.25F}}));
  EXPECT_EQ(reader.intervals("chr3", 0, 10), std::vector<Interval>{});
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
  const struct rlimit small {bytes, limit.rlim_max};
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
  EXPECT_NE(error_of([&] { BigWigWriter writer(dir / "no/a.bw", kContigs); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { BigWigReader reader(dir / "a.bw"); }).find("No such file"), std::string::npos);
  std::ofstream(dir / "text.bw") << "not a bigWig file, but a long enough text to be looked into\n";
  EXPECT_NE(error_of([&] { BigWigReader reader(dir / "text.bw"); }).find("is not a bigWig file"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::genome
