#include "linear/stacking.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "linear/calibration_fit.h"

namespace bigdna::linear {

namespace {
using dataset::LabelType;
constexpr double kBetas[] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8};
constexpr double kAlike = 1e-6;  // losses that differ by less, as a share, differ by rounding

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
}  // namespace

Stack fit_stack(const at::Tensor& kmers, const at::Tensor& encoder, const at::Tensor& y,
                std::span<const int64_t> blocks, const std::vector<std::string>& groups, LabelType type,
                StackChoice choice) {
  const c10::NoGradGuard no_grad;
  const auto features = groups.size();
  Stack stack{std::vector<double>(features, 0), std::vector<double>(features, 1), std::vector<double>(features, 0)};
  const auto members = members_of(y, groups, type);
  for (const auto& [group, list] : members) {
    const at::Tensor columns = at::tensor(list, at::kLong);
    const auto of_group = [&](const at::Tensor& x) { return x.index_select(1, columns).to(at::kDouble); };
    const at::Tensor w = of_group(kmers), e = of_group(encoder), truth = of_group(y);
    std::vector<Calibrated> candidates;
    for (const double beta : kBetas) candidates.push_back(calibrate(w + beta * e, truth, type));
    const auto total = [](const Calibrated& one) { return one.losses.sum().item<double>(); };
    const auto best = std::min_element(candidates.begin(), candidates.end(),
                                       [&](const auto& a, const auto& b) { return total(a) < total(b); });
    const auto above_best = [&](const Calibrated& one) { return total(one) - total(*best); };
    const auto alike = [&](const Calibrated& one) { return above_best(one) <= kAlike * std::abs(total(*best)); };
    const auto within_error = [&](const Calibrated& one) {
      return above_best(one) <= standard_error((one.losses - best->losses).contiguous(), blocks);
    };
    const bool none = choice == StackChoice::earned && within_error(candidates.front());
    const auto chosen =
        none ? size_t{0} : static_cast<size_t>(std::ranges::find_if(candidates, alike) - candidates.begin());
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

}  // namespace bigdna::linear
