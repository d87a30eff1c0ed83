#include "motif/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <span>

namespace bigdna::motif {
namespace {

constexpr int kSteps = 100;  // of a distance, of which the largest is the square root of 2

double distance(const BaseProbabilities& a, const BaseProbabilities& b) {
  double sum = 0;
  for (size_t base = 0; base < 4; ++base) sum += (a[base] - b[base]) * (a[base] - b[base]);
  return std::sqrt(sum);
}

int steps(double distance) { return static_cast<int>(std::lround(distance / std::numbers::sqrt2 * kSteps)); }

double correlation(std::span<const BaseProbabilities> a, std::span<const BaseProbabilities> b) {
  double ab = 0, aa = 0, bb = 0;  // the mean of a column is 1/4
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t base = 0; base < 4; ++base) {
      const double x = a[i][base] - 0.25, y = b[i][base] - 0.25;
      ab += x * y, aa += x * x, bb += y * y;
    }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

/// How likely the sum of distances of a motif's columns to random ones is at most so large.
class Chance {
 public:
  Chance(const Motif& motif, const std::vector<Motif>& known) {
    for (const auto& column : motif.columns) {
      std::vector<double> share(kSteps + 1, 0);
      double all = 0;
      for (const auto& other : known)
        for (const auto& there : other.columns) {
          const BaseProbabilities back{there[3], there[2], there[1], there[0]};
          for (const auto& of : {there, back}) ++share[static_cast<size_t>(steps(distance(column, of)))], ++all;
        }
      for (double& value : share) value /= all;
      shares_.push_back(std::move(share));
    }
  }

  /// Of columns [first, first + count) and a sum of `sum` steps.
  double at_most(size_t first, size_t count, int sum) {
    auto& totals = totals_[{first, count}];
    if (totals.empty()) {
      std::vector<double> share{1};
      for (size_t i = first; i < first + count; ++i) {
        std::vector<double> next(share.size() + kSteps, 0);
        for (size_t a = 0; a < share.size(); ++a)
          for (size_t b = 0; b <= kSteps && share[a] > 0; ++b) next[a + b] += share[a] * shares_[i][b];
        share = std::move(next);
      }
      totals.resize(share.size());
      std::partial_sum(share.begin(), share.end(), totals.begin());
    }
    return std::min(1., totals[static_cast<size_t>(sum)]);
  }

 private:
  std::vector<std::vector<double>> shares_;  // of each column, by steps
  std::map<std::pair<size_t, size_t>, std::vector<double>> totals_;
};

}  // namespace

std::vector<Match> matches(const Motif& motif, const std::vector<Motif>& known) {
  Chance chance(motif, known);
  std::vector<Match> all;
  const int64_t width = std::ssize(motif.columns);
  for (size_t k = 0; k < known.size(); ++k) {
    Match best{.known = k};
    int64_t alignments = 0;
    for (const char strand : {'+', '-'}) {
      const Motif other = strand == '+' ? known[k] : reverse_complement(known[k]);
      const int64_t there = std::ssize(other.columns), least = std::min({kLeastOverlap, width, there});
      for (int64_t offset = least - width; offset <= there - least; ++offset) {
        const int64_t first = std::max<int64_t>(0, -offset), last = std::min(width, there - offset);
        if (last - first < least) continue;
        ++alignments;
        const std::span<const BaseProbabilities> a(motif.columns.data() + first, static_cast<size_t>(last - first)),
            b(other.columns.data() + first + offset, a.size());
        double sum = 0;
        int sum_of_steps = 0;
        for (size_t i = 0; i < a.size(); ++i) {
          const double apart = distance(a[i], b[i]);
          sum += apart, sum_of_steps += steps(apart);
        }
        const double p = chance.at_most(static_cast<size_t>(first), a.size(), sum_of_steps);
        if (best.overlap > 0 && p >= best.p) continue;
        best = {k, offset, strand, last - first, sum / static_cast<double>(a.size()), correlation(a, b), p, 1};
      }
    }
    best.p = -std::expm1(static_cast<double>(alignments) * std::log1p(-std::min(best.p, 1 - 1e-16)));
    best.e = best.p * static_cast<double>(known.size());
    all.push_back(best);
  }
  std::ranges::stable_sort(all, {}, &Match::p);
  return all;
}

}  // namespace bigdna::motif
