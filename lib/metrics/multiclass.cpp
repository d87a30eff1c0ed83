#include "metrics/multiclass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace bigdna::metrics {

void ClassCounts::add(int64_t truth, int64_t call, int64_t weight) {
  if (truth < 0 || truth >= classes_ || call < 0 || call >= classes_)
    fail("class ", std::max(truth, call), " is not among ", classes_, " classes");
  counts_[static_cast<size_t>(truth * classes_ + call)] += weight;
}

int64_t ClassCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), int64_t{0}); }

Confusion ClassCounts::of(int64_t c) const {
  Confusion counts;
  counts.true_positives = at(c, c);
  for (int64_t other = 0; other < classes_; ++other) {
    if (other == c) continue;
    counts.false_negatives += at(c, other);
    counts.false_positives += at(other, c);
  }
  counts.true_negatives = total() - counts.true_positives - counts.false_negatives - counts.false_positives;
  return counts;
}

double ClassCounts::accuracy() const {
  int64_t right = 0;
  for (int64_t c = 0; c < classes_; ++c) right += at(c, c);
  const int64_t all = total();
  return all > 0 ? static_cast<double>(right) / static_cast<double>(all) : 0;
}

double ClassCounts::f1_macro() const {
  double sum = 0;
  int64_t occurring = 0;
  for (int64_t c = 0; c < classes_; ++c) {
    const Confusion counts = of(c);
    if (counts.true_positives + counts.false_negatives + counts.false_positives == 0) continue;
    ++occurring;
    sum += counts.f1();
  }
  return occurring ? sum / static_cast<double>(occurring) : 0;
}

double ClassCounts::mcc() const {
  double right = 0, all = 0, both = 0, truths = 0, calls = 0;  // both, truths, calls: sums of products of margins
  for (int64_t c = 0; c < classes_; ++c) {
    double truth = 0, call = 0;
    for (int64_t other = 0; other < classes_; ++other) {
      truth += static_cast<double>(at(c, other));
      call += static_cast<double>(at(other, c));
    }
    right += static_cast<double>(at(c, c));
    all += truth;
    both += truth * call;
    truths += truth * truth;
    calls += call * call;
  }
  const double product = (all * all - calls) * (all * all - truths);
  return product > 0 ? (right * all - both) / std::sqrt(product) : 0;
}

ClassCounts class_counts(std::span<const int32_t> truth, std::span<const float> scores, int64_t classes,
                         std::span<const int64_t> weights) {
  if (scores.size() != truth.size() * static_cast<size_t>(classes))
    fail("scores of ", truth.size(), " rows and ", classes, " classes are ", scores.size());
  ClassCounts counts(classes);
  for (size_t i = 0; i < truth.size(); ++i) {
    const auto row = scores.subspan(i * static_cast<size_t>(classes), static_cast<size_t>(classes));
    counts.add(truth[i], std::max_element(row.begin(), row.end()) - row.begin(), weights.empty() ? 1 : weights[i]);
  }
  return counts;
}

double f1_macro(std::span<const Confusion> labels) {
  double sum = 0;
  for (const auto& counts : labels) sum += counts.f1();
  return labels.empty() ? 0 : sum / static_cast<double>(labels.size());
}

double f1_micro(std::span<const Confusion> labels) {
  Confusion all;
  for (const auto& counts : labels) {
    all.true_positives += counts.true_positives;
    all.false_positives += counts.false_positives;
    all.true_negatives += counts.true_negatives;
    all.false_negatives += counts.false_negatives;
  }
  return all.f1();
}

}  // namespace bigdna::metrics
