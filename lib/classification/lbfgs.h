/// L-BFGS for one of many problems whose losses and gradients are computed together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::classification {

/// Minimises a convex loss + penalty / 2 |w|^2 of all weights but the last (Nocedal and Wright,
/// algorithm 7.5, with a line search that goes back by interpolation), for one penalty after the other. What
/// was learnt of the loss's curvature stays. The caller computes: if (descent.begin(penalty)) while
/// (descent.advance(loss at point(), gradient at point()));
class Descent {
 public:
  /// Begins at `start`. The Hessian's diagonal is about `curvature` x variance + penalty; `variance`, as long
  /// as `start`, must outlive the descent. A penalty's end is where a step gains less than `tolerance` of the
  /// loss.
  Descent(std::span<const float> start, std::span<const float> variance, double curvature, double tolerance);
  /// From where the last penalty ended; false where that is the end.
  bool begin(double penalty);
  /// Where loss and gradient are wanted; in the end the weights.
  std::span<const float> point() const { return point_; }
  /// Takes the loss and its gradient, without the penalty, at point(), and moves point(); false at the end.
  bool advance(double loss, std::span<const float> gradient);

 private:
  bool move();
  bool stay();
  void remember(std::span<const float> arrived);

  struct Pair {
    std::vector<float> step, change;  // of the weights and of the gradient
    double product = 0;               // of both; 0: tells nothing
  };
  std::vector<float> weights_, point_, gradient_, direction_;
  std::vector<Pair> pairs_;  // a ring
  size_t newest_ = 0;
  std::span<const float> variance_;
  double curvature_, tolerance_, penalty_ = 0, loss_ = 0, slope_ = 0, step_ = 0;
  bool known_ = false;  // loss_ and gradient_ are those of weights_
  int moves_ = 0, tries_ = 0;
};

}  // namespace bigdna::classification
