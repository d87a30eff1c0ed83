/// The state of a run besides parameters and optimiser: sums since the last line of the log, and evaluations. Part of a
/// checkpoint, so that a resumed run logs and decides as if it had never stopped.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "train/loop.h"

namespace bigdna::train {

/// Values by name; null, which stands for NaN in JSON, becomes NaN again.
inline std::map<std::string, double> values_from(const nlohmann::ordered_json& json) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : json.items()) values[name] = value.is_null() ? std::nan("") : value.get<double>();
  return values;
}

/// Sums since the last line of the log.
struct ProgressWindow {
  int64_t steps = 0, tokens = 0;
  double loss = 0, norm = 0;
  std::map<std::string, Mean> metrics;

  void add(const StepValues& values, double gradient_norm) {
    ++steps;
    tokens += values.tokens;
    loss += values.loss;
    norm += gradient_norm;
    for (const auto& [name, value] : values.metrics) metrics[name].add(value);
  }
  double mean(double sum) const { return sum / static_cast<double>(std::max<int64_t>(1, steps)); }

  nlohmann::ordered_json to_json() const {
    nlohmann::ordered_json json = {{"steps", steps}, {"tokens", tokens}, {"loss", loss}, {"norm", norm}};
    for (const auto& [name, value] : metrics) json["metrics"][name] = {value.sum, value.weight};
    return json;
  }
  static ProgressWindow from_json(const nlohmann::ordered_json& json) {
    ProgressWindow window;
    window.steps = json.at("steps");
    window.tokens = json.at("tokens");
    window.loss = json.at("loss");
    window.norm = json.at("norm");
    if (json.contains("metrics"))
      for (const auto& [name, value] : json.at("metrics").items()) window.metrics[name] = {value.at(0), value.at(1)};
    return window;
  }
};

/// The last evaluation, and the best one.
struct Evaluations {
  std::map<std::string, double> last, best;
  int64_t last_step = -1, best_step = -1, worse = 0;  // worse: evaluations since the best

  void write(nlohmann::ordered_json& json) const {
    json["last"] = last;
    json["last_step"] = last_step;
    json["best"] = best;
    json["best_step"] = best_step;
    json["worse"] = worse;
  }
  void read(const nlohmann::ordered_json& json) {
    last = values_from(json.at("last"));
    last_step = json.at("last_step");
    best = values_from(json.at("best"));
    best_step = json.at("best_step");
    worse = json.at("worse");
  }
};

}  // namespace bigdna::train
