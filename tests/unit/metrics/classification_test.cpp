#include "metrics/classification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/rng.h"

namespace bigdna::metrics {
namespace {

double naive_auroc(const std::vector<float>& scores, const std::vector<uint8_t>& labels) {  // over all pairs
  double right = 0, pairs = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    for (size_t j = 0; j < scores.size(); ++j)
      if (labels[i] && !labels[j]) {
        ++pairs;
        right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
  return right / pairs;
}

TEST(Auroc, ByHand) {
  const std::vector<uint8_t> labels{1, 0, 1, 0};
  EXPECT_DOUBLE_EQ(Ranking(std::vector<float>{4, 3, 2, 1}, labels).auroc(), 0.75);
  EXPECT_DOUBLE_EQ(Ranking(std::vector<float>{1, 1, 1, 1}, labels).auroc(), 0.5);
  EXPECT_DOUBLE_EQ(Ranking(std::vector<float>{2, 2, 3, 1}, labels).auroc(), 0.875);
  EXPECT_TRUE(std::isnan(Ranking(std::vector<float>{1, 2}, std::vector<uint8_t>{1, 1}).auroc()));
  EXPECT_TRUE(std::isnan(Ranking(std::vector<float>{}, std::vector<uint8_t>{}).auroc()));
}

TEST(Auprc, ByHand) {
  // precision 1/1 at recall 1/2, 2/3 at 1
  EXPECT_DOUBLE_EQ(Ranking(std::vector<float>{4, 3, 2, 1}, std::vector<uint8_t>{1, 0, 1, 0}).auprc(),
                   (1 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(Ranking(std::vector<float>{1, 1, 1, 1}, std::vector<uint8_t>{1, 0, 0, 0}).auprc(), 0.25);
  EXPECT_TRUE(std::isnan(Ranking(std::vector<float>{1, 2}, std::vector<uint8_t>{0, 0}).auprc()));
}

TEST(Ranking, RefusesWhatCannotBeRanked) {
  EXPECT_THROW(Ranking(std::vector<float>{1, std::nanf("")}, std::vector<uint8_t>{1, 0}), Error);
  EXPECT_THROW(Ranking(std::vector<float>{1}, std::vector<uint8_t>{1, 0}), Error);
}

TEST(Ranking, WeightsCountRowsThatOften) {
  const std::vector<float> scores{4, 3, 2, 1}, repeated{4, 4, 3, 1, 1, 1};
  const std::vector<uint8_t> labels{1, 0, 1, 0}, repeated_labels{1, 1, 0, 0, 0, 0};
  const std::vector<int64_t> weights{2, 1, 0, 3};
  EXPECT_EQ(Ranking(scores, labels).auroc(weights), Ranking(repeated, repeated_labels).auroc());
  EXPECT_EQ(Ranking(scores, labels).auprc(weights), Ranking(repeated, repeated_labels).auprc());
}

TEST(Threshold, GreatestF1) {
  const std::vector<float> scores{0.9f, 0.8f, 0.4f, 0.3f};
  const std::vector<uint8_t> labels{1, 1, 0, 1};
  // F1 at .8: 4/5; at .3: 6/7, the greatest
  const double threshold = Ranking(scores, labels).best_f1_threshold();
  EXPECT_FLOAT_EQ(threshold, 0.3f);
  const std::vector<uint8_t> other{1, 1, 0, 0};
  EXPECT_FLOAT_EQ(Ranking(scores, other).best_f1_threshold(), 0.6f);
  EXPECT_EQ(confusion(scores, other, 0.6).f1(), 1);
  EXPECT_THROW(Ranking(scores, std::vector<uint8_t>(4, 0)).best_f1_threshold(), Error);
}

TEST(Confusion, ByHand) {
  Confusion counts{6, 2, 10, 3};
  EXPECT_DOUBLE_EQ(counts.precision(), 0.75);
  EXPECT_DOUBLE_EQ(counts.recall(), 6.0 / 9);
  EXPECT_DOUBLE_EQ(counts.f1(), 12.0 / 17);
  EXPECT_DOUBLE_EQ(counts.accuracy(), 16.0 / 21);
  EXPECT_DOUBLE_EQ(counts.mcc(), (6.0 * 10 - 2 * 3) / std::sqrt(8.0 * 9 * 12 * 13));
  EXPECT_EQ(Confusion{}.f1(), 0);
  EXPECT_EQ(Confusion{}.mcc(), 0);
}

TEST(Summary, SkipsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(median(std::vector<double>{3, nan, 1, 2, 10}), 2.5);
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{3, nan, 1, 2, 10}), 4);
  EXPECT_TRUE(std::isnan(median({})));
}

// Random, tied and degenerate inputs, checked over all pairs here; with BIGDNA_METRICS_CASES set they are
// also written there, for tests/peers/metrics_test.py to compare with scikit-learn.
TEST(Auroc, EqualsAllPairs) {
  auto cases = nlohmann::json::array();
  for (uint64_t number = 0; number < 60; ++number) {
    Rng rng(7, number);
    const size_t rows = 2 + rng.below(400);
    const uint64_t levels = number % 3 == 0 ? 3 : number % 3 == 1 ? 50 : 1000000;
    std::vector<float> scores(rows);
    std::vector<uint8_t> labels(rows);
    for (size_t i = 0; i < rows; ++i) {
      labels[i] = rng.uniform() < (number % 5 == 0 ? 0.02 : 0.4);
      scores[i] = static_cast<float>(rng.below(levels)) / static_cast<float>(levels) + (labels[i] ? 0.2f : 0.f);
    }
    const Ranking ranking(scores, labels);
    const double auroc = ranking.auroc();
    if (!std::isnan(auroc)) {
      EXPECT_NEAR(auroc, naive_auroc(scores, labels), 1e-13) << "case " << number;
    }
    if (std::isnan(ranking.auprc())) continue;
    const double threshold = ranking.best_f1_threshold();
    const Confusion counts = confusion(scores, labels, threshold);
    for (const float score : scores) EXPECT_GE(counts.f1(), confusion(scores, labels, score).f1());
    cases.push_back({{"scores", scores},
                     {"labels", labels},
                     {"auroc", auroc},
                     {"auprc", ranking.auprc()},
                     {"threshold", threshold},
                     {"f1", counts.f1()},
                     {"precision", counts.precision()},
                     {"recall", counts.recall()},
                     {"mcc", counts.mcc()},
                     {"accuracy", counts.accuracy()}});
  }
  EXPECT_GT(cases.size(), 50u);
  if (const char* path = std::getenv("BIGDNA_METRICS_CASES")) std::ofstream(path) << cases.dump();
}

TEST(Ranking, CurveCountsEitherClassAtEachScore) {
  const std::vector<float> scores{0.1F, 0.9F, 0.9F, 0.5F};
  const std::vector<uint8_t> labels{0, 1, 0, 1};
  const auto curve = Ranking(scores, labels).curve();
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_EQ(curve[0].score, 0.9F);
  EXPECT_EQ(curve[0].true_positives, 1);
  EXPECT_EQ(curve[0].false_positives, 1);
  EXPECT_EQ(curve[1].true_positives, 2);
  EXPECT_EQ(curve[2].false_positives, 2);
  const auto ends = Ranking(scores, labels).curve(2);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].score, 0.9F);
  EXPECT_EQ(ends[1].score, 0.1F);
}

TEST(Ranking, AShortenedCurveFollowsTheWholeOneWhereOnesAreRare) {
  Rng rng(5);
  std::vector<float> scores;
  std::vector<uint8_t> labels;
  for (int i = 0; i < 30'000; ++i) {
    labels.push_back(i % 500 == 0);
    scores.push_back(static_cast<float>(rng.uniform() + (labels.back() ? rng.uniform() : 0)));
  }
  const Ranking ranking(scores, labels);
  const auto whole = ranking.curve(scores.size()), shortened = ranking.curve(120);
  ASSERT_GT(whole.size(), 20'000u);
  EXPECT_LE(shortened.size(), 120u);
  EXPECT_GT(shortened.size(), 60u);
  // the area below straight lines through the points
  const auto area = [](const std::vector<Ranking::Point>& points, auto x, auto y) {
    double sum = 0;
    for (size_t i = 1; i < points.size(); ++i)
      sum += (x(points[i]) - x(points[i - 1])) * (y(points[i]) + y(points[i - 1])) / 2;
    return sum;
  };
  const auto recall = [](const auto& point) { return static_cast<double>(point.true_positives) / 60; };
  const auto false_positives = [](const auto& point) { return static_cast<double>(point.false_positives) / 29'940; };
  const auto precision = [](const auto& point) {
    return static_cast<double>(point.true_positives) /
           static_cast<double>(point.true_positives + point.false_positives);
  };
  EXPECT_NEAR(area(shortened, recall, precision), area(whole, recall, precision), 0.01);
  EXPECT_NEAR(area(shortened, false_positives, recall), ranking.auroc(), 0.01);
}

}  // namespace
}  // namespace bigdna::metrics
