#include "evaluation/own_baselines.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluation/baseline_methods.h"

namespace bigdna::evaluation {

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

OwnBaselines::OwnBaselines(const rows::TaskRows& data, std::vector<int64_t> validation, session::Strands strands,
                           std::vector<float> states, models::Baselines baselines)
    : data_(data),
      validation_(std::move(validation)),
      strands_(strands),
      states_(std::move(states)),
      baselines_(std::move(baselines)) {}

std::vector<float> OwnBaselines::predictions(const std::string& name, const models::Calibration& calibration,
                                             const std::vector<int64_t>& rows) const {
  const auto values = baselines_.predictions(name, calibration, data_.bases_of(rows), strands_);
  return {values.begin(), values.end()};
}

void OwnBaselines::add(const std::string& name, const at::Tensor& weights) {
  const auto has = outputs_with_weight(weights, data_.groups());
  if (std::ranges::find(has, true) == has.end()) return;
  auto calibration =
      name == "constant"
          ? constant_calibration(data_, validation_)
          : calibration_of(baselines_.logits(name, data_.bases_of(validation_), strands_, states_), data_, validation_);
  for (size_t f = 0; f < has.size(); ++f)
    if (!has[f]) calibration.scale[f] = NAN;
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

}  // namespace bigdna::evaluation
