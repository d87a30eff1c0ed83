#include "metrics/classification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace bigdna::metrics {

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double ratio(int64_t part, int64_t whole) { return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double value) { return !std::isnan(value); });
  return kept;
}
}  // namespace

Ranking::Ranking(std::span<const float> scores, std::span<const uint8_t> labels) {
  if (scores.size() != labels.size()) fail(scores.size(), " scores but ", labels.size(), " labels");
  rows_.reserve(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) fail("the score of row ", i + 1, " is not a number");
    rows_.push_back({scores[i], labels[i], static_cast<uint32_t>(i)});
  }
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.score > b.score; });
}

template <class Visit>
void Ranking::each_score(std::span<const int64_t> weights, Visit visit) const {
  for (size_t i = 0; i < rows_.size();) {
    int64_t counts[2] = {0, 0};
    const float score = rows_[i].score;
    for (; i < rows_.size() && rows_[i].score == score; ++i)
      counts[rows_[i].label != 0] += weights.empty() ? 1 : weights[rows_[i].index];
    visit(counts[1], counts[0], score);
  }
}

double Ranking::auroc(std::span<const int64_t> weights) const {
  // twice the number of (1, 0) pairs in the right order, ties counted once: an integer, so the result is
  // exact
  int64_t ones = 0, zeros = 0;
  __extension__ __int128 twice_pairs = 0;
  each_score(weights, [&](int64_t group_ones, int64_t group_zeros, float) {
    twice_pairs += static_cast<__int128_t>(group_zeros) * (2 * ones + group_ones);
    ones += group_ones;
    zeros += group_zeros;
  });
  if (!ones || !zeros) return kNan;
  return static_cast<double>(twice_pairs) / 2 / (static_cast<double>(ones) * static_cast<double>(zeros));
}

double Ranking::auprc(std::span<const int64_t> weights) const {
  int64_t ones = 0, called = 0;
  double area = 0;
  each_score(weights, [&](int64_t group_ones, int64_t group_zeros, float) {
    ones += group_ones;
    called += group_ones + group_zeros;
    if (group_ones) area += static_cast<double>(group_ones) * ratio(ones, called);
  });
  return ones ? area / static_cast<double>(ones) : kNan;
}

double Ranking::best_f1_threshold() const {
  const auto total = std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.label != 0; });
  if (!total) fail("no threshold can be chosen: no row of class 1");
  int64_t ones = 0, called = 0;
  double best = -1, threshold = 0, previous = 0;
  bool take_midpoint = false;
  each_score({}, [&](int64_t group_ones, int64_t group_zeros, float score) {
    if (take_midpoint) threshold = (previous + score) / 2;
    ones += group_ones;
    called += group_ones + group_zeros;
    const double f1 = ratio(2 * ones, called + total);
    take_midpoint = f1 > best;
    if (take_midpoint) {
      best = f1;
      threshold = score;
    }
    previous = score;
  });
  return threshold;
}

std::vector<Ranking::Point> Ranking::curve(size_t most) const {
  std::vector<Point> all;
  int64_t ones = 0, zeros = 0;
  each_score({}, [&](int64_t group_ones, int64_t group_zeros, float score) {
    all.push_back({score, ones += group_ones, zeros += group_zeros});
  });
  if (all.size() <= most || most < 2) return all;
  const auto coordinates = [&](const Point& point) {
    const auto [score, right, wrong] = point;
    return std::array{ratio(right, ones), ratio(wrong, zeros), ratio(right, right + wrong)};
  };
  std::vector<Point> kept;
  for (double step = 1 / static_cast<double>(most); kept.empty() || kept.size() > most; step *= 1.25) {
    kept = {all.front()};
    auto before = coordinates(all.front());
    for (size_t i = 1; i + 1 < all.size(); ++i) {
      const auto here = coordinates(all[i]);
      double moved = 0;
      for (size_t axis = 0; axis < here.size(); ++axis) moved = std::max(moved, std::abs(here[axis] - before[axis]));
      if (moved < step) continue;
      kept.push_back(all[i]);
      before = here;
    }
    kept.push_back(all.back());
  }
  return kept;
}

void Confusion::add(bool label, bool call, int64_t weight) {
  (label ? call ? true_positives : false_negatives : call ? false_positives : true_negatives) += weight;
}
double Confusion::precision() const { return ratio(true_positives, true_positives + false_positives); }
double Confusion::recall() const { return ratio(true_positives, true_positives + false_negatives); }
double Confusion::f1() const {
  return ratio(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}
double Confusion::accuracy() const { return ratio(true_positives + true_negatives, total()); }
double Confusion::mcc() const {
  const double tp = true_positives, fp = false_positives, tn = true_negatives, fn = false_negatives;
  const double product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
  return product > 0 ? (tp * tn - fp * fn) / std::sqrt(product) : 0;
}

Confusion confusion(std::span<const float> scores, std::span<const uint8_t> labels, double threshold,
                    std::span<const int64_t> weights) {
  Confusion counts;
  for (size_t i = 0; i < scores.size(); ++i)
    counts.add(labels[i], scores[i] >= threshold, weights.empty() ? 1 : weights[i]);
  return counts;
}

double mean(std::span<const double> values) {
  const auto kept = finite(values);
  return kept.empty() ? kNan : std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

double median(std::span<const double> values) {
  auto kept = finite(values);
  if (kept.empty()) return kNan;
  std::sort(kept.begin(), kept.end());
  const size_t middle = kept.size() / 2;
  return kept.size() % 2 ? kept[middle] : (kept[middle - 1] + kept[middle]) / 2;
}

}  // namespace bigdna::metrics
