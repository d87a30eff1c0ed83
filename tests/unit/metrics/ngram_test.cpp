#include "metrics/ngram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/rng.h"
#include "metrics/bits_per_base.h"

namespace bigdna::metrics {
namespace {

constexpr int kVocabulary = 40;

/// A first-order chain: token t is followed by 3 t + 1 (mod 37) half of the time, else by anything.
std::vector<uint16_t> chain(size_t length, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint16_t> tokens{3};
  while (tokens.size() < length)
    tokens.push_back(static_cast<uint16_t>(rng.below(2) ? (3 * tokens.back() + 1) % 37 : rng.below(37)));
  return tokens;
}

NgramModel trained() {
  NgramTrainer trainer(kVocabulary);
  for (uint64_t part = 0; part < 10; ++part) trainer.add(chain(2000, part));
  return trainer.finish();
}

TEST(Ngram, EveryDistributionSumsToOne) {
  const auto model = trained();
  for (const int32_t left : {NgramModel::kUnknown, 0, 7, 38}) {
    for (const int32_t right : {NgramModel::kUnknown, 1, 22, 39}) {
      double bigram = 0, causal = 0, two_sided = 0, unigram = 0;
      for (int32_t t = 0; t < kVocabulary; ++t) {
        unigram += model.unigram(t);
        bigram += model.bigram(left, t);
        causal += model.causal(right, left, t);
        two_sided += model.two_sided(left, t, right);
      }
      EXPECT_NEAR(unigram, 1, 1e-9);
      EXPECT_NEAR(bigram, 1, 1e-6);
      EXPECT_NEAR(causal, 1, 1e-6);
      EXPECT_NEAR(two_sided, 1, 1e-6) << left << " " << right;
    }
  }
}

TEST(Ngram, TwoSidedIsBayesUnderTheBigram) {
  const auto model = trained();
  double total = 0;
  for (int32_t t = 0; t < kVocabulary; ++t) total += model.bigram(5, t) * model.bigram(t, 12);
  for (int32_t t = 0; t < kVocabulary; ++t)
    EXPECT_NEAR(model.two_sided(5, t, 12), model.bigram(5, t) * model.bigram(t, 12) / total, 1e-9);
}

TEST(Ngram, MoreContextPredictsAChainBetter) {
  const auto model = trained();
  const auto unseen = chain(5000, 99);
  BitsPerBase unigram, causal, two_sided;
  for (size_t i = 2; i + 1 < unseen.size(); ++i) {
    unigram.add(-std::log2(model.unigram(unseen[i])), 4, false);
    causal.add(-std::log2(model.causal(unseen[i - 2], unseen[i - 1], unseen[i])), 4, false);
    two_sided.add(-std::log2(model.two_sided(unseen[i - 1], unseen[i], unseen[i + 1])), 4, false);
  }
  EXPECT_LT(causal.value(), unigram.value() - 0.3);
  EXPECT_LT(two_sided.value(), causal.value() - 0.3);
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
}  // namespace bigdna::metrics
