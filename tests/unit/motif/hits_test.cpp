#include "motif/hits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "planted.h"

namespace bigdna::motif {
namespace {

constexpr const char* kMotif = "TGACGTCATTGCG";

bool overlaps(const Hit& hit, const Planted::Site& site) {
  return hit.of == site.of && std::abs(hit.first - site.first) < site.width;
}
/// Whether the columns of both lie on each other, but for what trimming left out.
bool lies_on(const Hit& hit, const Planted::Site& site) {
  return hit.of == site.of && std::abs(hit.first - site.first) < 5;
}

TEST(Hits, StandWhereMotifsWerePlanted) {
  const auto data = planted({kMotif}, 200, 0.7, 0.4, 1);
  const auto patterns = find_patterns(data.observed, find_seqlets(data.observed), 1);
  ASSERT_EQ(patterns.size(), 1);
  HitOptions options;
  options.largest_q = 0.1;
  const auto hits = find_hits(data.observed, data.null, patterns, 1, options);
  int64_t found = 0, right = 0;
  const bool same = consensus(patterns[0].motif).find(kMotif) != std::string::npos;
  for (const auto& site : data.sites)
    for (const auto& hit : hits)
      if (lies_on(hit, site)) ++found, right += (hit.strand == site.strand) == same;
  EXPECT_GT(static_cast<double>(found), 0.9 * static_cast<double>(data.sites.size()));
  EXPECT_GT(static_cast<double>(right), 0.98 * static_cast<double>(found));
  int64_t elsewhere = 0;
  for (const auto& hit : hits) {
    elsewhere += std::ranges::none_of(data.sites, [&](const auto& site) { return overlaps(hit, site); });
    EXPECT_LE(hit.q, 0.1);
    EXPECT_GE(hit.similarity, 0.3);
    EXPECT_GT(hit.importance, 0);
  }
  EXPECT_LT(static_cast<double>(elsewhere), 0.15 * static_cast<double>(hits.size()));
}

TEST(Hits, QValuesAreRightOnFreshSequence) {
  // Patterns from one set, hits in others whose motifs are weak: the share of hits that lie on no motif is what q says.
  const auto from = planted({kMotif}, 200, 0.7, 0.4, 1);
  const auto patterns = find_patterns(from.observed, find_seqlets(from.observed), 1);
  HitOptions options;
  options.largest_q = 0.2;
  options.least_similarity = 0.2;
  double taken = 0, wrong = 0;
  for (uint64_t seed = 11; seed < 31; ++seed) {
    const auto data = planted({kMotif}, 100, 0.5, 0.08, seed);
    for (const auto& hit : find_hits(data.observed, data.null, patterns, 2, options)) {
      ++taken;
      wrong += std::ranges::none_of(data.sites, [&](const auto& site) { return overlaps(hit, site); });
    }
  }
  EXPECT_GT(taken, 300);
  EXPECT_LT(wrong / taken, 0.24);
  EXPECT_GT(wrong / taken, 0.08);
}

TEST(Hits, HardlyAnyInTheNull) {
  const auto data = planted({kMotif}, 200, 0.7, 0.4, 1);
  const auto patterns = find_patterns(data.observed, find_seqlets(data.observed), 1);
  const auto other = planted({}, 200, 0, 0, 9);
  HitOptions options;
  options.largest_q = 0.1;
  EXPECT_LE(find_hits(other.observed, other.null, patterns, 1, options).size(), 2);
}

TEST(Hits, AreTheFactorsAndCosinesOfTheirDefinition) {
  Pattern pattern;
  pattern.weights = {{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 2}};  // A C T
  pattern.motif.columns = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}};
  pattern.motif.sites = 3;
  BaseContributions of{0, 0, "GGACTGGAGTCC", {0, 0, 2, 4, 4, 0, 0, 0, 0, 0, 0, 0}};
  BaseContributions back{1, 0, "GGAGTGG", {0, 0, 3, 3, 1, 0, 0}};
  const std::vector<BaseContributions> null{{0, 0, "GGGGGGG", std::vector<float>(7, 0)}};
  HitOptions options;
  options.largest_q = 1;
  const auto hits = find_hits({of, back}, null, {pattern}, 1, options);
  ASSERT_EQ(hits.size(), 2);
  EXPECT_EQ(hits[0].first, 2);
  EXPECT_EQ(hits[0].strand, '+');
  EXPECT_NEAR(hits[0].coefficient, 2, 1e-9);
  EXPECT_NEAR(hits[0].similarity, 1, 1e-9);
  EXPECT_NEAR(hits[0].importance, 10, 1e-6);
  const double share = composition({of, back})[0];
  EXPECT_NEAR(hits[0].bits, 2 * std::log2((3 + share) / 4 / share) + std::log2((3.5 - share) / 4 / (0.5 - share)),
              1e-9);
  EXPECT_EQ(hits[1].first, 2);  // AGT, the complement of ACT
  EXPECT_EQ(hits[1].strand, '-');
  EXPECT_NEAR(hits[1].coefficient, (3 * 2 + 3 * 2 + 1 * 1) / 9., 1e-9);
  EXPECT_NEAR(hits[1].similarity, 13 / std::sqrt(9. * 19), 1e-9);
}

}  // namespace
}  // namespace bigdna::motif
