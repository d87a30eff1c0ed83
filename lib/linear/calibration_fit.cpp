#include "linear/calibration_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logit.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "linear/point_loss.h"
#include "model/parallel.h"
#include "model_folder/architecture.h"

namespace bigdna::linear {

using dataset::LabelType;

namespace {
constexpr double kFarthestShift = 100;  // of logits, to a share of labels

/// Labels that a finite logit explains best (Platt 1999), so that a few rows that a model ranks perfectly do not call
/// for probabilities of 0 and 1.
at::Tensor less_certain(const at::Tensor& y) {
  const at::Tensor positives = y.sum(0), negatives = static_cast<double>(y.size(0)) - positives;
  return y * ((positives + 1) / (positives + 2)) + (1 - y) / (negatives + 2);
}
/// The same of classes: each has one more row, spread over all rows.
at::Tensor less_certain_classes(const at::Tensor& y) {
  const auto rows = static_cast<double>(y.size(0)), classes = static_cast<double>(y.size(1));
  return (y * rows + 1) / (rows + classes);
}

constexpr double kLeastScale = 0.05, kMostScale = 20;

/// Scale and shifts of least log loss, which is convex, by Newton's method: the Hessian is a diagonal and one row. It
/// starts from the labels' odds, on logits minus their means: far from there, where all probabilities are 0 or 1, no
/// step leads back. A step is halved until the loss is smaller, because full steps can jump from side to side for ever.
Calibrated calibrate_labels(const at::Tensor& logits, const at::Tensor& labels) {
  const at::Tensor y = less_certain(labels), mean = logits.mean(0), z = logits - mean;
  const auto losses = [&](double scale, const at::Tensor& shift) {
    const at::Tensor calibrated = scale * z + shift;
    return at::softplus(calibrated) - y * calibrated;
  };
  Calibrated result{1, at::logit(y.mean(0)), {}};
  double loss = losses(result.scale, result.shift).sum().item<double>();
  const auto descend = [&](double of_scale, const at::Tensor& of_shifts) {
    for (double size = 1; size > 1e-6; size /= 2) {
      const double scale = result.scale + size * of_scale;
      const at::Tensor shift = result.shift + size * of_shifts;
      if (const double there = losses(scale, shift).sum().item<double>(); there < loss) {
        result.scale = scale, result.shift = shift, loss = there;
        return true;
      }
    }
    return false;
  };
  for (int step = 0; step < 100; ++step) {
    const at::Tensor p = at::sigmoid(result.scale * z + result.shift), residual = p - y, spread = p * (1 - p);
    const at::Tensor of_shift = residual.sum(0), diagonal = spread.sum(0) + 1e-9, row = (spread * z).sum(0);
    const double gradient = (residual * z).sum().item<double>();
    const double corner = (spread * z * z).sum().item<double>() + 1e-9;
    const double schur = corner - (row * row / diagonal).sum().item<double>();
    // Both together, where it helps; else the scale, and then the shifts alone, each of which goes down for certain.
    const auto scale_step = [&](double change) {
      return std::clamp(result.scale + std::clamp(change, -1.0, 1.0), kLeastScale, kMostScale) - result.scale;
    };
    const auto shift_step = [&](const at::Tensor& change) { return change.clamp(-2, 2); };
    double together = 0;  // without a spread of the logits, a scale is the same as a shift
    if (schur > 1e-8 * corner)
      together = scale_step(-(gradient - (row * of_shift / diagonal).sum().item<double>()) / schur);
    const double before = loss;
    const bool better = descend(together, shift_step(-(of_shift + row * together) / diagonal)) ||
                        descend(scale_step(-gradient / corner), at::zeros_like(mean)) ||
                        descend(0, shift_step(-of_shift / diagonal));
    if (!better || before - loss < 1e-13 * (1 + loss)) break;
  }
  result.losses = losses(result.scale, result.shift).sum(1);
  result.shift = result.shift - result.scale * mean;
  return result;
}

/// The scale at which a convex loss is least. `of`: gives the gradient and the curvature at a scale. Newton's steps,
/// and halvings of the interval that holds the scale where a step leaves it or is not half as long as the one before.
template <class Derivatives>
double least_at(const Derivatives& of) {
  double scale = 1, low = kLeastScale, high = kMostScale, before = high - low;
  for (int step = 0; step < 100; ++step) {
    const auto [gradient, curvature] = of(scale);
    (gradient > 0 ? high : low) = scale;
    double next = scale - gradient / curvature;
    if (!(next > low && next < high) || std::abs(next - scale) > before / 2) next = std::sqrt(low * high);
    before = std::abs(next - scale);
    scale = next;
    if (before < 1e-8) break;
  }
  return scale;
}

/// Scale and shifts of least Poisson loss of counts in units of their means: under the best shift of any scale,
/// expected and observed counts have the same sum.
Calibrated calibrate_counts(const at::Tensor& z, const at::Tensor& counts) {
  const at::Tensor y = counts / counts.mean(0).clamp_min(1e-12);
  const auto rows = static_cast<double>(z.size(0));
  const auto shift_of = [&](const at::Tensor& scaled) { return (y.sum(0) / expected_counts(scaled).sum(0)).log(); };
  Calibrated result;
  result.scale = least_at([&](double scale) {
    const at::Tensor mu = expected_counts(scale * z + shift_of(scale * z)), mean_z = (mu * z).sum(0) / mu.sum(0);
    return std::pair(((mu - y) * z).sum().item<double>() / rows,
                     (mu * (z - mean_z).square()).sum().item<double>() / rows + 1e-9);
  });
  result.shift = shift_of(result.scale * z);
  const at::Tensor calibrated = result.scale * z + result.shift;
  result.losses = (expected_counts(calibrated) - y * calibrated).sum(1);
  result.shift = result.shift + counts.mean(0).clamp_min(1e-12).log();
  return result;
}

/// The scale under which the classes' log loss is least. No shifts: both parts have the classes' odds.
Calibrated calibrate_classes(const at::Tensor& z, const at::Tensor& labels) {
  const at::Tensor y = less_certain_classes(labels);
  Calibrated result{1, at::zeros({z.size(1)}, at::kDouble), {}};
  result.scale = least_at([&](double scale) {
    const at::Tensor p = at::softmax(scale * z, 1);
    return std::pair(((p - y) * z).sum().item<double>(),
                     ((p * z * z).sum(1) - (p * z).sum(1).square()).sum().item<double>() + 1e-9);
  });
  result.losses = -(at::log_softmax(result.scale * z, 1) * y).sum(1);
  return result;
}

/// Scale and shifts of least squared error, the scale not below 0. Missing numbers (NaN) have no error.
Calibrated calibrate_numbers(const at::Tensor& z, const at::Tensor& y) {
  const at::Tensor known = at::isnan(y).logical_not(), measured = at::where(known, y, at::zeros_like(y));
  const at::Tensor mask = known.to(at::kDouble), count = mask.sum(0).clamp_min(1);
  const at::Tensor mean_z = (z * mask).sum(0) / count, mean_y = measured.sum(0) / count;
  const at::Tensor of_z = (z - mean_z) * mask, of_y = (measured - mean_y) * mask;
  const double spread = of_z.square().sum().item<double>();
  Calibrated result;
  if (spread > 0) result.scale = std::clamp((of_z * of_y).sum().item<double>() / spread, 0.0, 20.0);
  result.shift = mean_y - result.scale * mean_z;
  result.losses = (result.scale * of_z - of_y).square().sum(1) / 2;
  return result;
}
}  // namespace

Calibrated calibrate(const at::Tensor& z, const at::Tensor& y, LabelType type) {
  const model::OneThreadPerOperation same_sums;  // for any number of threads
  return type == LabelType::classes      ? calibrate_classes(z, y)
         : type == LabelType::regression ? calibrate_numbers(z, y)
         : type == LabelType::counts     ? calibrate_counts(z, y)
                                         : calibrate_labels(z, y);
}

std::map<std::string, std::vector<int64_t>> members_of(const at::Tensor& y, const std::vector<std::string>& groups,
                                                       LabelType type) {
  const bool all = type == LabelType::classes || type == LabelType::regression, counts = type == LabelType::counts;
  const at::Tensor share = y.mean(0);
  std::map<std::string, std::vector<int64_t>> members;
  for (size_t f = 0; f < groups.size(); ++f) {
    const auto of = share[static_cast<int64_t>(f)].item<float>();
    if (all || (of > 0 && (counts || of < 1))) members[groups[f]].push_back(static_cast<int64_t>(f));
  }
  return members;
}

int64_t known_values(const at::Tensor& y, LabelType type) {
  if (type == LabelType::regression) return at::isnan(y).logical_not().sum().item<int64_t>();
  if (type == LabelType::counts) return (y > 0).sum().item<int64_t>();
  const at::Tensor positives = y.sum(0);
  return at::minimum(positives, static_cast<double>(y.size(0)) - positives).sum().to(at::kLong).item<int64_t>();
}

bool is_of_few(const at::Tensor& y) { return known_values(y.unsqueeze(1), LabelType::binary) < kFew; }

std::vector<double> shifts_to_shares(const at::Tensor& logits, std::span<const double> shares) {
  const c10::NoGradGuard no_grad;
  const at::Tensor z = logits.to(at::kDouble);
  std::vector<double> shifts;
  for (size_t f = 0; f < shares.size(); ++f) {
    const at::Tensor column = z.select(1, static_cast<int64_t>(f));
    double low = -kFarthestShift, high = kFarthestShift;
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = (low + high) / 2;
      (at::sigmoid(column + middle).mean().item<double>() < shares[f] ? low : high) = middle;
    }
    shifts.push_back((low + high) / 2);
  }
  return shifts;
}

namespace {
/// Labels that rows say too little of have the mean probability `shares`.
void to_shares(models::Calibration& calibration, const at::Tensor& logits, const at::Tensor& y,
               std::span<const double> shares) {
  for (size_t f = 0; f < shares.size(); ++f) {
    const auto column = static_cast<int64_t>(f);
    if (!is_of_few(y.select(1, column))) continue;
    const at::Tensor scaled = calibration.scale[f] * logits.narrow(1, column, 1).to(at::kDouble);
    calibration.shift[f] = shifts_to_shares(scaled, shares.subspan(f, 1)).front();
  }
}
}  // namespace

models::Calibration fit_calibration(const at::Tensor& logits, const at::Tensor& y,
                                    const std::vector<std::string>& groups, LabelType type,
                                    std::span<const double> shares) {
  const c10::NoGradGuard no_grad;
  models::Calibration result(y.size(1));
  for (const auto& [group, list] : members_of(y, groups, type)) {
    const at::Tensor columns = at::tensor(list, at::kLong);
    const at::Tensor z = logits.index_select(1, columns).to(at::kDouble),
                     truth = y.index_select(1, columns).to(at::kDouble);
    if (known_values(truth, type) < kFew) continue;
    if (type == LabelType::counts) {
      const at::Tensor factor = truth.sum(0) / at::exp(z).sum(0);
      for (size_t i = 0; i < list.size(); ++i)
        result.shift[static_cast<size_t>(list[i])] = std::log(factor[static_cast<int64_t>(i)].item<double>());
      continue;
    }
    const Calibrated fitted = calibrate(z, truth, type);
    for (size_t f = 0; f < groups.size(); ++f)
      if (groups[f] == group) result.scale[f] = fitted.scale;
    // classes have no shifts; the mean of numbers stays that of the training rows, which are more
    if (type == LabelType::classes || type == LabelType::regression) continue;
    for (size_t i = 0; i < list.size(); ++i)
      result.shift[static_cast<size_t>(list[i])] = fitted.shift[static_cast<int64_t>(i)].item<double>();
  }
  to_shares(result, logits, y, shares);
  return result;
}

void fold(const models::Calibration& calibration, const std::vector<double>& weights, model::Parameters& parameters,
          const model_folder::ModelConfig& config) {
  const c10::NoGradGuard no_grad;
  const std::string head(model_folder::architecture(config).task_output);
  auto& bias = parameters.at(head + ".bias");
  const at::Tensor scale = at::tensor(calibration.scale, at::kFloat).to(bias.device());
  auto& weight = parameters.at(head + ".weight");
  weight = weight * scale.unsqueeze(1);
  bias = bias * scale;
  for (size_t f = 0; f < weights.size(); ++f) {
    // the bias counts the weight of labels, which is neither scaled nor a shift
    bias[static_cast<int64_t>(f)] += calibration.shift[f] + (1 - calibration.scale[f]) * std::log(weights[f]);
  }
}

std::string text_by_group(const std::map<std::string, double>& numbers) {
  std::string text;
  for (const auto& [group, number] : numbers)
    text += concat(text.empty() ? "" : ", ", number, numbers.size() > 1 ? " for " + group : "");
  return text;
}

}  // namespace bigdna::linear
