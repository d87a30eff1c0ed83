#include "linear/lbfgs.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace bigdna::linear {

namespace {
constexpr size_t kPairs = 10;
constexpr int kMoves = 100, kTries = 12;

/// How much of a loss its rounding may be.
template <class Real>
constexpr double kRounding = std::is_same_v<Real, float> ? 1e-7 : 1e-15;

template <class Real>
double dot(std::span<const Real> a, std::span<const Real> b) {
  std::array<double, 8> sums{};  // lanes, so that the compiler vectorises it
  size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size())
    for (size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += static_cast<double>(a[i + lane]) * b[i + lane];
  double sum = 0;
  for (; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  for (const double lane : sums) sum += lane;
  return sum;
}
template <class Real>
double dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  return dot(std::span(a), std::span(b));
}

template <class Real>
void add(std::span<Real> to, double factor, std::span<const Real> what) {
  const auto f = static_cast<Real>(factor);
  for (size_t i = 0; i < to.size(); ++i) to[i] += f * what[i];
}
template <class Real>
void add(std::vector<Real>& to, double factor, const std::vector<Real>& what) {
  add(std::span(to), factor, std::span(what));
}
}  // namespace

template <class Real>
Lbfgs<Real>::Lbfgs(std::span<const Real> start, const LbfgsProblem<Real>& problem)
    : problem_(problem), weights_(start.begin(), start.end()), point_(weights_) {}

template <class Real>
bool Lbfgs<Real>::begin(double penalty) {
  const double more = penalty - std::exchange(penalty_, penalty);
  moves_ = 0;
  if (!known_) return true;
  const auto weights = penalised(std::span<const Real>(weights_));
  loss_ += more / 2 * dot(weights, weights);
  add(penalised(std::span(gradient_)), more, weights);
  for (auto& [step, change, product] : pairs_) {
    add(penalised(std::span(change)), more, penalised(std::span<const Real>(step)));
    product = std::max(0.0, dot(step, change));
  }
  return move();
}

template <class Real>
bool Lbfgs<Real>::stay() {
  point_ = weights_;
  return false;
}

/// On from weights_, down their gradient as the pairs bend it.
template <class Real>
bool Lbfgs<Real>::move() {
  direction_ = gradient_;
  std::array<double, kPairs> alpha{};
  const size_t count = pairs_.size();
  for (size_t age = 0; age < count; ++age) {
    const size_t at = (newest_ + count - age) % count;
    if (pairs_[at].product > 0) alpha[at] = dot(pairs_[at].step, direction_) / pairs_[at].product;
    add(direction_, -alpha[at], pairs_[at].change);
  }
  const auto penalty = static_cast<Real>(penalty_), curvature = static_cast<Real>(problem_.curvature);
  for (size_t i = 0; i < direction_.size(); ++i)
    direction_[i] /= problem_.variance[i] * curvature + (i + problem_.biases < direction_.size() ? penalty : 0);
  for (size_t age = count; age-- > 0;) {
    const auto& [step, change, product] = pairs_[(newest_ + count - age) % count];
    if (product > 0) add(direction_, alpha[(newest_ + count - age) % count] - dot(change, direction_) / product, step);
  }
  slope_ = dot(gradient_, direction_);
  if (slope_ <= 2 * problem_.tolerance * loss_ || moves_ == kMoves)
    return stay();  // about twice what the step would gain
  step_ = 1;
  tries_ = 0;
  point_ = weights_;
  add(point_, -step_, direction_);
  return true;
}

template <class Real>
void Lbfgs<Real>::remember(std::span<const Real> arrived) {
  if (pairs_.size() < kPairs) {
    newest_ = pairs_.size();
    pairs_.emplace_back();
  } else {
    newest_ = (newest_ + 1) % kPairs;
  }
  auto& [step, change, product] = pairs_[newest_];
  step = point_;
  add(step, -1, weights_);
  change.assign(arrived.begin(), arrived.end());
  add(change, -1, gradient_);
  product = dot(step, change);
  if (product < 1e-12) product = 0;
}

template <class Real>
bool Lbfgs<Real>::advance(double loss, std::span<const Real> gradient) {
  const auto of_point = penalised(std::span<const Real>(point_));
  loss += penalty_ / 2 * dot(of_point, of_point);
  if (known_ && !(loss <= loss_ - 1e-4 * step_ * slope_ + kRounding<Real> * loss_)) {
    if (++tries_ == kTries) return stay();
    const double least =
        step_ * slope_ / (2 * (slope_ + (loss - loss_) / step_));  // of the parabola through both losses and the slope
    step_ = loss > loss_ - step_ * slope_ ? std::clamp(least, 0.1 * step_, 0.5 * step_) : 0.5 * step_;
    point_ = weights_;
    add(point_, -step_, direction_);
    return true;
  }
  std::vector<Real> arrived(gradient.begin(), gradient.end());
  add(penalised(std::span(arrived)), penalty_, of_point);
  if (known_) remember(arrived);
  const bool arrived_there = std::exchange(known_, true) && loss_ - loss <= problem_.tolerance * loss;
  ++moves_;
  weights_ = point_;
  gradient_ = std::move(arrived);
  loss_ = loss;
  return arrived_there ? stay() : move();
}

template class Lbfgs<float>;
template class Lbfgs<double>;

}  // namespace bigdna::linear
