#include "coverage/pileup.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/rng.h"
#include "coverage/bin_sums.h"
#include "support.h"

namespace bigdna::coverage {
namespace {

using Runs = std::vector<std::tuple<uint32_t, int64_t, int64_t, double>>;

Runs runs_of(Pileup& pileup) {
  Runs runs;
  pileup.each_run(
      [&](uint32_t contig, int64_t start, int64_t end, double value) { runs.emplace_back(contig, start, end, value); });
  return runs;
}

/// Runs of equal value other than 0, by definition.
Runs runs_of(const std::vector<std::vector<double>>& depth) {
  Runs runs;
  for (uint32_t c = 0; c < depth.size(); ++c)
    for (size_t i = 0; i < depth[c].size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (depth[c][i] == 0) continue;
      if (!runs.empty() && std::get<0>(runs.back()) == c && std::get<2>(runs.back()) == at &&
          std::get<3>(runs.back()) == depth[c][i])
        ++std::get<2>(runs.back());
      else
        runs.emplace_back(c, at, at + 1, depth[c][i]);
    }
  return runs;
}

struct Case {
  int64_t intervals;
  size_t memory;
  bool signal;
};

// Few intervals are sorted and many are added in an array; little memory means a temporary file.
class PileupOf : public testing::TestWithParam<Case> {};

TEST_P(PileupOf, IntervalsInAnyOrderIsTheDepthOfEachBase) {
  test::TempDir dir;
  const Contigs contigs({{"a", 5000}, {"b", 300}, {"c", 40}, {"d", 1}}, "genome", "");
  Pileup pileup(contigs, dir / "out", GetParam().memory);
  BinSums bins(contigs, 7);
  std::vector<std::vector<double>> depth;
  for (const auto& contig : contigs.all()) depth.emplace_back(contig.length);
  Rng rng(3);
  const auto add = [&](uint32_t contig, int64_t start, int64_t end, int64_t weight) {
    pileup.add(contig, start, end, weight);
    bins.add(contig, start, end, weight);
    for (int64_t at = start; at < end; ++at) depth[contig][static_cast<size_t>(at)] += static_cast<double>(weight);
  };
  for (int64_t i = 0; i < GetParam().intervals; ++i) {
    const auto contig = static_cast<uint32_t>(rng.below(4));
    const int64_t length = contigs[contig].length, start = rng.between(0, length - 1);
    add(contig, start, rng.between(start + 1, length), rng.between(1, 3));
  }
  add(0, 4999, 5000, int64_t{3} << 24);  // more than a float holds exactly
  if (GetParam().signal)
    for (int64_t at = 0; at < 300; at += 3) {
      pileup.add_value(1, at, at + 2, 0.5F);
      bins.add_value(1, at, at + 2, 0.5F);
      for (int64_t i = at; i < at + 2; ++i) depth[1][static_cast<size_t>(i)] += 0.5;
    }
  EXPECT_EQ(runs_of(pileup), runs_of(depth));
  for (uint32_t c = 0; c < 4; ++c)
    for (size_t bin = 0; bin < bins.of(c).size(); ++bin) {
      double sum = 0;
      for (size_t at = 7 * bin; at < std::min(7 * bin + 7, depth[c].size()); ++at) sum += depth[c][at];
      EXPECT_EQ(bins.of(c)[bin], sum);
    }
}

INSTANTIATE_TEST_SUITE_P(All, PileupOf,
                         testing::Values(Case{20, 1 << 20, false}, Case{2000, 1 << 20, false}, Case{2000, 1000, false},
                                         Case{20, 100, false}, Case{500, 1 << 20, true}, Case{500, 1000, true}));

}  // namespace
}  // namespace bigdna::coverage
