/// What training looks at between steps: how well scores rank, or correlate with, the labels of validation rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rows/task_rows.h"

namespace bigdna::evaluation {

class ValidationMetrics {
 public:
  /// `data` must outlive it.
  ValidationMetrics(const rows::TaskRows& data, std::vector<int64_t> rows);

  /// `scores`: of the rows, row-major [rows, labels]; of counts, logarithms. Labels: validation_auroc and
  /// validation_auprc, medians over features, and validation_auroc_GROUP where there are several groups; numbers:
  /// validation_pearson and validation_spearman, means; counts: validation_pearson (of log(1 + count)) and
  /// validation_deviance_explained, means over tracks.
  std::map<std::string, double> of(const std::vector<double>& scores) const;
  /// The one by which the best parameters are chosen; larger is better.
  static std::string best_of(dataset::LabelType type);
  /// The last word of its name: what learning curves show.
  static const char* of_type(dataset::LabelType type);

 private:
  bool numbers() const { return data_.type == dataset::LabelType::regression; }
  std::map<std::string, double> of_labels(const std::vector<double>& scores) const;
  std::map<std::string, double> of_numbers(const std::vector<double>& scores) const;
  std::map<std::string, double> of_counts(const std::vector<double>& scores) const;

  const rows::TaskRows& data_;
  std::vector<int64_t> rows_;
  std::vector<std::vector<int64_t>> known_;  // of each feature, the places of the rows in which it is known
  std::vector<std::vector<uint8_t>> truth_;  // of each feature, of these rows
};

}  // namespace bigdna::evaluation
