#include "genome/kmer_frequencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/rng.h"

namespace bigdna::genome {
namespace {

TEST(KmerFrequencies, CountsWordsWithoutN) {
  const auto frequencies = kmer_frequencies("ACGNAC", 2);
  ASSERT_EQ(frequencies.size(), 20u);
  EXPECT_FLOAT_EQ(frequencies[0], 0.4f);                 // A
  EXPECT_FLOAT_EQ(frequencies[1], 0.4f);                 // C
  EXPECT_FLOAT_EQ(frequencies[2], 0.2f);                 // G
  EXPECT_FLOAT_EQ(frequencies[4 + 0 * 4 + 1], 2.f / 3);  // AC
  EXPECT_FLOAT_EQ(frequencies[4 + 1 * 4 + 2], 1.f / 3);  // CG
}

TEST(KmerFrequencies, BothStrandsAreSymmetric) {
  EXPECT_EQ(kmer_frequencies("ACGGTAAC", 3, true), kmer_frequencies("GTTACCGT", 3, true));
  EXPECT_NE(kmer_frequencies("ACGGTAAC", 3), kmer_frequencies("GTTACCGT", 3));
  EXPECT_EQ(kmer_frequencies("ACGGTAAC", 4, true).size(), 2u + 10 + 32 + 136);  // palindromes are their own
  const auto at = kmer_frequencies("AATT", 2, true);  // A/T C/G AA/TT AC/GT AG/CT AT CA/TG ...
  EXPECT_FLOAT_EQ(at[0], 1);
  EXPECT_FLOAT_EQ(at[2], 2.f / 3);
  EXPECT_FLOAT_EQ(at[5], 1.f / 3);
  EXPECT_EQ(kmer_frequencies("NNNN", 1), std::vector<float>(4, 0));
}

TEST(KmerCounter, CountsMovedWindowsAsAnyOthers) {
  Rng rng(7);
  std::string genome;
  for (int i = 0; i < 20000; ++i) genome += "ACGT"[rng.below(4)];
  for (int i = 0; i < 60; ++i) genome[rng.below(genome.size())] = 'N';
  genome.replace(3000, 400, 400, 'N');
  for (int i = 6000; i < 8000; ++i) genome[static_cast<size_t>(i)] = "ACTTG"[i % 5];  // a repeat
  for (const bool both : {false, true})
    for (const int k : {1, 3, 5}) {
      KmerCounter counter(k, both);
      int64_t start = 0;
      for (int i = 0; i < 400; ++i) {
        const int64_t steps[] = {0, 1, 5, 37, 200, -200, -3, 150, 3000, -900};
        start = std::clamp<int64_t>(start + steps[rng.below(std::size(steps))], 0, 20000 - 2400);
        const auto size = static_cast<size_t>(i % 50 == 0 ? 600 : 2400);
        const auto window = std::string_view(genome).substr(static_cast<size_t>(start), size);
        std::vector<float> values;
        counter.add_frequencies(window, values);
        ASSERT_EQ(values, kmer_frequencies(window, k, both)) << start << ", k " << k;
      }
    }
}

TEST(KmerColumns, AreTheColumnsThatFrequenciesCount) {
  int64_t columns = 0;
  EXPECT_EQ(kmer_columns("ACGNAC", 2, false, columns), (std::vector<int32_t>{1, 6, -1, -1, 1, -1}));
  EXPECT_EQ(columns, 16);
  const auto forward = kmer_columns("ACG", 2, true, columns), reverse = kmer_columns("CGT", 2, true, columns);
  EXPECT_EQ(columns, 10);
  EXPECT_EQ(forward[0], reverse[1]);  // AC and GT
  EXPECT_EQ(forward[1], reverse[0]);  // CG is its own
}

}  // namespace
}  // namespace bigdna::genome
