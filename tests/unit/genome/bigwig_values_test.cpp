#include "genome/bigwig_values.h"

#define NOCURL  // so that the header does not need curl's
#include <bigWig.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "genome/bigwig.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using test::error_of;
using test::TempDir;

TEST(BigWigValues, OfManyBlocksAndContigs) {
  TempDir dir;
  std::vector<Contig> contigs;
  for (int i = 0; i < 1000; ++i) contigs.push_back({concat("contig", i), 100'000});
  BigWigWriter writer(dir / "a.bw", contigs);
  for (int i = 0; i < 1000; i += 3)
    for (int64_t k = 0; k < (i == 300 ? 5000 : 2); ++k)
      writer.add(contigs[static_cast<size_t>(i)].name, 10 * k, 10 * k + 5, static_cast<float>(k));
  writer.commit();
  const BigWigValues values(dir / "a.bw");
  ASSERT_EQ(values.contigs().size(), 1000u);
  EXPECT_EQ(values.contigs()[100].name, "contig300");
  EXPECT_EQ(values.contigs()[100].length, 100'000);
  int64_t count = 0;
  values.each([&](const BigWigValue& v) {
    EXPECT_EQ(v.end, v.start + 5);
    EXPECT_EQ(v.value * 10, static_cast<float>(v.start));
    ++count;
  });
  EXPECT_EQ(count, 333 * 2 + 5000);
}

/// Writes a file with libBigWig, whose blocks are of the three layouts.
void write_layouts(const std::string& path, int32_t zooms) {
  bigWigFile_t* file = bwOpen(path.c_str(), nullptr, "w");
  const char* names[] = {"a", "b", "c"};
  const uint32_t lengths[] = {1000, 2000, 3000};
  ASSERT_EQ(bwCreateHdr(file, zooms), 0);
  file->cl = bwCreateChromList(names, lengths, 3);
  ASSERT_EQ(bwWriteHdr(file), 0);
  const char* twice[] = {"a", "a"};
  uint32_t starts[] = {0, 10}, ends[] = {5, 20}, further[] = {30, 40};
  float values[] = {1, 2.5}, more[] = {-3, 4}, last[] = {5, 6, 7};
  ASSERT_EQ(bwAddIntervals(file, twice, starts, ends, values, 2), 0);
  ASSERT_EQ(bwAddIntervalSpans(file, "b", further, 4, more, 2), 0);
  ASSERT_EQ(bwAddIntervalSpanSteps(file, "c", 100, 3, 10, last, 3), 0);
  bwClose(file);
}

TEST(BigWigValues, OfEveryLayoutOfBlocks) {
  TempDir dir;
  write_layouts(dir / "a.bw", 7);
  write_layouts(dir / "b.bw", 0);
  for (const auto& path : {dir / "a.bw", dir / "b.bw"}) {
    const BigWigValues values(path);
    std::string text;
    values.each([&](const BigWigValue& v) {
      text += concat(values.contigs()[v.contig].name, ":", v.start, "-", v.end, "=", v.value, " ");
    });
    EXPECT_EQ(text, "a:0-5=1 a:10-20=2.5 b:30-34=-3 b:40-44=4 c:100-103=5 c:110-113=6 c:120-123=7 ");
  }
}

TEST(BigWigValues, OfATruncatedFileAreAnErrorWhereverItEnds) {
  TempDir dir;
  write_layouts(dir / "a.bw", 7);
  const auto whole = io::read_file(dir / "a.bw");
  for (size_t size = 0; size < whole.size(); size += 7) {
    std::ofstream(dir / "cut.bw", std::ios::binary) << whole.substr(0, size);
    EXPECT_NE(error_of([&] { BigWigValues(dir / "cut.bw").each([](const BigWigValue&) {}); }), "") << size;
  }
}

TEST(BigWigValues, OfAUrlOrAPipeAreAnError) {
  EXPECT_NE(error_of([] { BigWigValues("https://example.org/a.bw"); }).find("remote files are not read"),
            std::string::npos);
  EXPECT_NE(error_of([] { BigWigValues("/dev/null"); }).find("needs random access"), std::string::npos);
}

TEST(BigWigValues, OfADamagedFileAreAnErrorThatNamesIt) {
  TempDir dir;
  const std::string path = dir / "a.bw";
  BigWigWriter writer(path, {{"a", 1000}, {"b", 500'000}});
  writer.add("a", 0, 100, 1);
  writer.add("b", 0, 100, 2);
  writer.commit();
  const auto whole = io::read_file(path);
  int errors = 0;
  for (size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    for (const std::string& damaged : {whole.substr(0, at), changed}) {
      std::ofstream(path, std::ios::binary) << damaged;
      const auto error = error_of([&] { BigWigValues(path).each([](const BigWigValue&) {}); });
      EXPECT_TRUE(error.empty() || error.starts_with(path)) << error;
      errors += !error.empty();
    }
  }
  EXPECT_GT(errors, 100);
}

TEST(BigWigMeans, EqualThoseOfTheValuesOneByOneInAnyOrder) {
  TempDir dir;
  const std::string path = dir / "a.bw";
  const std::vector<Contig> contigs{{"a", 90'000}, {"b", 60'000}, {"empty", 1000}, {"c", 500}};
  std::vector<std::vector<float>> bases;
  for (const auto& contig : contigs) bases.emplace_back(contig.length, NAN);
  BigWigWriter writer(path, contigs);
  Rng rng(3);
  for (size_t c = 0; c < contigs.size(); ++c) {
    if (contigs[c].name == "empty") continue;
    for (int64_t at = rng.between(0, 30); at + 20 < contigs[c].length;) {
      const int64_t end = at + rng.between(1, 12);
      const auto value = static_cast<float>(rng.between(-50, 50)) / 4;
      writer.add(contigs[c].name, at, end, value);
      std::fill(bases[c].begin() + at, bases[c].begin() + end, value);
      at = end + (rng.below(3) ? 0 : rng.between(1, 40));
    }
  }
  writer.commit();
  const BigWigValues values(path);
  BigWigMeans means(values);
  for (int i = 0; i < 2000; ++i) {
    const auto number = static_cast<uint32_t>(rng.below(values.contigs().size()));
    const auto c =
        static_cast<size_t>(std::ranges::find(contigs, values.contigs()[number].name, &Contig::name) - contigs.begin());
    const int64_t start = rng.between(-20, contigs[c].length + 10), end = start + rng.between(0, i % 7 ? 60 : 9000);
    double sum = 0, count = 0;
    for (int64_t at = std::max<int64_t>(0, start); at < std::min(end, contigs[c].length); ++at)
      if (const float value = bases[c][static_cast<size_t>(at)]; !std::isnan(value)) sum += value, ++count;
    const double mean = means.of(number, start, end);
    if (count == 0)
      EXPECT_TRUE(std::isnan(mean)) << c << ":" << start << "-" << end;
    else
      EXPECT_NEAR(mean, sum / count, 1e-9) << c << ":" << start << "-" << end;
  }
}

TEST(BigWigMeans, OfEveryLayoutOfBlocks) {
  TempDir dir;
  write_layouts(dir / "a.bw", 7);
  const BigWigValues values(dir / "a.bw");
  BigWigMeans means(values);
  EXPECT_EQ(means.of(2, 100, 123), 18 / 3.);
  EXPECT_EQ(means.of(0, 0, 20), (5 + 25) / 15.);
  EXPECT_EQ(means.of(1, 43, 44), 4);
  EXPECT_EQ(means.of(0, 4, 5), 1);
  EXPECT_TRUE(std::isnan(means.of(1, 44, 2000)));
}

TEST(BigWigMeans, OfADamagedFileAreAnErrorThatNamesIt) {
  TempDir dir;
  const std::string path = dir / "a.bw";
  write_layouts(path, 0);
  const auto whole = io::read_file(path);
  int errors = 0;
  for (size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    std::ofstream(path, std::ios::binary) << changed;
    const auto error = error_of([&] {
      const BigWigValues values(path);
      BigWigMeans means(values);
      for (uint32_t number = 0; number < values.contigs().size(); ++number)
        for (int64_t at = 0; at < 200; at += 10) means.of(number, at, at + 15);
    });
    EXPECT_TRUE(error.empty() || error.starts_with(path)) << error;
    errors += !error.empty();
  }
  EXPECT_GT(errors, 50);
}

}  // namespace
}  // namespace bigdna::genome
