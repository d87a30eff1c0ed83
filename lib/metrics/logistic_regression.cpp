#include "metrics/logistic_regression.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "metrics/classification.h"

namespace bigdna::metrics {

namespace {
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
}  // namespace

StandardisedFeatures::StandardisedFeatures(FeatureMatrix features) : values(std::move(features)) {
  const int64_t rows = values.rows, columns = values.columns;
  mean.assign(static_cast<size_t>(columns), 0);
  scale.assign(static_cast<size_t>(columns), 0);
  const auto n = static_cast<double>(rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) mean[j] += values.row(i)[j] / n;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) scale[j] += std::pow(values.row(i)[j] - mean[j], 2) / n;
  for (double& value : scale) value = value > 1e-18 ? 1 / std::sqrt(value) : 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      values.row(i)[j] = static_cast<float>((values.row(i)[j] - mean[j]) * scale[j]);
}

LogisticRegression LogisticRegression::fit(const StandardisedFeatures& features, std::span<const uint8_t> labels,
                                           double penalty, int iterations, const LogisticRegression* start) {
  const int64_t rows = features.values.rows, columns = features.values.columns;
  if (rows == 0 || static_cast<int64_t>(labels.size()) != rows)
    fail("logistic regression: ", rows, " rows, ", labels.size(), " labels");
  LogisticRegression model;
  model.mean_ = features.mean;
  model.scale_ = features.scale;
  const auto n = static_cast<double>(rows);

  using Vector = std::vector<double>;
  auto evaluate = [&](const Vector& w, Vector& gradient) {
    std::vector<float> weights(w.begin(), w.end()), sums(static_cast<size_t>(columns), 0);
    double loss = 0, bias_gradient = 0;
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = features.values.row(i).data();
      float partial[8] =
          {};  // eight sums: the compiler may use vector instructions without reordering any of them
      int64_t j = 0;
      for (; j + 8 <= columns; j += 8)
        for (int lane = 0; lane < 8; ++lane) partial[lane] += row[j + lane] * weights[j + lane];
      double z = w.back();
      for (; j < columns; ++j) z += row[j] * weights[j];
      for (const float value : partial) z += value;
      const double y = labels[i] ? 1 : 0;
      loss += (z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z))) - y * z;
      const double residual = (1 / (1 + std::exp(-z)) - y) / n;
      bias_gradient += residual;
      const auto scaled = static_cast<float>(residual);
      for (j = 0; j < columns; ++j) sums[j] += scaled * row[j];
    }
    loss /= n;
    gradient.resize(w.size());
    for (int64_t j = 0; j < columns; ++j) {
      gradient[j] = sums[j] + penalty * w[j];
      loss += penalty / 2 * w[j] * w[j];
    }
    gradient.back() = bias_gradient;
    return loss;
  };

  // L-BFGS with ten pairs and a backtracking (Armijo) line search: Nocedal and Wright, algorithm 7.5
  Vector w = start ? start->weights_ : Vector(static_cast<size_t>(columns) + 1, 0), gradient;
  double loss = evaluate(w, gradient);
  struct Pair {
    Vector s, y;
    double rho;
  };
  std::deque<Pair> pairs;
  for (int iteration = 0; iteration < iterations && std::sqrt(dot(gradient, gradient)) > 1e-5; ++iteration) {
    Vector direction = gradient;
    std::vector<double> alpha(pairs.size());
    for (size_t i = pairs.size(); i-- > 0;) {
      alpha[i] = pairs[i].rho * dot(pairs[i].s, direction);
      for (size_t j = 0; j < w.size(); ++j) direction[j] -= alpha[i] * pairs[i].y[j];
    }
    const double scale = pairs.empty() ? 1 : 1 / (pairs.back().rho * dot(pairs.back().y, pairs.back().y));
    for (double& value : direction) value *= scale;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const double beta = pairs[i].rho * dot(pairs[i].y, direction);
      for (size_t j = 0; j < w.size(); ++j) direction[j] += (alpha[i] - beta) * pairs[i].s[j];
    }
    const double slope = -dot(gradient, direction);
    if (slope >= 0) break;
    double step = 1, next_loss = loss;
    Vector next, next_gradient;
    for (int tries = 0; tries < 30; ++tries, step /= 2) {
      next = w;
      for (size_t j = 0; j < w.size(); ++j) next[j] -= step * direction[j];
      next_loss = evaluate(next, next_gradient);
      if (next_loss <= loss + 1e-4 * step * slope) break;
    }
    if (!(next_loss < loss)) break;
    Pair pair{Vector(w.size()), Vector(w.size()), 0};
    for (size_t j = 0; j < w.size(); ++j) {
      pair.s[j] = next[j] - w[j];
      pair.y[j] = next_gradient[j] - gradient[j];
    }
    const double curvature = dot(pair.s, pair.y);
    if (curvature > 1e-12) {
      pair.rho = 1 / curvature;
      pairs.push_back(std::move(pair));
      if (pairs.size() > 10) pairs.pop_front();
    }
    const double gained = loss - next_loss;
    w = std::move(next);
    gradient = std::move(next_gradient);
    loss = next_loss;
    if (gained < 1e-8) break;
  }
  model.weights_ = std::move(w);
  return model;
}

std::vector<float> LogisticRegression::logits(const FeatureMatrix& features) const {
  if (features.columns + 1 != static_cast<int64_t>(weights_.size()))
    fail("logistic regression: ", features.columns, " columns, fitted on ", weights_.size() - 1);
  std::vector<float> result;
  for (int64_t i = 0; i < features.rows; ++i) {
    double z = weights_.back();
    for (int64_t j = 0; j < features.columns; ++j)
      z += (features.row(i)[j] - mean_[j]) * scale_[j] * weights_[j];
    result.push_back(static_cast<float>(z));
  }
  return result;
}

double LogisticRegression::intercept() const {
  double value = weights_.back();
  for (size_t j = 0; j < mean_.size(); ++j) value -= mean_[j] * scale_[j] * weights_[j];
  return value;
}

LogisticRegression fit_by_validation(const StandardisedFeatures& train, std::span<const uint8_t> train_labels,
                                     const FeatureMatrix& validation,
                                     std::span<const uint8_t> validation_labels) {
  auto current = LogisticRegression::fit(train, train_labels, 1.0), best = current;
  const auto ones = std::count(validation_labels.begin(), validation_labels.end(), 1);
  if (ones == 0 || ones == static_cast<int64_t>(validation_labels.size())) return best;
  double best_auroc = Ranking(current.logits(validation), validation_labels).auroc();
  for (const double penalty : {0.1, 0.01, 0.001}) {
    current = LogisticRegression::fit(train, train_labels, penalty, 100, &current);
    const double auroc = Ranking(current.logits(validation), validation_labels).auroc();
    if (auroc <= best_auroc) continue;
    best = current;
    best_auroc = auroc;
  }
  return best;
}

}  // namespace bigdna::metrics
