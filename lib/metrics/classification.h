/// How well scores separate two classes. Exact, without binning; ties count half (AUROC) or enter together (AUPRC), as
/// in scikit-learn, which tests/peers compares with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::metrics {

/// Scores (any real numbers, not NaN; higher means class 1) and labels (0, 1), sorted once. The metrics then
/// take an optional weight per row, in the order given: how often the row counts (a bootstrap's resample).
class Ranking {
 public:
  /// Error if the lengths differ or a score is NaN.
  Ranking(std::span<const float> scores, std::span<const uint8_t> labels);
  /// Area under the ROC curve = P(score of a 1 > score of a 0) + P(equal) / 2. NaN if a class is missing.
  double auroc(std::span<const int64_t> weights = {}) const;
  /// Area under the precision-recall curve as average precision: the sum of precision x step in recall over the
  /// distinct scores (no interpolation). NaN if there is no row of class 1.
  double auprc(std::span<const int64_t> weights = {}) const;
  /// The threshold with the greatest F1 when rows with score >= threshold are called 1: half-way between two
  /// neighbouring scores, the highest of equally good ones. Error if there is no row of class 1.
  double best_f1_threshold() const;
  /// The number of rows of either class with at least `score`: a point of ROC and precision-recall curves.
  struct Point {
    float score;
    int64_t true_positives, false_positives;
  };
  /// A point for each distinct score, in falling order. If there are more than `most`, the first, the last, and those
  /// between them where recall, false positive rate or precision has moved by a step that is as small as `most` allows:
  /// where ones are rare, nearly all of a precision-recall curve lies in the first few ranks.
  std::vector<Point> curve(size_t most = 1000) const;

 private:
  struct Row {
    float score;
    uint8_t label;
    uint32_t index;
  };
  std::vector<Row> rows_;  // by falling score
  /// Calls visit(ones, zeros, score) for each distinct score, falling: the weights of its rows of either
  /// class.
  template <class Visit>
  void each_score(std::span<const int64_t> weights, Visit visit) const;
};

/// Counts at a threshold: called 1 where score >= threshold. Ratios without a denominator are 0
/// (scikit-learn's zero_division=0).
struct Confusion {
  int64_t true_positives = 0, false_positives = 0, true_negatives = 0, false_negatives = 0;
  void add(bool label, bool call, int64_t weight = 1);
  int64_t total() const { return true_positives + false_positives + true_negatives + false_negatives; }
  double precision() const;
  double recall() const;
  double f1() const;
  double accuracy() const;
  /// Matthews' correlation coefficient.
  double mcc() const;
};
Confusion confusion(std::span<const float> scores, std::span<const uint8_t> labels, double threshold,
                    std::span<const int64_t> weights = {});

/// Mean and median of the values that are not NaN; NaN if there are none.
double mean(std::span<const double> values);
double median(std::span<const double> values);

}  // namespace bigdna::metrics
