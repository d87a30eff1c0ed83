#include "classification/own_baselines.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "classification/calibration.h"
#include "classification/kmer_fit.h"

namespace bigdna::classification {

namespace {
/// The outputs of whose group some row of a part's weights, [outputs, columns], is not 0.
std::vector<bool> outputs_with_weight(const at::Tensor& weights, const std::vector<std::string>& groups) {
  if (!weights.defined()) return std::vector<bool>(groups.size(), true);
  std::set<std::string> kept;
  for (size_t f = 0; f < groups.size(); ++f)
    if (weights.select(0, static_cast<int64_t>(f)).abs().max().item<double>() > 0) kept.insert(groups[f]);
  std::vector<bool> has;
  for (const auto& group : groups) has.push_back(kept.contains(group));
  return has;
}
}  // namespace

task_model::Calibration calibration_of(const std::vector<double>& logits, const TaskRows& data,
                                       const std::vector<int64_t>& rows) {
  if (rows.empty()) return task_model::Calibration(data.labels());
  return fit_calibration(at::tensor(logits, at::kFloat).view({-1, data.labels()}), data.label_matrix(rows),
                         data.groups(), data.type);
}

double threshold_of(const TaskRows& data,
                    const std::function<std::vector<float>(const std::vector<int64_t>&)>& predictions) {
  const auto validation = data.of(dataset::Split::validation, kMostValidation);
  std::vector<size_t> called;
  for (size_t f = 0; f < data.features.size(); ++f)
    if (data.is_called(f)) called.push_back(f);
  if (called.empty() || validation.empty()) return Method().threshold;
  const auto all = predictions(validation);
  std::vector<float> scores;
  std::vector<uint8_t> labels;
  for (const size_t f : called) {
    for (size_t i = f; i < all.size(); i += data.features.size()) scores.push_back(all[i]);
    const auto of_feature = data.labels_of(validation, static_cast<int64_t>(f));
    labels.insert(labels.end(), of_feature.begin(), of_feature.end());
  }
  return choose_threshold(scores, labels);
}

OwnBaselines::OwnBaselines(const TaskRows& data, std::vector<int64_t> validation, std::vector<float> states,
                           task_model::Baselines baselines)
    : data_(data), validation_(std::move(validation)), states_(std::move(states)), baselines_(baselines) {}

std::vector<float> OwnBaselines::predictions(const std::string& name, const task_model::Calibration& calibration,
                                             const std::vector<int64_t>& rows) const {
  const auto values = baselines_.predictions(name, calibration, data_.bases_of(rows), session::Strands::forward);
  return {values.begin(), values.end()};
}

void OwnBaselines::add(const std::string& name, const at::Tensor& weights) {
  const auto has = outputs_with_weight(weights, data_.groups());
  if (std::ranges::find(has, true) == has.end()) return;
  // a constant has no logits of its own: its calibration holds the labels' odds in training
  const auto odds = name == "constant" ? training_odds(data_) : std::vector<double>(has.size(), 0);
  auto logits = baselines_.logits(name, data_.bases_of(validation_), false, states_);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] += odds[i % odds.size()];
  auto calibration = calibration_of(logits, data_, validation_);
  for (size_t f = 0; f < has.size(); ++f) {
    calibration.shift[f] += calibration.scale[f] * odds[f];
    if (!has[f]) calibration.scale[f] = NAN;
  }
  calibration.threshold = threshold_of(data_, [&](const auto& rows) { return predictions(name, calibration, rows); });
  calibrations_.emplace_back(name, std::move(calibration));
}

nlohmann::ordered_json OwnBaselines::json() const {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, calibration] : calibrations_) json[name] = calibration.json();
  return json;
}

std::vector<Method> OwnBaselines::methods() const {
  std::vector<Method> methods;
  for (const auto& [name, calibration] : calibrations_)
    methods.push_back({name,
                       [this, name = name, calibration = calibration](const std::vector<int64_t>& rows) {
                         return predictions(name, calibration, rows);
                       },
                       calibration.threshold});
  return methods;
}

}  // namespace bigdna::classification
