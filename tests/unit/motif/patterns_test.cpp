#include "motif/patterns.h"

#include <gtest/gtest.h>

#include "motif/comparison.h"
#include "motif/hits.h"
#include "planted.h"

namespace bigdna::motif {
namespace {

constexpr const char* kFirst = "TGACGTCATTGCG";
constexpr const char* kSecond = "CCACTAGAGG";

std::vector<Pattern> patterns_in(const Planted& data, int threads = 1) {
  return find_patterns(data.observed, find_seqlets(data.observed), threads);
}

/// Whether a text is part of a consensus or of its reverse complement.
bool has(const Pattern& pattern, const std::string& text) {
  const auto own = consensus(pattern.motif);
  return own.find(text) != std::string::npos || complement_of(own).find(text) != std::string::npos;
}

/// Bases next to the motif lower what the motif raises, so seqlets of the other sign lie there.
TEST(Patterns, OfTheOtherSignAreNoMotifFoundAgainFromItsFlanks) {
  auto data = planted({kFirst}, 300, 0.9, 0.8, 1);
  for (const auto& site : data.sites)
    for (int64_t i = 1; i <= 5; ++i)
      for (const int64_t at : {site.first - i, site.first + site.width - 1 + i})
        if (at >= 0 && at < 300) data.observed[site.of].values[static_cast<size_t>(at)] = -0.6F;
  const auto lowered = negated(data.observed), null = negated(data.null);
  const auto seqlets = find_seqlets(lowered);
  EXPECT_GT(seqlets.size(), 100);
  const auto patterns = find_patterns(lowered, seqlets, 1);
  for (const auto& pattern : patterns) {
    double sum = 0;
    for (const auto& column : pattern.weights)
      for (const double value : column) sum += value;
    EXPECT_GT(sum, 0) << consensus(pattern.motif);
  }
  HitOptions options;
  options.largest_q = 1;
  for (const auto& hit : find_hits(lowered, null, patterns, 1, options)) EXPECT_GT(hit.importance, 0);
}

TEST(Patterns, AreThePlantedMotifOfBothStrands) {
  const auto data = planted({kFirst}, 200, 0.7, 0.4, 1);
  const auto found = patterns_in(data);
  ASSERT_EQ(found.size(), 1);
  EXPECT_TRUE(has(found[0], kFirst)) << consensus(found[0].motif);
  EXPECT_GT(static_cast<double>(found[0].sites.size()), 0.8 * static_cast<double>(data.sites.size()));
  EXPECT_EQ(found[0].motif.sites, static_cast<double>(found[0].sites.size()));
  EXPECT_EQ(found[0].weights.size(), found[0].motif.columns.size());
  EXPECT_LE(found[0].motif.columns.size(), 17);  // trimmed to the motif
  const auto strands = std::ranges::count(found[0].sites, '+', &PatternSite::strand);
  EXPECT_GT(strands, std::ssize(found[0].sites) / 4);
  EXPECT_LT(strands, 3 * std::ssize(found[0].sites) / 4);
  // The sites are those of the motif, and on the right strand.
  const bool same = consensus(found[0].motif).find(kFirst) != std::string::npos;
  int64_t right = 0, there = 0;
  for (const auto& of : found[0].sites)
    for (const auto& site : data.sites)
      if (site.of == of.of && std::abs(site.first - of.first) < 5) ++there, right += (site.strand == of.strand) == same;
  EXPECT_GT(there, 0.9 * static_cast<double>(found[0].sites.size()));
  EXPECT_GT(right, 0.98 * static_cast<double>(there));
}

TEST(Patterns, TwoMotifsAreTwo) {
  const auto data = planted({kFirst, kSecond}, 200, 0.6, 0.5, 2);
  const auto found = patterns_in(data);
  ASSERT_EQ(found.size(), 2);
  EXPECT_TRUE(has(found[0], kFirst) || has(found[1], kFirst));
  EXPECT_TRUE(has(found[0], "CCACTAGAGG") || has(found[1], "CCACTAGAGG"));
  EXPECT_GE(found[0].sites.size(), found[1].sites.size());
}

TEST(Patterns, NoneWithoutMotifs) {
  for (uint64_t seed = 1; seed <= 5; ++seed) EXPECT_TRUE(patterns_in(planted({}, 200, 0, 0, seed)).empty());
}

TEST(Patterns, NoneOfContributionsInAnotherOrder) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    auto data = planted({kFirst, kSecond}, 200, 0.6, 0.5, seed);
    Rng rng(seed);
    for (auto& of : data.observed) rng.shuffle(of.values);
    for (auto& of : data.null) rng.shuffle(of.values);
    EXPECT_TRUE(patterns_in(data).empty()) << seed;
  }
}

TEST(Patterns, AreTheSameForAnyNumberOfThreads) {
  const auto data = planted({kFirst, kSecond}, 120, 0.6, 0.5, 4);
  const auto one = patterns_in(data, 1), four = patterns_in(data, 4);
  ASSERT_EQ(one.size(), four.size());
  for (size_t p = 0; p < one.size(); ++p) {
    EXPECT_EQ(one[p].weights, four[p].weights);
    EXPECT_EQ(one[p].motif.columns, four[p].motif.columns);
  }
}

TEST(Patterns, NeedASmallestNumberOfSeqlets) {
  const auto data = planted({kFirst}, 100, 0.3, 0.6, 5);
  const auto seqlets = find_seqlets(data.observed);
  PatternOptions options;
  options.least = 10;
  EXPECT_EQ(find_patterns(data.observed, seqlets, 1, options).size(), 1);
  options.least = 100;
  EXPECT_TRUE(find_patterns(data.observed, seqlets, 1, options).empty());
}

}  // namespace
}  // namespace bigdna::motif
