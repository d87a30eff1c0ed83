/// How often predictions of one of several classes, or of several labels, are right; as in scikit-learn, which
/// tests/peers compares with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/classification.h"

namespace bigdna::metrics {

/// A confusion matrix: how often each class was called each class.
class ClassCounts {
 public:
  explicit ClassCounts(int64_t classes) : classes_(classes), counts_(static_cast<size_t>(classes * classes), 0) {}
  /// Error if a class is not in [0, classes).
  void add(int64_t truth, int64_t call, int64_t weight = 1);
  int64_t at(int64_t truth, int64_t call) const { return counts_[static_cast<size_t>(truth * classes_ + call)]; }
  int64_t classes() const { return classes_; }
  int64_t total() const;
  /// Share of correct calls, which is also F1 over all calls (micro). 0 without rows.
  double accuracy() const;
  /// The mean F1 of the classes that occur as truth or call; a class that is never called correctly counts 0.
  double f1_macro() const;
  /// Matthews' correlation coefficient of several classes (Gorodkin 2004); 0 if all rows, or all calls, are of one
  /// class.
  double mcc() const;
  /// One class against all others.
  Confusion of(int64_t class_index) const;

 private:
  int64_t classes_;
  std::vector<int64_t> counts_;
};

/// `truth`: class of each row. `scores`: row-major [rows, classes]; the class of the greatest is called, the first of
/// equals. `weights`: how often each row counts; once if empty.
ClassCounts class_counts(std::span<const int32_t> truth, std::span<const float> scores, int64_t classes,
                         std::span<const int64_t> weights = {});

/// F1 of several labels: the mean over labels (macro), and over all their calls together (micro). 0 without labels.
double f1_macro(std::span<const Confusion> labels);
double f1_micro(std::span<const Confusion> labels);

}  // namespace bigdna::metrics
