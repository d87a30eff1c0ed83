#include "evaluation/evaluation_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/table.h"

namespace bigdna::evaluation {

std::string number_text(double value) {
  if (std::isnan(value)) return "NA";
  char text[32];
  const double size = std::abs(value);
  std::snprintf(text, sizeof text, size == 0 || (size >= 1e-4 && size < 1e9) ? "%.6f" : "%.6g", value);
  return text;
}

nlohmann::ordered_json json_number(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

nlohmann::ordered_json json_estimate(const metrics::Estimate& estimate) {
  return {
      {"value", json_number(estimate.value)}, {"low", json_number(estimate.low)}, {"high", json_number(estimate.high)}};
}

std::string first_of(const std::vector<std::string>& names, size_t most) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, names.size()));
  const auto text = listed({names.begin(), names.begin() + shown});
  return names.size() > most ? concat(text, " and ", names.size() - most, " more") : text;
}

}  // namespace bigdna::evaluation
