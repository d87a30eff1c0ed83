#include "metrics/multiclass.h"
#include "metrics/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/rng.h"

namespace bigdna::metrics {
namespace {

TEST(ClassCounts, ByHand) {
  ClassCounts counts(3);  // of class 0 two are right; of class 1 one is called 2; class 2 is always right
  counts.add(0, 0, 2);
  counts.add(1, 2);
  counts.add(2, 2, 3);
  EXPECT_EQ(counts.total(), 6);
  EXPECT_DOUBLE_EQ(counts.accuracy(), 5.0 / 6);
  EXPECT_DOUBLE_EQ(counts.f1_macro(), (1 + 0 + 6.0 / 7) / 3);
  // (c s - sum of t p) / sqrt((s^2 - sum p^2)(s^2 - sum t^2)): 5 x 6 - (4 + 12), 36 - 20, 36 - 14
  EXPECT_DOUBLE_EQ(counts.mcc(), 14 / std::sqrt(16.0 * 22));
  EXPECT_EQ(counts.of(2).false_positives, 1);
  EXPECT_EQ(ClassCounts(3).mcc(), 0);
  EXPECT_THROW(counts.add(3, 0), Error);
}

TEST(ClassCounts, TwoClassesAreTheBinaryMetrics) {
  ClassCounts counts(2);
  counts.add(1, 1, 6);
  counts.add(0, 1, 2);
  counts.add(0, 0, 10);
  counts.add(1, 0, 3);
  EXPECT_DOUBLE_EQ(counts.mcc(), Confusion(6, 2, 10, 3).mcc());
  EXPECT_DOUBLE_EQ(counts.accuracy(), Confusion(6, 2, 10, 3).accuracy());
}

TEST(ClassCounts, TheFirstOfEqualScoresIsCalled) {
  const auto counts = class_counts(std::vector<int32_t>{0, 1}, std::vector<float>{0.5f, 0.5f, 0.2f, 0.8f}, 2);
  EXPECT_EQ(counts.at(0, 0), 1);
  EXPECT_EQ(counts.at(1, 1), 1);
}

TEST(MultilabelF1, ByHand) {
  const std::vector<Confusion> labels{{1, 0, 0, 0}, {1, 2, 0, 2}};
  EXPECT_DOUBLE_EQ(f1_macro(labels), (1 + 2.0 / 6) / 2);
  EXPECT_DOUBLE_EQ(f1_micro(labels), 4.0 / 8);
  EXPECT_EQ(f1_macro({}), 0);
}

TEST(RegressionPairs, ByHand) {
  const RegressionPairs pairs(std::vector<float>{1, 2, 3, 4}, std::vector<float>{2, 2, 4, 4});
  EXPECT_NEAR(pairs.pearson(), 4 / std::sqrt(5.0 * 4), 1e-15);
  EXPECT_NEAR(pairs.spearman(), 4 / std::sqrt(5.0 * 4), 1e-15);
  EXPECT_NEAR(pairs.r2(), 1 - 2.0 / 5, 1e-15);
  EXPECT_NEAR(pairs.rmse(), std::sqrt(0.5), 1e-15);
  EXPECT_TRUE(std::isnan(RegressionPairs(std::vector<float>{1, 2}, std::vector<float>{0.1f, 0.1f}).pearson()));
  EXPECT_TRUE(std::isnan(RegressionPairs(std::vector<float>{1, 2, 3}, std::vector<float>(3, 0.1e-20f)).pearson()));
  EXPECT_NEAR(
      RegressionPairs(std::vector<float>{1e-18f, 2e-18f, 3e-18f, 4e-18f}, std::vector<float>{2, 2, 4, 4}).pearson(),
      4 / std::sqrt(5.0 * 4), 1e-6);  // small numbers are no constant
  EXPECT_TRUE(std::isnan(RegressionPairs(std::vector<float>{1}, std::vector<float>{1}).r2()));
  EXPECT_THROW(RegressionPairs(std::vector<float>{1, std::nanf("")}, std::vector<float>{1, 2}), Error);
  EXPECT_THROW(RegressionPairs(std::vector<float>{1}, std::vector<float>{1, 2}), Error);
}

TEST(RegressionPairs, WeightsCountPairsThatOften) {
  const RegressionPairs once(std::vector<float>{1, 2, 5, 4, 9}, std::vector<float>{2, 7, 2, 5, 1}),
      often(std::vector<float>{1, 1, 2, 4, 4, 4}, std::vector<float>{2, 2, 7, 5, 5, 5});
  const std::vector<int64_t> weights{2, 1, 0, 3, 0};
  EXPECT_NEAR(once.pearson(weights), often.pearson(), 1e-14);
  EXPECT_NEAR(once.spearman(weights), often.spearman(), 1e-14);
  EXPECT_NEAR(once.r2(weights), often.r2(), 1e-14);
  EXPECT_NEAR(once.rmse(weights), often.rmse(), 1e-14);
}

// Random, tied and degenerate inputs; with BIGDNA_MULTICLASS_CASES set they are written there, for
// tests/peers/multiclass_test.py to compare with scikit-learn and SciPy.
TEST(Multiclass, Cases) {
  auto cases = nlohmann::json::array();
  for (uint64_t number = 0; number < 60; ++number) {
    Rng rng(11, number);
    const size_t rows = 3 + rng.below(300);
    const auto classes = static_cast<int64_t>(2 + rng.below(6));
    const uint64_t levels = number % 3 == 0 ? 4 : 1000000;
    std::vector<int32_t> truth;
    std::vector<float> scores, measured, predicted;
    std::vector<std::vector<uint8_t>> labels(3), calls(3);
    std::vector<Confusion> confusions(3);
    for (size_t i = 0; i < rows; ++i) {
      truth.push_back(static_cast<int32_t>(rng.below(number % 7 == 0 ? 1 : static_cast<uint64_t>(classes))));
      for (int64_t c = 0; c < classes; ++c)
        scores.push_back(static_cast<float>(rng.below(levels)) / static_cast<float>(levels) +
                         (c == truth.back() ? 0.3f : 0.f));
      measured.push_back(static_cast<float>(rng.below(levels)) / 1000.f);
      predicted.push_back(measured.back() * 0.5f + static_cast<float>(rng.below(levels)) / 1000.f);
      for (size_t f = 0; f < 3; ++f) {
        labels[f].push_back(rng.uniform() < 0.3);
        calls[f].push_back(rng.uniform() < 0.4);
        confusions[f].add(labels[f].back(), calls[f].back());
      }
    }
    const auto counts = class_counts(truth, scores, classes);
    const RegressionPairs pairs(measured, predicted);
    EXPECT_LE(std::abs(counts.mcc()), 1);
    cases.push_back({{"truth", truth},
                     {"scores", scores},
                     {"classes", classes},
                     {"accuracy", counts.accuracy()},
                     {"f1_macro", counts.f1_macro()},
                     {"mcc", counts.mcc()},
                     {"labels", labels},
                     {"calls", calls},
                     {"multilabel_f1_macro", f1_macro(confusions)},
                     {"multilabel_f1_micro", f1_micro(confusions)},
                     {"measured", measured},
                     {"predicted", predicted},
                     {"pearson", pairs.pearson()},
                     {"spearman", pairs.spearman()},
                     {"r2", pairs.r2()},
                     {"rmse", pairs.rmse()}});
  }
  if (const char* path = std::getenv("BIGDNA_MULTICLASS_CASES")) std::ofstream(path) << cases.dump();
}

}  // namespace
}  // namespace bigdna::metrics
