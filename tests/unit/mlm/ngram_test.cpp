#include "mlm/ngram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/rng.h"
#include "metrics/bits_per_base.h"

namespace bigdna::mlm {
namespace {

constexpr int kVocabulary = 40;
constexpr int32_t kUnknown = NgramModel::kUnknown;

/// A second-order chain: a third of the tokens follow from the one before, a third from the two before, the rest from
/// nothing.
std::vector<uint16_t> chain(size_t length, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint16_t> tokens{3, 5};
  while (tokens.size() < length) {
    const auto last = tokens.back(), before = tokens[tokens.size() - 2];
    const uint64_t choice = rng.below(3);
    tokens.push_back(static_cast<uint16_t>(choice == 0   ? (3 * last + 1) % 37
                                           : choice == 1 ? (5 * last + 11 * before + 2) % 37
                                                         : rng.below(37)));
  }
  return tokens;
}

NgramModel trained(int parts = 30) {
  NgramTrainer trainer(kVocabulary);
  for (int part = 0; part < parts; ++part) trainer.add(chain(2000, static_cast<uint64_t>(part)));
  return trainer.finish();
}

TEST(Ngram, EveryDistributionSumsToOne) {
  const auto model = trained();
  for (const int32_t far : {kUnknown, 3, 36})
    for (const int32_t left : {kUnknown, 0, 7, 38})
      for (const int32_t right : {kUnknown, 1, 22, 39}) {
        NgramModel::Probabilities sum;
        for (int32_t t = 0; t < kVocabulary; ++t) {
          const auto p = model.probabilities({far, left, right, far}, t);
          sum.unigram += p.unigram, sum.bigram += p.bigram, sum.trigram += p.trigram;
        }
        EXPECT_NEAR(sum.unigram, 1, 1e-9);
        EXPECT_NEAR(sum.bigram, 1, 1e-9) << left << " " << right;
        EXPECT_NEAR(sum.trigram, 1, 1e-9) << far << " " << left << " " << right;
      }
}

TEST(Ngram, OneSideIsDirichletSmoothing) {
  const auto model = trained();
  const double alpha = model.bigram_smoothing().one;
  for (int32_t t = 0; t < kVocabulary; ++t) {
    double count = 0;
    for (const auto& entry : model.pairs(1).after(5))
      if (entry.token == t) count = entry.count;
    EXPECT_NEAR(model.probabilities({kUnknown, 5, kUnknown, kUnknown}, t).bigram,
                (count + alpha * model.unigram(t)) / (model.pairs(1).count_after(5) + alpha), 1e-12);
  }
}

TEST(Ngram, PairsAreCountedBothWays) {
  NgramTrainer trainer(10);
  trainer.add(std::vector<uint16_t>{1, 2, 3, 1, 2, 4});
  const auto model = trainer.finish();
  ASSERT_EQ(model.pairs(1).after(1).size(), 1u);
  EXPECT_EQ(model.pairs(1).after(1)[0].token, 2);
  EXPECT_EQ(model.pairs(1).after(1)[0].count, 2u);
  ASSERT_EQ(model.pairs(2).before(4).size(), 1u);
  EXPECT_EQ(model.pairs(2).before(4)[0].token, 1);
  EXPECT_EQ(model.pairs(2).count_before(3), 1);
}

TEST(Ngram, MoreContextPredictsAChainBetter) {
  const auto model = trained(200);
  const auto unseen = chain(5000, 999);
  metrics::BitsPerBase unigram, bigram, trigram, one_side;
  for (size_t i = 2; i + 2 < unseen.size(); ++i) {
    const auto bits = [](double p) { return -std::log2(p); };
    const auto p = model.probabilities({unseen[i - 2], unseen[i - 1], unseen[i + 1], unseen[i + 2]}, unseen[i]);
    unigram.add(bits(p.unigram), 4, false);
    bigram.add(bits(p.bigram), 4, false);
    trigram.add(bits(p.trigram), 4, false);
    one_side.add(bits(model.probabilities({kUnknown, unseen[i - 1], kUnknown, kUnknown}, unseen[i]).bigram), 4, false);
  }
  EXPECT_LT(one_side.value(), unigram.value() - 0.05);
  EXPECT_LT(bigram.value(), one_side.value() - 0.05);
  EXPECT_LT(trigram.value(), bigram.value() - 0.05);
}

TEST(Ngram, NoiseGetsTheMostPseudoCounts) {
  NgramTrainer trainer(kVocabulary);
  Rng rng(4);
  for (int part = 0; part < 30; ++part) {
    std::vector<uint16_t> tokens(2000);
    for (auto& token : tokens) token = static_cast<uint16_t>(rng.below(37));
    trainer.add(tokens);
  }
  EXPECT_GE(trainer.finish().bigram_smoothing().one, 10000);
  EXPECT_LE(trained().bigram_smoothing().one, 3000);
}

TEST(Ngram, StopsWhenFullAndRefusesNothing) {
  NgramTrainer trainer(kVocabulary, 3000);
  EXPECT_TRUE(trainer.add(chain(2000, 1)));
  EXPECT_FALSE(trainer.add(chain(2000, 2)));
  EXPECT_EQ(trainer.finish().tokens(), 3000);
  EXPECT_THROW(NgramTrainer(kVocabulary).finish(), Error);
  EXPECT_THROW(NgramTrainer(70000), Error);
}

}  // namespace
}  // namespace bigdna::mlm
