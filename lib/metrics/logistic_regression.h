/// Logistic regression on a matrix of features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// A row-major matrix of features.
struct FeatureMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;
  std::span<float> row(int64_t i) { return {values.data() + i * columns, static_cast<size_t>(columns)}; }
  std::span<const float> row(int64_t i) const {
    return {values.data() + i * columns, static_cast<size_t>(columns)};
  }
};

/// What a model is fitted on: columns of mean 0 and variance 1 (of zeros, where a column is constant: it says nothing).
/// Made once for all the labels that are fitted on the same rows.
struct StandardisedFeatures {
  explicit StandardisedFeatures(FeatureMatrix features);
  FeatureMatrix values;
  std::vector<double> mean, scale;  // of each column: values = (features - mean) * scale
};

/// Linear logits w.x + b over standardised columns.
class LogisticRegression {
 public:
  /// Fits by L-BFGS: mean log loss + penalty / 2 |w|^2. `start` (of the same columns) is where it begins: a path of
  /// penalties costs little more than one.
  static LogisticRegression fit(const StandardisedFeatures& features, std::span<const uint8_t> labels,
                                double penalty, int iterations = 100,
                                const LogisticRegression* start = nullptr);
  std::vector<float> logits(const FeatureMatrix& features) const;
  /// The same logits as intercept() + sum of weight(j) x_j, of columns as they are.
  double weight(int64_t column) const { return weights_[static_cast<size_t>(column)] * scale_[static_cast<size_t>(column)]; }
  double intercept() const;

 private:
  std::vector<double> mean_, scale_, weights_;  // weights_: one a column, then the bias
};

/// Fits on the training rows for penalties from strong to weak and keeps the one with the best AUROC on the
/// validation rows, or the strongest where those lack a class or are none.
LogisticRegression fit_by_validation(const StandardisedFeatures& train, std::span<const uint8_t> train_labels,
                                     const FeatureMatrix& validation,
                                     std::span<const uint8_t> validation_labels);

}  // namespace bigdna::metrics
