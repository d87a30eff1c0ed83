#include "profile/scorer.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "base/threads.h"
#include "genome/alphabet.h"
#include "model/parallel.h"
#include "model/profile.h"

namespace bigdna::profile {
namespace {

/// Long windows waste few bins on margins; their activations still fit in a processor's cache of tens of MB.
constexpr int64_t kWindow = 64'000;  // bp

model::Parameters placed(const model::Parameters& parameters, const session::Placement& placement) {
  model::Parameters result;
  for (const auto& [name, tensor] : parameters) result[name] = tensor.detach().to(placement.device);
  return result;
}

}  // namespace

std::vector<int32_t> base_codes(std::string_view bases) {
  std::vector<int32_t> codes(bases.size());
  std::ranges::transform(bases, codes.begin(), [](char base) -> int32_t {
    switch (base) {
      case 'A': return 0;
      case 'C': return 1;
      case 'G': return 2;
      case 'T': return 3;
      default: return static_cast<int32_t>(model::kUnknownBase);
    }
  });
  return codes;
}

Scorer::Scorer(const model_folder::ProfileConfig& config, const model::Parameters& parameters,
               const session::Placement& placement)
    : config_(config), placement_(placement), parameters_(placed(parameters, placement)) {
  const int64_t bin = config.bin(), reach = config.reach() / bin, trained = config.window / bin;
  // Attention depends on where a bin lies in its window, so windows are as long as in training, and the outer quarters
  // are left out.
  bins_ = config.layers > 0 ? trained : std::max({trained, kWindow / bin, 4 * reach});
  margin_ = config.layers > 0 ? trained / 4 : std::min(reach, (bins_ - 1) / 2);
}

std::vector<float> Scorer::one_strand(std::string_view bases) const {
  c10::NoGradGuard no_grad;
  std::vector<int32_t> codes = base_codes(bases);
  const at::Tensor ids =
      at::from_blob(codes.data(), {1, static_cast<int64_t>(codes.size())}, at::kInt).to(placement_.device, at::kLong);
  const at::Tensor logits =
      model::profile_logits(config_, parameters_, ids, placement_.forward()).to(at::kCPU, at::kFloat).contiguous();
  const auto* values = logits.const_data_ptr<float>();
  std::vector<float> all(values, values + logits.numel());
  if (!std::ranges::all_of(all, [](float value) { return std::isfinite(value); }))
    fail("the model's output is not a number: its weights are damaged");
  return all;
}

std::vector<float> Scorer::logits(std::string_view bases, session::Strands strands) const {
  std::vector<float> all = one_strand(bases);
  if (strands != session::Strands::average) return all;
  const std::vector<float> other = one_strand(genome::reverse_complement(bases));
  const auto labels = static_cast<size_t>(config_.labels), bins = all.size() / labels;
  for (size_t b = 0; b < bins; ++b)
    for (size_t l = 0; l < labels; ++l) {
      const size_t there = config_.reversed.empty() ? l : static_cast<size_t>(config_.reversed[l]);
      float& value = all[b * labels + l];
      value = (value + other[(bins - 1 - b) * labels + there]) / 2;
    }
  return all;
}

std::vector<float> Scorer::logits(const classification::TaskRows& data, const BinGrid& grid,
                                  const std::vector<int64_t>& rows, session::Strands strands) const {
  const auto windows = grid.covering(rows, bins_, margin_);
  std::unordered_map<int64_t, size_t> slot;  // of a row in the result
  for (size_t i = 0; i < rows.size(); ++i) slot.emplace(rows[i], i);
  const auto labels = static_cast<size_t>(config_.labels);
  std::vector<float> all(rows.size() * labels);
  const model::OneThreadPerOperation guard;
  parallel_for(static_cast<int64_t>(windows.size()), placement_.streams(), [&](int64_t w) {
    const Window& window = windows[static_cast<size_t>(w)];
    const auto values = logits(data.sequence(grid.region(window, bins_)), strands);
    for (int64_t b = margin_; b < bins_ - margin_; ++b) {
      const auto found = slot.find(grid.row(window.contig, window.first_bin + b));
      if (found == slot.end()) continue;
      std::copy_n(values.begin() + b * config_.labels, labels,
                  all.begin() + static_cast<int64_t>(found->second * labels));
    }
  });
  return all;
}

}  // namespace bigdna::profile
