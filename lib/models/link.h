/// How a task head's logits become predictions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"

namespace bigdna::models {

struct Link {
  /// sigmoid: a probability for each output; softmax: probabilities of classes, which add up to 1; linear:
  /// numbers; exponential: expected counts, of which the logits are the natural logarithms.
  enum class Kind { sigmoid, softmax, linear, exponential };
  Kind kind = Kind::sigmoid;
  std::vector<double> weights{1};   // of labels 1, or of classes, in the loss: one per output, or one for all
  std::vector<double> mean, scale;  // linear: a number is mean + scale x its logit; one per output
  std::vector<Kind> of_outputs;     // where outputs differ: of each sigmoid or exponential
  /// Whether all outputs are numbers or expected counts.
  bool gives_numbers() const { return kind == Kind::linear || kind == Kind::exponential; }
  Kind of_output(size_t output) const { return of_outputs.empty() ? kind : of_outputs[output]; }

  /// Turns logits, row-major [rows, labels], into answers in which training's weights still count, or which
  /// are in units of training's standard deviations: what may be averaged over strands. In double, as
  /// correct(): taking a weight back from a probability of almost 1 would magnify float's rounding.
  void apply(std::span<double> logits, int64_t labels) const;
  /// Takes the weights back (p / (p + w (1 - p)), or p / w, adding up to 1 again), and gives numbers their
  /// own units.
  void correct(std::span<double> answers, int64_t labels) const;

  /// The answers of a part of the logits that counts no weights: apply(), and numbers in their own units.
  void of_part(std::span<double> logits, int64_t labels) const;

  /// Turns the logits of one row into the log-odds of its answers with the weights taken back; linear and exponential:
  /// leaves them.
  void to_log_odds(std::span<double> logits) const;

  /// Turns the logits of one row into what differences are given in: log-odds, as to_log_odds(), or numbers in their
  /// own units, without their means.
  void to_own_units(std::span<double> logits) const;

  /// As a model's bigdna.json keeps it: "link" and "positive_weight", or "class_weights", or "mean" and
  /// "scale".
  void save(nlohmann::ordered_json& details) const;
  /// Error naming `path` if they do not fit a model with this number of labels.
  static Link load(const nlohmann::ordered_json& details, int64_t labels, const std::string& path);
};

/// The links of outputs of these kinds; empty where all are labels.
std::vector<Link::Kind> links_of(const std::vector<dataset::Feature>& features);

}  // namespace bigdna::models
