#include "metrics/kmer_frequencies.h"
#include "metrics/logistic_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/rng.h"
#include "metrics/classification.h"

namespace bigdna::metrics {
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

TEST(LogisticRegression, FindsTheMinimum) {
  // one column -1/+1 with 3:1 odds: without a penalty w = ln 3 (standardised columns are the values
  // themselves)
  FeatureMatrix features{8, 1, {-1, -1, -1, -1, 1, 1, 1, 1}};
  const std::vector<uint8_t> labels{0, 0, 0, 1, 1, 1, 1, 0};
  const auto model = LogisticRegression::fit(StandardisedFeatures(features), labels, 0);
  const auto logits = model.logits(FeatureMatrix{2, 1, {-1, 1}});
  EXPECT_NEAR(logits[0], -std::log(3), 1e-3);
  EXPECT_NEAR(logits[1], std::log(3), 1e-3);
}

TEST(LogisticRegression, WeightsOfColumnsAsTheyAre) {
  FeatureMatrix features{6, 3, {1, 20, 5, 2, 10, 5, 4, 30, 5, 3, 10, 5, 5, 20, 5, 9, 10, 5}};  // the last column says nothing
  const auto model = LogisticRegression::fit(StandardisedFeatures(features), std::vector<uint8_t>{0, 1, 1, 0, 1, 1}, 0.1);
  const auto logits = model.logits(features);
  for (int64_t i = 0; i < 6; ++i) {
    double sum = model.intercept();
    for (int64_t j = 0; j < 3; ++j) sum += model.weight(j) * features.row(i)[j];
    EXPECT_NEAR(sum, logits[static_cast<size_t>(i)], 1e-4);
  }
  EXPECT_EQ(model.weight(2), 0);
}

TEST(LogisticRegression, LearnsASimulatedSignalAndNotNoise) {
  auto make = [](uint64_t seed, bool signal, FeatureMatrix& features, std::vector<uint8_t>& labels) {
    Rng rng(seed);
    for (int i = 0; i < 400; ++i) {
      std::string bases;
      const bool label = i % 2;
      for (int j = 0; j < 200; ++j) bases += "ACGT"[rng.below(4)];
      if (label && signal)
        for (int j = 0; j < 5; ++j) bases.replace(rng.below(190), 4, "CGCG");
      const auto row = kmer_frequencies(bases, 3);
      features.values.insert(features.values.end(), row.begin(), row.end());
      features.columns = static_cast<int64_t>(row.size());
      ++features.rows;
      labels.push_back(label);
    }
  };
  for (const bool signal : {true, false}) {
    FeatureMatrix train, validation, test;
    std::vector<uint8_t> train_labels, validation_labels, test_labels;
    make(1, signal, train, train_labels);
    make(2, signal, validation, validation_labels);
    make(3, signal, test, test_labels);
    const auto model = fit_by_validation(StandardisedFeatures(train), train_labels, validation, validation_labels);
    const double auroc = Ranking(model.logits(test), test_labels).auroc();
    if (signal) {
      EXPECT_GT(auroc, 0.9);
    } else {
      EXPECT_NEAR(auroc, 0.5, 0.12);
    }
  }
}

}  // namespace
}  // namespace bigdna::metrics
