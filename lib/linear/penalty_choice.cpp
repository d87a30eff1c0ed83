#include "linear/penalty_choice.h"

#include <limits>
#include <numeric>

namespace bigdna::linear {

PenaltyChoice::PenaltyChoice(int64_t folds)
    : best_(std::numeric_limits<double>::infinity()), best_without_(static_cast<size_t>(folds), {best_, false}) {}

bool PenaltyChoice::add(std::span<const double> losses) {
  const double total = std::accumulate(losses.begin(), losses.end(), 0.0);
  for (size_t fold = 0; fold < losses.size(); ++fold) {
    auto& [loss, improved] = best_without_[fold];
    const double others = total - losses[fold];
    improved = others < loss;
    if (improved) loss = others;
  }
  ++since_best_;
  if (!(total < best_)) return false;
  best_ = total;
  since_best_ = 0;
  return true;
}

}  // namespace bigdna::linear
