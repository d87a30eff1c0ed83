#include "metrics/block_auroc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace bigdna::metrics {

BlockAuroc::BlockAuroc(std::span<const float> scores, std::span<const uint8_t> labels, std::span<const int32_t> blocks,
                       int32_t count)
    : count_(static_cast<size_t>(count)), twice_pairs_(count_ * count_), ones_(count_), zeros_(count_) {
  std::vector<uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  if (std::any_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); }))
    fail("a score is not a number");
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return scores[a] < scores[b]; });
  // per block: twice the number of zeros with lower scores, plus once those with equal scores
  std::vector<double> below(count_);
  for (size_t i = 0, end = 0; i < order.size(); i = end) {
    while (end < order.size() && scores[order[end]] == scores[order[i]]) ++end;
    const auto zeros = [&] {
      for (size_t k = i; k < end; ++k)
        if (!labels[order[k]]) below[static_cast<size_t>(blocks[order[k]])] += 1;
    };
    zeros();
    for (size_t k = i; k < end; ++k) {
      const auto block = static_cast<size_t>(blocks[order[k]]);
      if (!labels[order[k]]) {
        zeros_[block] += 1;
        continue;
      }
      ones_[block] += 1;
      double* row = twice_pairs_.data() + block * count_;
      for (size_t b = 0; b < count_; ++b) row[b] += below[b];
    }
    zeros();
  }
}

double BlockAuroc::auroc(std::span<const double> weights) const {
  double ones = 0, zeros = 0, pairs = 0;
  std::vector<double> sums(count_);  // by block of zeros, so that the loop is vectorised
  for (size_t a = 0; a < count_; ++a) {
    ones += weights[a] * ones_[a];
    zeros += weights[a] * zeros_[a];
    if (weights[a] == 0 || ones_[a] == 0) continue;
    const double* row = twice_pairs_.data() + a * count_;
    for (size_t b = 0; b < count_; ++b) sums[b] += weights[a] * row[b];
  }
  if (ones == 0 || zeros == 0) return std::numeric_limits<double>::quiet_NaN();
  for (size_t b = 0; b < count_; ++b) pairs += weights[b] * sums[b];
  return pairs / 2 / (ones * zeros);
}

}  // namespace bigdna::metrics
