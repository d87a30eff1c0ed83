/// L-BFGS for convex losses with a penalty on the weights, for one of many problems whose losses and gradients are
/// computed together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bigdna::linear {

/// What is known of a problem before it is solved.
template <class Real>
struct LbfgsProblem {
  /// As long as the weights, in their order: the Hessian's diagonal is about curvature x variance + penalty. Must
  /// outlive the solver.
  std::span<const Real> variance;
  double curvature = 1;
  double tolerance = 1e-7;  // a penalty's end is where a step gains less than this part of the loss
  size_t biases = 1;        // the last weights, which have no penalty
};

/// Minimises a convex loss + penalty / 2 |w|^2 of all weights but the biases (Nocedal and Wright, algorithm 7.5, with a
/// line search that goes back by interpolation), for one penalty after the other. What was learnt of the loss's
/// curvature stays. The caller computes: if (solver.begin(penalty)) while (solver.advance(loss at point(), gradient at
/// point())); Real: float, or double.
template <class Real>
class Lbfgs {
 public:
  Lbfgs(std::span<const Real> start, const LbfgsProblem<Real>& problem);
  /// From where the last penalty ended; false where that is the end.
  bool begin(double penalty);
  /// Where loss and gradient are wanted; in the end the weights.
  std::span<const Real> point() const { return point_; }
  /// Takes the loss and its gradient, without the penalty, at point(), and moves point(); false at the end.
  bool advance(double loss, std::span<const Real> gradient);

 private:
  bool move();
  bool stay();
  void remember(std::span<const Real> arrived);
  /// The weights, or what belongs to each, without the biases.
  template <class T>
  std::span<T> penalised(std::span<T> all) const {
    return all.first(all.size() - problem_.biases);
  }

  struct Pair {
    std::vector<Real> step, change;  // of the weights and of the gradient
    double product = 0;              // of both; 0: tells nothing
  };
  LbfgsProblem<Real> problem_;
  std::vector<Real> weights_, point_, gradient_, direction_;
  std::vector<Pair> pairs_;  // a ring
  size_t newest_ = 0;
  double penalty_ = 0, loss_ = 0, slope_ = 0, step_ = 0;
  bool known_ = false;  // loss_ and gradient_ are those of weights_
  int moves_ = 0, tries_ = 0;
};

extern template class Lbfgs<float>;
extern template class Lbfgs<double>;

}  // namespace bigdna::linear
