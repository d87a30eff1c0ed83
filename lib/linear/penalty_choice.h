/// Which of a list's penalties predicts rows best that a model has not seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::linear {

/// Takes one penalty of the list after the other. A row's own loss must have no part in choosing the penalty by which
/// it is predicted, so that there is a choice for each fold, by the losses of the others, beside the choice for all.
class PenaltyChoice {
 public:
  explicit PenaltyChoice(int64_t folds);

  /// `losses`: of each fold, summed over its rows, under models with the next penalty that were fitted to the other
  /// folds. Returns whether their sum is less than with any penalty before.
  bool add(std::span<const double> losses);
  /// Whether the sum over the other folds was less than with any penalty before.
  bool is_best_without(int64_t fold) const { return best_without_[static_cast<size_t>(fold)].improved; }
  /// How many penalties were taken since the best one.
  int since_best() const { return since_best_; }

 private:
  struct Least {
    double loss;
    bool improved;
  };
  double best_;
  std::vector<Least> best_without_;  // each fold
  int since_best_ = 0;
};

}  // namespace bigdna::linear
