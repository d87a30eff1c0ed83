/// What the filters of a network's first layer look for, and what they are good for.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/max.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "model/network.h"
#include "models/network.h"

namespace bigdna::models {

Network::FilterMaxima Network::filter_maxima(std::span<const std::string> sequences) const {
  c10::NoGradGuard no_grad;
  std::vector<at::Tensor> rows;
  for (const auto& bases : sequences) rows.push_back(codes_of(bases));
  const at::Tensor codes = at::cat(rows);
  const int64_t pool = config_.stages.front().pool;
  std::vector<at::Tensor> outputs, positions, sums;
  FilterMaxima maxima;
  for (int64_t network = 0; network < config_.networks; ++network) {
    const at::Tensor all =
        model::filter_outputs(config_, parameters_, network, codes, placement_.forward()).to(at::kFloat);
    const auto [most, where] = at::max(all, 1);
    outputs.push_back(most), positions.push_back(where);
    const at::Tensor pooled = all.reshape({all.size(0), all.size(1) / pool, pool, all.size(2)}).amax(2);
    sums.push_back(pooled.to(at::kDouble).sum(at::IntArrayRef({0, 1})).to(at::kCPU));
    maxima.count = pooled.size(0) * pooled.size(1);
  }
  maxima.outputs = finite(at::cat(outputs, 1));
  const at::Tensor where = at::cat(positions, 1).to(at::kCPU).contiguous(), sum = at::cat(sums).contiguous();
  maxima.positions.assign(where.const_data_ptr<int64_t>(), where.const_data_ptr<int64_t>() + where.numel());
  maxima.pooled.assign(sum.const_data_ptr<double>(), sum.const_data_ptr<double>() + sum.numel());
  return maxima;
}

std::vector<float> Network::filter_effects(const Original& original, std::span<const float> levels) const {
  c10::NoGradGuard no_grad;
  const int64_t bin = config_.bin(), pad = (config_.stage_reach() + bin - 1) / bin;
  const int64_t bins = std::ssize(original.bases) / bin, filters = config_.stages.front().filters;
  const int64_t first = std::max<int64_t>(0, original.bin - pad), last = std::min(bins - 1, original.bin + pad);
  const at::Tensor codes =
      codes_of(std::string_view(original.bases)
                   .substr(static_cast<size_t>(first * bin), static_cast<size_t>((last - first + 1) * bin)));
  const auto options = placement_.forward();
  std::vector<at::Tensor> effects;
  for (int64_t network = 0; network < config_.networks; ++network) {
    const auto& states = original.states[static_cast<size_t>(network)];
    const auto of = levels.subspan(static_cast<size_t>(network * filters), static_cast<size_t>(filters));
    const at::Tensor without =
        model::bin_states_without(config_, parameters_, network, codes, of, options).narrow(1, original.bin - first, 1);
    effects.push_back(
        model::logits_of_tower(config_, parameters_, network, states.back(), options).select(1, original.bin) -
        model::altered_logits(config_, parameters_, network, states, without, original.bin, original.bin, options));
  }
  return finite(at::cat(effects));
}

}  // namespace bigdna::models
