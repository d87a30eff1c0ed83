#include "motif/motif.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace bigdna::motif {
namespace {

Motif of(const std::vector<BaseProbabilities>& columns) { return {.name = "m", .columns = columns}; }

TEST(Motif, InformationIsTwoBitsLessTheEntropy) {
  EXPECT_DOUBLE_EQ(information(BaseProbabilities{0, 1, 0, 0}), 2);
  EXPECT_DOUBLE_EQ(information(BaseProbabilities{0.5, 0, 0.5, 0}), 1);
  EXPECT_DOUBLE_EQ(information(BaseProbabilities{0.25, 0.25, 0.25, 0.25}), 0);
  EXPECT_DOUBLE_EQ(information(of({{0, 1, 0, 0}, {0.5, 0, 0.5, 0}})), 3);
}

TEST(Motif, ReverseComplementIsReadOnTheOtherStrand) {
  const Motif motif = of({{1, 0, 0, 0}, {0, 0.75, 0.25, 0}});  // AC
  EXPECT_EQ(consensus(motif), "AC");
  EXPECT_EQ(consensus(reverse_complement(motif)), "GT");
  EXPECT_EQ(reverse_complement(reverse_complement(motif)).columns, motif.columns);
}

TEST(Motif, DrawsFollowTheProbabilities) {
  const Motif motif = of({{0.1, 0.2, 0.3, 0.4}});
  Rng rng(1);
  std::map<std::string, int> counts;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) ++counts[draw(motif, rng)];
  int base = 0;
  for (const auto* letter : {"A", "C", "G", "T"})
    EXPECT_NEAR(counts[letter] / static_cast<double>(kDraws), 0.1 * ++base, 0.015);
}

std::map<std::string, int> pairs(const std::string& bases) {
  std::map<std::string, int> counts;
  for (size_t i = 0; i + 1 < bases.size(); ++i) ++counts[bases.substr(i, 2)];
  return counts;
}

TEST(DinucleotideShuffle, KeepsPairsEndsAndUnknownBases) {
  const std::string bases = "NNACGTTGCAAGGCTTACGCGATANNNTTGACCAGTACCAN";
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const std::string shuffled = dinucleotide_shuffle(bases, rng);
    ASSERT_EQ(shuffled.size(), bases.size());
    EXPECT_EQ(pairs(shuffled), pairs(bases));
    for (size_t i = 0; i < bases.size(); ++i) EXPECT_EQ(shuffled[i] == 'N', bases[i] == 'N');
    EXPECT_EQ(shuffled[2], 'A');
    EXPECT_EQ(shuffled[23], 'A');
    seen.insert(shuffled);
  }
  EXPECT_EQ(seen.size(), 50);
}

/// All orders of a short sequence with the same pairs and ends, and how often each is drawn.
TEST(DinucleotideShuffle, EveryOrderIsEquallyLikely) {
  const std::string bases = "ACATAGACTA";
  std::set<std::string> possible;
  std::string inner = bases.substr(1, bases.size() - 2);
  std::ranges::sort(inner);
  do {
    const std::string candidate = bases.front() + inner + bases.back();
    if (pairs(candidate) == pairs(bases)) possible.insert(candidate);
  } while (std::ranges::next_permutation(inner).found);
  ASSERT_GT(possible.size(), 3);
  std::map<std::string, int> counts;
  constexpr int kEach = 2000;
  const int draws = kEach * static_cast<int>(possible.size());
  for (int i = 0; i < draws; ++i) {
    Rng rng(7, static_cast<uint64_t>(i));
    ++counts[dinucleotide_shuffle(bases, rng)];
  }
  EXPECT_EQ(counts.size(), possible.size());
  for (const auto& [order, count] : counts) {
    EXPECT_TRUE(possible.contains(order)) << order;
    EXPECT_NEAR(count, kEach, 5 * std::sqrt(kEach)) << order;
  }
}

}  // namespace
}  // namespace bigdna::motif
