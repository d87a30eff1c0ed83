#include "classification/lbfgs.h"

#include <algorithm>
#include <array>
#include <utility>

namespace bigdna::classification {

namespace {
constexpr size_t kPairs = 10;
constexpr int kMoves = 100, kTries = 12;

double dot(std::span<const float> a, std::span<const float> b) {
  std::array<double, 8> sums{};  // lanes, so that the compiler vectorises it
  size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size())
    for (size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += static_cast<double>(a[i + lane]) * b[i + lane];
  double sum = 0;
  for (; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  for (const double lane : sums) sum += lane;
  return sum;
}

void add(std::span<float> to, double factor, std::span<const float> what) {
  const auto f = static_cast<float>(factor);
  for (size_t i = 0; i < to.size(); ++i) to[i] += f * what[i];
}

/// What is penalised: all but the bias.
template <class T>
std::span<T> penalised(std::span<T> all) {
  return all.first(all.size() - 1);
}
}  // namespace

Descent::Descent(std::span<const float> start, std::span<const float> variance, double curvature, double tolerance)
    : weights_(start.begin(), start.end()),
      point_(weights_),
      variance_(variance),
      curvature_(curvature),
      tolerance_(tolerance) {}

bool Descent::begin(double penalty) {
  const double more = penalty - std::exchange(penalty_, penalty);
  moves_ = 0;
  if (!known_) return true;
  const auto weights = penalised(std::span<const float>(weights_));
  loss_ += more / 2 * dot(weights, weights);
  add(penalised(std::span(gradient_)), more, weights);
  for (auto& [step, change, product] : pairs_) {
    add(penalised(std::span(change)), more, penalised(std::span<const float>(step)));
    product = std::max(0.0, dot(step, change));
  }
  return move();
}

bool Descent::stay() {
  point_ = weights_;
  return false;
}

/// On from weights_, down their gradient as the pairs bend it.
bool Descent::move() {
  direction_ = gradient_;
  std::array<double, kPairs> alpha{};
  const size_t count = pairs_.size();
  for (size_t age = 0; age < count; ++age) {
    const size_t at = (newest_ + count - age) % count;
    if (pairs_[at].product > 0) alpha[at] = dot(pairs_[at].step, direction_) / pairs_[at].product;
    add(direction_, -alpha[at], pairs_[at].change);
  }
  const auto penalty = static_cast<float>(penalty_), curvature = static_cast<float>(curvature_);
  for (size_t i = 0; i + 1 < direction_.size(); ++i) direction_[i] /= variance_[i] * curvature + penalty;
  direction_.back() /= variance_.back() * curvature;
  for (size_t age = count; age-- > 0;) {
    const auto& [step, change, product] = pairs_[(newest_ + count - age) % count];
    if (product > 0) add(direction_, alpha[(newest_ + count - age) % count] - dot(change, direction_) / product, step);
  }
  slope_ = dot(gradient_, direction_);
  if (slope_ <= 2 * tolerance_ * loss_ || moves_ == kMoves) return stay();  // about twice what the step would gain
  step_ = 1;
  tries_ = 0;
  point_ = weights_;
  add(point_, -step_, direction_);
  return true;
}

void Descent::remember(std::span<const float> arrived) {
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

bool Descent::advance(double loss, std::span<const float> gradient) {
  const auto of_point = penalised(std::span<const float>(point_));
  loss += penalty_ / 2 * dot(of_point, of_point);
  if (known_ && !(loss <= loss_ - 1e-4 * step_ * slope_ + 1e-7 * loss_)) {
    if (++tries_ == kTries) return stay();
    const double least =
        step_ * slope_ / (2 * (slope_ + (loss - loss_) / step_));  // of the parabola through both losses and the slope
    step_ = loss > loss_ - step_ * slope_ ? std::clamp(least, 0.1 * step_, 0.5 * step_) : 0.5 * step_;
    point_ = weights_;
    add(point_, -step_, direction_);
    return true;
  }
  std::vector<float> arrived(gradient.begin(), gradient.end());
  add(penalised(std::span(arrived)), penalty_, of_point);
  if (known_) remember(arrived);
  const bool arrived_there = std::exchange(known_, true) && loss_ - loss <= tolerance_ * loss;
  ++moves_;
  weights_ = point_;
  gradient_ = std::move(arrived);
  loss_ = loss;
  return arrived_there ? stay() : move();
}

}  // namespace bigdna::classification
