#include "motif/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bigdna::motif {
namespace {

Motif word(const std::string& bases) {
  Motif motif{.name = bases};
  for (const char base : bases) {
    BaseProbabilities column{0.02, 0.02, 0.02, 0.02};
    column[std::string("ACGT").find(base)] = 0.94;
    motif.columns.push_back(column);
  }
  return motif;
}

/// Motifs of random columns.
std::vector<Motif> random_motifs(size_t number, size_t width, uint64_t seed) {
  std::vector<Motif> motifs;
  Rng rng(seed);
  for (size_t i = 0; i < number; ++i) {
    Motif motif{.name = std::to_string(i)};
    for (size_t at = 0; at < width; ++at) {
      BaseProbabilities column{0.03, 0.03, 0.03, 0.03};
      column[rng.below(4)] = 0.91;
      motif.columns.push_back(column);
    }
    motifs.push_back(motif);
  }
  return motifs;
}

TEST(Comparison, FindsTheMotifItsPlaceAndStrand) {
  auto known = random_motifs(30, 10, 1);
  known.push_back(word("TTCCACTAGATGGCAA"));
  const auto forward = matches(word("CCACTAGATGGC"), known);
  ASSERT_EQ(forward.size(), 31);
  EXPECT_EQ(forward[0].known, 30);
  EXPECT_EQ(forward[0].strand, '+');
  EXPECT_EQ(forward[0].offset, 2);
  EXPECT_EQ(forward[0].overlap, 12);
  EXPECT_NEAR(forward[0].distance, 0, 1e-9);
  EXPECT_NEAR(forward[0].correlation, 1, 1e-9);
  EXPECT_LT(forward[0].e, 1e-3);
  EXPECT_GT(forward[1].e, 0.01);
  const auto backward = matches(word("GCCATCTAGTGG"), known);
  EXPECT_EQ(backward[0].known, 30);
  EXPECT_EQ(backward[0].strand, '-');
  EXPECT_EQ(backward[0].offset, 2);
}

TEST(Comparison, RandomMotifsHaveUniformPValues) {
  const auto known = random_motifs(50, 10, 2);
  std::vector<double> p;
  for (const auto& motif : random_motifs(20, 10, 3))
    for (const auto& match : matches(motif, known)) p.push_back(match.p);
  for (const double level : {0.05, 0.2, 0.5}) {
    const auto below = std::ranges::count_if(p, [&](double value) { return value <= level; });
    // alignments share columns, so that correcting for their number takes too much away
    EXPECT_LT(static_cast<double>(below) / static_cast<double>(p.size()), 1.3 * level);
    EXPECT_GT(static_cast<double>(below) / static_cast<double>(p.size()), 0.3 * level);
  }
}

}  // namespace
}  // namespace bigdna::motif
