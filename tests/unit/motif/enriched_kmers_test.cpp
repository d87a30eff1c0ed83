#include "motif/enriched_kmers.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace bigdna::motif {
namespace {

TEST(Hypergeometric, TailIsTheSumOfItsTerms) {
  // 10 things, 4 marked, 3 drawn: C(4,2) C(6,1) / C(10,3) + C(4,3) / C(10,3) = 40 / 120
  EXPECT_NEAR(hypergeometric_tail(2, 3, 4, 10), 40. / 120, 1e-12);
  EXPECT_NEAR(hypergeometric_tail(0, 3, 4, 10), 1, 1e-12);
  EXPECT_NEAR(hypergeometric_tail(3, 3, 4, 10), 4. / 120, 1e-12);
  EXPECT_NEAR(hypergeometric_tail(1, 3, 8, 10), 1, 1e-12);  // only two are not marked
}

TEST(EnrichedKmers, FindsWhatStandsWhereContributionsAreHigh) {
  EnrichedKmers kmers(6);
  Rng rng(3);
  for (int sequence = 0; sequence < 40; ++sequence) {
    std::string bases;
    for (int i = 0; i < 200; ++i) bases += "ACGT"[rng.below(4)];
    std::vector<float> values(bases.size(), 0);
    for (float& value : values) value = static_cast<float>(0.1 * rng.normal());
    const std::string motif = sequence % 2 ? "GGCATC" : "GATGCC";  // each other's reverse complement
    bases.replace(50, 6, motif);
    for (size_t i = 50; i < 56; ++i) values[i] = 1;
    kmers.add(bases, values);
  }
  const auto found = kmers.result();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kmer, "GATGCC");
  EXPECT_EQ(found[0].seqlets, 40);
  EXPECT_NEAR(found[0].contribution, 6, 1e-5);
  EXPECT_LT(found[0].e, 1e-20);
  EXPECT_GT(found[0].enrichment, 20);
  if (found.size() > 1) {
    EXPECT_GT(found[1].p, 1e-4);
  }
}

TEST(EnrichedKmers, WindowsDoNotSpanOtherLettersOrSequences) {
  EnrichedKmers kmers(3);
  kmers.add("ACNGTA", std::vector<float>(6, 1));
  kmers.add("TT", std::vector<float>(2, 1));
  kmers.add("CCC", std::vector<float>(3, 0));
  const auto found = kmers.result();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kmer, "GTA");
  EXPECT_EQ(found[0].windows, 1);
}

TEST(EnrichedKmers, OneSequenceTellsNothing) {
  EnrichedKmers kmers(3);
  kmers.add("ACGTTGCA", std::vector<float>(8, 1));
  kmers.add("AC", std::vector<float>(2, 1));  // without a window
  EXPECT_FALSE(kmers.can_be_tested());
  EXPECT_TRUE(kmers.result().empty());
  kmers.add("ACGT", std::vector<float>(4, 1));
  EXPECT_FALSE(kmers.result().empty());
}

}  // namespace
}  // namespace bigdna::motif
