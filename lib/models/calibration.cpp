#include "models/calibration.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/error.h"

namespace bigdna::models {

void Calibration::apply(std::span<double> logits) const {
  for (size_t i = 0; i < logits.size(); ++i) {
    const size_t output = i % scale.size();
    logits[i] = scale[output] * logits[i] + shift[output];
  }
}

namespace {
/// NaN is null.
nlohmann::ordered_json json_of(const std::vector<double>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const double value : values)
    list.push_back(std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value));
  const bool same = std::ranges::all_of(list, [&](const auto& value) { return value == list.front(); });
  return same && !list.empty() ? list.front() : list;
}

std::vector<double> numbers_of(const nlohmann::ordered_json& json, int64_t outputs) {
  const auto number = [](const nlohmann::ordered_json& value) { return value.is_null() ? NAN : value.get<double>(); };
  if (!json.is_array()) return std::vector<double>(static_cast<size_t>(outputs), number(json));
  std::vector<double> values;
  for (const auto& value : json) values.push_back(number(value));
  return values;
}
}  // namespace

nlohmann::ordered_json Calibration::json() const {
  return {{"scale", json_of(scale)}, {"shift", json_of(shift)}, {"threshold", threshold}};
}

Calibration Calibration::of(const nlohmann::ordered_json& json, int64_t outputs, const std::string& path) {
  Calibration calibration;
  try {
    calibration.scale = numbers_of(json.at("scale"), outputs);
    calibration.shift = numbers_of(json.at("shift"), outputs);
    calibration.threshold = json.at("threshold");
  } catch (const nlohmann::json::exception&) {
    fail(path, ": a calibration has no scale, shift and threshold");
  }
  if (static_cast<int64_t>(calibration.scale.size()) != outputs || calibration.shift.size() != calibration.scale.size())
    fail(path, ": a calibration does not have ", counted(outputs, "output"));
  return calibration;
}

}  // namespace bigdna::models
