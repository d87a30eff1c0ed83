#include "profile/calibrate.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>

namespace bigdna::profile {

LogitMap fit_logit_map(const std::vector<float>& logits, const std::vector<uint8_t>& labels) {
  const auto ones = static_cast<double>(std::ranges::count(labels, 1)), all = static_cast<double>(labels.size());
  const double high = (ones + 1) / (ones + 2), low = 1 / (all - ones + 2);  // Platt's targets
  LogitMap map;
  // Newton's method on a convex function of two numbers; steps are halved until the loss falls.
  const auto loss_of = [&](const LogitMap& m) {
    double loss = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      const double z = m.scale * logits[i] + m.shift, target = labels[i] ? high : low;
      loss += std::max(z, 0.) - z * target + std::log1p(std::exp(-std::abs(z)));
    }
    return loss;
  };
  double loss = loss_of(map);
  for (int step = 0; step < 50; ++step) {
    double g0 = 0, g1 = 0, h00 = 1e-9, h01 = 0, h11 = 1e-9;
    for (size_t i = 0; i < labels.size(); ++i) {
      const double x = logits[i], p = 1 / (1 + std::exp(-(map.scale * x + map.shift)));
      const double off = p - (labels[i] ? high : low), w = p * (1 - p);
      g0 += off * x, g1 += off;
      h00 += w * x * x, h01 += w * x, h11 += w;
    }
    const double determinant = h00 * h11 - h01 * h01;
    if (!(determinant > 0)) break;
    const double d0 = (h11 * g0 - h01 * g1) / determinant, d1 = (h00 * g1 - h01 * g0) / determinant;
    double factor = 1, next = loss;
    LogitMap moved = map;
    for (; factor > 1e-6; factor /= 2) {
      moved = {map.scale - factor * d0, map.shift - factor * d1};
      next = loss_of(moved);
      if (next <= loss) break;
    }
    if (!(factor > 1e-6)) break;
    map = moved;
    if (loss - next < 1e-9 * all) break;
    loss = next;
  }
  return map;
}

void calibrate(const model_folder::ProfileConfig& config, model::Parameters& parameters,
               const classification::TaskRows& data, const std::vector<int64_t>& rows,
               const std::vector<float>& logits) {
  constexpr int64_t kFewest = 10;
  const int64_t labels = config.labels;
  for (int64_t label = 0; label < labels; ++label) {
    const auto truth = data.labels_of(rows, label);
    const auto ones = std::ranges::count(truth, 1), all = static_cast<int64_t>(truth.size());
    if (std::min<int64_t>(ones, all - ones) < kFewest) continue;
    std::vector<float> column;
    for (size_t i = static_cast<size_t>(label); i < logits.size(); i += static_cast<size_t>(labels))
      column.push_back(logits[i]);
    const LogitMap map = fit_logit_map(column, truth);
    if (!(map.scale > 0)) continue;  // ranks would turn round
    for (int64_t network = 0; network < config.networks; ++network) {
      const std::string head = model_folder::network_prefix(network) + "head.";
      parameters.at(head + "weight").select(0, label).mul_(map.scale);
      parameters.at(head + "bias").select(0, label).mul_(map.scale).add_(map.shift);
    }
  }
}

}  // namespace bigdna::profile
