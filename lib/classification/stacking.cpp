#include "classification/stacking.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log_softmax.h>
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
#include <map>

namespace bigdna::classification {

namespace {
using dataset::LabelType;
constexpr float kMostShift = 1;  // a few rows that a model ranks perfectly would call for any shift
constexpr int64_t kFew = 10;  // fewer known values say nothing about a share, and may call for none by chance
constexpr double kBetas[] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8};

struct Calibrated {
  double scale = 1;
  at::Tensor shift;   // [features]
  at::Tensor losses;  // [rows]: sums over features
};

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

/// Scale and shifts of least log loss, by Newton's method: the Hessian is a diagonal and one row.
Calibrated calibrate_labels(const at::Tensor& z, const at::Tensor& labels) {
  const at::Tensor y = less_certain(labels);
  Calibrated result{1, at::zeros({z.size(1)}, at::kDouble), {}};
  for (int step = 0; step < 20; ++step) {
    const at::Tensor p = at::sigmoid(result.scale * z + result.shift), residual = p - y, spread = p * (1 - p);
    const at::Tensor of_shift = residual.sum(0), diagonal = spread.sum(0) + 1e-9, row = (spread * z).sum(0);
    const double gradient = (residual * z).sum().item<double>(), corner = (spread * z * z).sum().item<double>() + 1e-9;
    const double schur = corner - (row * row / diagonal).sum().item<double>();
    double change = schur > 1e-12 ? (gradient - (row * of_shift / diagonal).sum().item<double>()) / schur : 0;
    change = std::clamp(change, -1.0, 1.0);
    const double scale = std::clamp(result.scale - change, 0.05, 20.0);
    result.shift = result.shift - ((of_shift - row * (result.scale - scale)) / diagonal).clamp(-2, 2);
    const bool done = std::abs(result.scale - scale) < 1e-7 &&
                      of_shift.abs().max().item<double>() < 1e-6 * static_cast<double>(z.size(0));
    result.scale = scale;
    if (done) break;
  }
  const at::Tensor logits = result.scale * z + result.shift;
  result.losses = (at::softplus(logits) - y * logits).sum(1);
  return result;
}

/// The scale under which the classes' log loss is least, by Newton's method. No shifts: both parts have the classes'
/// odds.
Calibrated calibrate_classes(const at::Tensor& z, const at::Tensor& labels) {
  const at::Tensor y = less_certain_classes(labels);
  Calibrated result{1, at::zeros({z.size(1)}, at::kDouble), {}};
  for (int step = 0; step < 30; ++step) {
    const at::Tensor p = at::softmax(result.scale * z, 1);
    const double gradient = ((p - y) * z).sum().item<double>();
    const double curvature = ((p * z * z).sum(1) - (p * z).sum(1).square()).sum().item<double>() + 1e-9;
    const double scale = std::clamp(result.scale - std::clamp(gradient / curvature, -1.0, 1.0), 0.05, 20.0);
    const bool done = std::abs(result.scale - scale) < 1e-7;
    result.scale = scale;
    if (done) break;
  }
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

Calibrated calibrate(const at::Tensor& z, const at::Tensor& y, LabelType type) {
  return type == LabelType::classes      ? calibrate_classes(z, y)
         : type == LabelType::regression ? calibrate_numbers(z, y)
                                         : calibrate_labels(z, y);
}

/// The standard error of the sum of `differences` (of rows), with blocks as what is drawn.
double standard_error(const at::Tensor& differences, std::span<const int64_t> blocks) {
  std::map<int64_t, double> sums;
  const auto* values = differences.const_data_ptr<double>();
  for (size_t i = 0; i < blocks.size(); ++i) sums[blocks[i]] += values[i];
  const auto count = static_cast<double>(sums.size());
  double mean = 0, squares = 0;
  for (const auto& [block, sum] : sums) mean += sum / count;
  for (const auto& [block, sum] : sums) squares += (sum - mean) * (sum - mean);
  return count > 1 ? std::sqrt(count / (count - 1) * squares) : INFINITY;
}

/// The features of each group, of labels those that are both 0 and 1 in some rows.
std::map<std::string, std::vector<int64_t>> members_of(const at::Tensor& y, const std::vector<std::string>& groups,
                                                       LabelType type) {
  const bool all = type == LabelType::classes || type == LabelType::regression;
  const at::Tensor share = y.mean(0);
  std::map<std::string, std::vector<int64_t>> members;
  for (size_t f = 0; f < groups.size(); ++f) {
    const auto of = share[static_cast<int64_t>(f)].item<float>();
    if (all || (of > 0 && of < 1)) members[groups[f]].push_back(static_cast<int64_t>(f));
  }
  return members;
}
/// Of numbers, how many were measured; of labels, how many have the rarer value.
int64_t known_values(const at::Tensor& y, LabelType type) {
  if (type == LabelType::regression) return at::isnan(y).logical_not().sum().item<int64_t>();
  const at::Tensor positives = y.sum(0);
  return at::minimum(positives, static_cast<double>(y.size(0)) - positives).sum().to(at::kLong).item<int64_t>();
}
}  // namespace

Stack fit_stack(const at::Tensor& words, const at::Tensor& encoder, const at::Tensor& y,
                std::span<const int64_t> blocks, const std::vector<std::string>& groups, LabelType type) {
  const c10::NoGradGuard no_grad;
  const auto features = groups.size();
  Stack stack{std::vector<double>(features, 0), std::vector<double>(features, 1), std::vector<double>(features, 0)};
  const auto members = members_of(y, groups, type);
  for (const auto& [group, list] : members) {
    const at::Tensor columns = at::tensor(list, at::kLong);
    const auto of_group = [&](const at::Tensor& x) { return x.index_select(1, columns).to(at::kDouble); };
    const at::Tensor w = of_group(words), e = of_group(encoder), truth = of_group(y);
    std::vector<Calibrated> candidates;
    for (const double beta : kBetas) candidates.push_back(calibrate(w + beta * e, truth, type));
    const auto total = [](const Calibrated& one) { return one.losses.sum().item<double>(); };
    const auto best = std::min_element(candidates.begin(), candidates.end(),
                                       [&](const auto& a, const auto& b) { return total(a) < total(b); });
    size_t chosen = 0;
    while (&candidates[chosen] != &*best &&
           total(candidates[chosen]) - total(*best) >
               standard_error((candidates[chosen].losses - best->losses).contiguous(), blocks))
      ++chosen;
    const auto shift = candidates[chosen].shift.contiguous();
    for (size_t i = 0; i < list.size(); ++i) {
      const auto f = static_cast<size_t>(list[i]);
      stack.beta[f] = kBetas[chosen];
      stack.scale[f] = candidates[chosen].scale;
      stack.shift[f] = shift.const_data_ptr<double>()[i];
    }
  }
  return stack;
}

Kept keep_part(const at::Tensor& rest, const at::Tensor& part, const at::Tensor& y,
               const std::vector<std::string>& groups, LabelType type) {
  const c10::NoGradGuard no_grad;
  Kept kept{std::vector<float>(groups.size(), 1), std::vector<float>(groups.size(), 1),
            std::vector<float>(groups.size(), 0)};
  for (const auto& [group, list] : members_of(y, groups, type)) {
    const at::Tensor columns = at::tensor(list, at::kLong);
    const auto of = [&](const at::Tensor& x) { return x.index_select(1, columns).to(at::kDouble); };
    if (known_values(of(y), type) < kFew) continue;
    double least = INFINITY;
    for (const float share : {0.f, 0.25f, 0.5f, 0.75f, 1.f}) {
      const Calibrated fitted = calibrate(of(rest) + share * of(part), of(y), type);
      const double loss = fitted.losses.sum().item<double>();
      if (loss >= least) continue;
      least = loss;
      for (size_t f = 0; f < groups.size(); ++f)
        if (groups[f] == group) {
          kept.share[f] = share;
          kept.scale[f] = static_cast<float>(fitted.scale);
        }
      if (type == LabelType::regression) continue;  // the mean stays that of the training rows, which are more
      for (size_t i = 0; i < list.size(); ++i)
        kept.shift[static_cast<size_t>(list[i])] =
            std::clamp(fitted.shift[static_cast<int64_t>(i)].item<float>(), -kMostShift, kMostShift);
    }
  }
  return kept;
}

}  // namespace bigdna::classification
