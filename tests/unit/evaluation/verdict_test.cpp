#include "evaluation/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace bigdna::evaluation {
namespace {

using Json = nlohmann::ordered_json;

Json estimate(double value, double low, double high) { return {{"value", value}, {"low", low}, {"high", high}}; }

/// An evaluation of one label, in which the model is `value` [`low`, `high`] ahead of k-mers and far ahead of chance.
Json beside_kmers(double value, double low, double high) {
  Json json;
  json["methods"]["bigdna"]["auroc"] = estimate(0.9, 0.88, 0.92);
  json["methods"]["kmers"]["auroc"] = estimate(0.9 - value, 0.8, 0.95);
  json["differences"]["bigdna-kmers"]["auroc"] = estimate(value, low, high);
  return json;
}

Verdict verdict_of(const Json& json, std::optional<int64_t> seen = {}) {
  const auto verdicts = verdicts_of(json, "bigdna", {"a", "b", "c", "d", "e"}, seen, 613);
  EXPECT_EQ(verdicts.size(), 1U);
  return verdicts.front();
}

TEST(Verdict, AnIntervalAboveZeroIsBetter) {
  const auto verdict = verdict_of(beside_kmers(0.061, 0.03, 0.095));
  EXPECT_EQ(verdict.standing, Standing::better);
  EXPECT_EQ(verdict.text, "better than k-mers by 0.061 [0.030, 0.095] (AUROC)");
}

TEST(Verdict, AnIntervalThatHoldsZeroIsNoBetter) {
  const auto verdict = verdict_of(beside_kmers(0.006, -0.012, 0.02));
  EXPECT_EQ(verdict.standing, Standing::no_better);
  EXPECT_EQ(
      verdict.text,
      "no better than k-mers: difference 0.0060 [-0.0120, 0.0200] (AUROC); more training examples, longer "
      "training, a trained model to begin from or an encoder may help (bigdna train --epochs, --from, --encoder)");
  EXPECT_EQ(verdict_of(beside_kmers(0.1, 0, 0.2)).standing, Standing::no_better);
}

TEST(Verdict, AnIntervalBelowZeroIsWorseAndSaysWhatToUse) {
  const auto verdict = verdict_of(beside_kmers(-0.137, -0.2, -0.062));
  EXPECT_EQ(verdict.standing, Standing::worse);
  EXPECT_EQ(verdict.text,
            "WORSE than k-mers by 0.137 [0.062, 0.200] (AUROC): use k-mers (bigdna train has them), train longer, or "
            "begin from a trained model (bigdna train --epochs, --from)");
}

TEST(Verdict, OfABaselineThatIsEqualInEveryResampleIsByTheOthers) {
  const auto verdict = verdict_of(beside_kmers(0, 0, 0));
  EXPECT_EQ(verdict.text.find("no better"), std::string::npos) << verdict.text;
  EXPECT_TRUE(verdict.text.ends_with("; no different in any resample from k-mers")) << verdict.text;
}

TEST(Verdict, ADifferenceWithoutAnIntervalDecidesNothing) {
  const auto verdict = verdict_of(beside_kmers(0.02, NAN, NAN));
  EXPECT_EQ(verdict.standing, Standing::undecided);
  EXPECT_EQ(verdict.text, "no verdict: 0.020 from k-mers (AUROC), without an interval");
}

TEST(Verdict, WithoutABaselineThereIsChance) {
  Json json;
  json["methods"]["bigdna"]["auroc"] = estimate(0.55, 0.48, 0.62);
  EXPECT_EQ(verdict_of(json).text,
            "no better than chance: difference 0.050 [-0.020, 0.120] (AUROC); no other baseline was measured");
  json["methods"]["bigdna"]["auroc"] = estimate(0.4, 0.3, 0.48);
  EXPECT_EQ(verdict_of(json).standing, Standing::worse);
}

TEST(Verdict, WithoutAnyScoreThereIsNone) {
  Json json;
  json["methods"]["bigdna"]["auroc"] = {{"value", nullptr}, {"low", nullptr}, {"high", nullptr}};
  json["differences"]["bigdna-kmers"]["auroc"] = json["methods"]["bigdna"]["auroc"];
  const auto verdict = verdict_of(json);
  EXPECT_EQ(verdict.standing, Standing::undecided);
  EXPECT_FALSE(verdict.comparison);
  EXPECT_EQ(verdict.text, "no verdict: no baseline has a score of these rows");
}

TEST(Verdict, TheBaselineThatTheModelDoesWorstAgainstDecides) {
  auto json = beside_kmers(0.061, 0.03, 0.095);
  json["differences"]["bigdna-kmers-bin"]["auroc"] = estimate(0.02, 0.01, 0.04);
  json["differences"]["bigdna-network"]["auroc"] = estimate(-0.02, -0.04, -0.01);  // a part of the model
  EXPECT_EQ(verdict_of(json).text, "better than k-mers of the bin by 0.020 [0.010, 0.040] (AUROC)");
}

TEST(Verdict, AConstantWithoutACorrelationIsComparedByR2) {
  Json json;
  json["methods"]["bigdna"] = {{"pearson", estimate(0.3, 0.2, 0.4)}, {"r2", estimate(-0.03, -0.05, -0.01)}};
  json["differences"]["bigdna-kmers"] = {{"pearson", estimate(0.1, 0.05, 0.2)}, {"r2", estimate(-0.1, -0.2, -0.05)}};
  json["differences"]["bigdna-constant"] = {{"pearson", estimate(NAN, NAN, NAN)},
                                            {"r2", estimate(-0.03, -0.05, -0.01)}};
  EXPECT_EQ(verdict_of(json).text, "WORSE than a constant by 0.030 [0.010, 0.050] (R2): do not use this model");
}

TEST(Verdict, OutputsThatAreWorseByThemselvesAreNamed) {
  Json json;
  json["groups"]["TF"]["bigdna"]["auroc_median"] = estimate(0.1, 0.05, 0.15);
  json["groups"]["all"]["bigdna"]["auroc_median"] = estimate(0.8, 0.75, 0.85);
  json["groups"]["all"]["bigdna-kmers"]["auroc_median"] = estimate(0.05, 0.01, 0.1);
  for (int i = 0; i < 5; ++i)
    json["features"].push_back({{"index", i}, {"minus_kmers", estimate(i - 3.5, i - 4, i - 3)}});
  const auto verdict = verdict_of(json);
  EXPECT_EQ(verdict.outputs, 5);
  EXPECT_EQ(verdict.worse, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(verdict.text,
            "better than k-mers by 0.050 [0.010, 0.100] (median AUROC); WORSE in 3 of 5 outputs (a, b, c)");
}

TEST(Verdict, TracksHaveTheirOwn) {
  auto json = beside_kmers(0.061, 0.03, 0.095);
  json["all_tracks"]["bigdna"]["pearson_log1p"] = estimate(0.5, 0.45, 0.55);
  json["all_tracks"]["bigdna"]["pearson"] = estimate(0.9, 0.8, 0.95);  // counts have it, too: a few high bins decide it
  json["all_tracks"]["bigdna-gc"]["pearson"] = estimate(0.3, 0.2, 0.4);
  json["all_tracks"]["bigdna-gc"]["pearson_log1p"] = estimate(-0.1, -0.2, -0.05);
  json["tracks"].push_back({{"index", 4}, {"all", {{"bigdna-gc", {{"pearson_log1p", estimate(-0.1, -0.2, -0.05)}}}}}});
  const auto verdicts = verdicts_of(json, "bigdna", {"a", "b", "c", "d", "e"}, {}, 9);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].text.substr(0, 19), "labels: better than");
  EXPECT_EQ(verdicts[1].standing, Standing::worse);
  EXPECT_EQ(verdicts[1].text.substr(0, 28), "tracks: WORSE than GC conten");
}

TEST(Verdict, RowsThatTheModelHasReadStandBesideIt) {
  EXPECT_EQ(
      verdict_of(beside_kmers(0.061, 0.03, 0.095), 14).text,
      "better than k-mers by 0.061 [0.030, 0.095] (AUROC); 14 of these 613 examples were in the training data, which "
      "flatters the model");
  EXPECT_EQ(verdict_of(beside_kmers(0.061, 0.03, 0.095), 0).text, "better than k-mers by 0.061 [0.030, 0.095] (AUROC)");
}

TEST(Verdict, InJson) {
  const auto json = to_json({verdict_of(beside_kmers(-0.1, -0.2, -0.05))});
  EXPECT_EQ(json[0]["standing"], "worse");
  EXPECT_EQ(json[0]["than"], "kmers");
  EXPECT_EQ(json[0]["difference"]["low"], -0.2);
  EXPECT_EQ(to_json({Verdict{.of = "labels"}})[0].contains("than"), false);
}

}  // namespace
}  // namespace bigdna::evaluation
