/// The last step from the logits of a method to its predictions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace bigdna::models {

/// Fitted to validation rows (linear/calibration_fit.h), for logits that count no weight of labels, or numbers in
/// units of training's standard deviations.
struct Calibration {
  std::vector<double> scale, shift;  // one per output; a scale of NaN: the method has no prediction of that output
  double threshold = 0.5;            // promoters: the least probability of a call

  explicit Calibration(int64_t outputs = 0)
      : scale(static_cast<size_t>(outputs), 1), shift(static_cast<size_t>(outputs), 0) {}
  /// scale x logit + shift, row-major [rows, outputs].
  void apply(std::span<double> logits) const;

  /// {"scale", "shift", "threshold"}: a number where all outputs have the same, or one number per output.
  nlohmann::ordered_json json() const;
  /// Error naming `path` if they do not fit a model with this number of outputs.
  static Calibration of(const nlohmann::ordered_json& json, int64_t outputs, const std::string& path);
};

}  // namespace bigdna::models
