/// The honest baseline of the sequence tasks: logistic regression on k-mer frequencies (issue 8: on real
/// promoters it reaches F1 1.000 against the paper's negatives). What a model does not beat, it did not
/// learn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bigdna::metrics {

/// Frequencies of all words of 1..k bases, one length after the other; each length's sum is 1. Words with N
/// do not count. `both_strands`: a word and its reverse complement are one (tasks without a strand).
std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands = false);

/// A row-major matrix of features.
struct FeatureMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;
  std::span<float> row(int64_t i) { return {values.data() + i * columns, static_cast<size_t>(columns)}; }
  std::span<const float> row(int64_t i) const {
    return {values.data() + i * columns, static_cast<size_t>(columns)};
  }
};

/// Linear logits w.x + b over standardised columns.
class LogisticRegression {
 public:
  /// Fits by L-BFGS: mean log loss + penalty / 2 |w|^2, columns standardised by the training rows. `start`
  /// (of the same columns) is where it begins: a path of penalties costs little more than one.
  static LogisticRegression fit(const FeatureMatrix& features, std::span<const uint8_t> labels,
                                double penalty, int iterations = 100,
                                const LogisticRegression* start = nullptr);
  std::vector<float> logits(const FeatureMatrix& features) const;

 private:
  std::vector<double> mean_, scale_, weights_;  // weights_: one a column, then the bias
};

/// Fits on the training rows for penalties from strong to weak and keeps the one with the best AUROC on the
/// validation rows; both need both classes, otherwise the strongest penalty is taken.
LogisticRegression fit_by_validation(const FeatureMatrix& train, std::span<const uint8_t> train_labels,
                                     const FeatureMatrix& validation,
                                     std::span<const uint8_t> validation_labels);

}  // namespace bigdna::metrics
