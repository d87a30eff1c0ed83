#include "models/link.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bigdna::models {
namespace {

TEST(Link, AWeightIsTakenBackFromTheOdds) {
  Link link;
  link.weights = {8, 1};
  std::vector<double> given{0.5, 0.3, 0, 0, 1, 1};
  link.correct(given, 2);
  const std::vector<double> expected{1. / 9, 0.3, 0, 0, 1, 1};
  for (size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(given[i], expected[i], 1e-15);
  // from a logit on: the odds of almost 1 keep their digits, which a float would have lost
  std::vector<double> almost{14, -14};
  link.apply(almost, 2);
  link.correct(almost, 2);
  EXPECT_NEAR((1 - almost[0]) / (8 * std::exp(-14)), 1, 1e-4);
  EXPECT_NEAR(almost[1] / std::exp(-14), 1, 1e-5);
}

TEST(Link, APartCountsNoWeightsAndHasTheNumbersUnits) {
  std::vector<double> logits{0, 2};
  Link link;
  link.weights = {8};
  link.of_part(logits, 2);
  EXPECT_DOUBLE_EQ(logits[0], 0.5);
  EXPECT_DOUBLE_EQ(logits[1], 1 / (1 + std::exp(-2)));
  std::vector<double> numbers{0, 2, -1, 1};
  link.kind = Link::Kind::linear;
  link.mean = {10, 20};
  link.scale = {3, 5};
  link.of_part(numbers, 2);
  EXPECT_EQ(numbers, (std::vector<double>{10, 30, 7, 25}));
}

TEST(Link, OutputsOfSeveralKinds) {
  std::vector<dataset::Feature> features{{"peaks", "-", "-", "-"}, {"track", "-", "-", "-"}};
  EXPECT_TRUE(links_of(features).empty()) << "labels alone";
  features[1].kind = dataset::FeatureKind::counts;
  Link link;
  link.weights = {8, 1};
  link.of_outputs = links_of(features);
  std::vector<double> logits{0, std::log(12.5), std::log(8.), -1}, log_odds{0, std::log(12.5)};
  link.apply(logits, 2);
  link.correct(logits, 2);
  EXPECT_NEAR(logits[0], 1. / 9, 1e-12);
  EXPECT_NEAR(logits[1], 12.5, 1e-12);
  EXPECT_NEAR(logits[2], 0.5, 1e-12);
  EXPECT_NEAR(logits[3], std::exp(-1), 1e-12);
  link.to_log_odds(log_odds);
  EXPECT_NEAR(log_odds[0], -std::log(8.), 1e-12);
  EXPECT_NEAR(log_odds[1], std::log(12.5), 1e-12);
}

}  // namespace
}  // namespace bigdna::models
