#include "evaluation/cell_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace bigdna::evaluation {
namespace {

using dataset::Feature;

TEST(CellEvaluation, OutputsOfOneNameInSeveralCellsBelongTogether) {
  const std::vector<Feature> features{
      {"CTCF", "A", "1", "TF"}, {"CTCF", "B", "2", "TF"},      {"CTCF", "A", "3", "TF"},     {"DNase", "A", "4", "DHS"},
      {"CTCF", "C", "5", "HM"}, {"TSS", "-", "-", "TSS", '+'}, {"TSS", "-", "-", "TSS", '-'}};
  EXPECT_EQ(outputs_by_target(features), (std::vector<std::vector<size_t>>{{0, 1}}));
}

TEST(CellEvaluation, DeviationsOfEqualValuesAreExactlyZero) {
  const std::vector<double> values{0.1, -2.7, 1e-9, 1.0 / 3};
  for (const float value : deviations({values, values, values}, 1)) EXPECT_EQ(value, 0);
  EXPECT_FLOAT_EQ(deviations({{4}, {1}, {1}}, 0)[0], 2);
}

/// Over all ordered pairs, by its definition.
double by_pairs(const std::vector<float>& scores, const std::vector<double>& shares) {
  double right = 0, pairs = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    for (size_t j = 0; j < scores.size(); ++j) {
      if (i == j) continue;
      const double chance = shares[i] * (1 - shares[j]);
      pairs += chance;
      right += chance * (scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0);
    }
  return right / pairs;
}

TEST(CellEvaluation, ExpectedAurocIsThatOfAllPairs) {
  Rng rng(1);
  std::vector<float> scores;
  std::vector<double> shares;
  for (int i = 0; i < 60; ++i) {
    scores.push_back(static_cast<float>(rng.below(20)));
    shares.push_back(static_cast<double>(rng.below(4)) / 3);
  }
  EXPECT_NEAR(expected_auroc(scores, shares), by_pairs(scores, shares), 1e-12);
  std::vector<double> labels;
  for (const double share : shares) labels.push_back(share > 0.5);
  EXPECT_NEAR(expected_auroc(scores, labels), by_pairs(scores, labels), 1e-12);
}

TEST(CellEvaluation, EqualSharesOrEqualScoresGiveHalf) {
  EXPECT_DOUBLE_EQ(expected_auroc(std::vector<float>{3, 1, 2, 2}, std::vector<double>(4, 0.5)), 0.5);
  EXPECT_DOUBLE_EQ(expected_auroc(std::vector<float>(3, 0), std::vector<double>{1. / 3, 2. / 3, 1. / 3}), 0.5);
  EXPECT_TRUE(std::isnan(expected_auroc(std::vector<float>{1, 2}, std::vector<double>{1, 1})));
}

/// An output whose scores follow how many cells have the label, and not which: labels that are shuffled among the cells
/// give it more than a half.
TEST(CellEvaluation, ChanceShowsWhatTheNumberOfCellsGives) {
  EXPECT_GT(expected_auroc(std::vector<float>{1, 1, 2, 2}, std::vector<double>{1. / 3, 1. / 3, 2. / 3, 2. / 3}), 0.6);
}

}  // namespace
}  // namespace bigdna::evaluation
