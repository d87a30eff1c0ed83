/// bigdna explain: what each base of an interval contributes to a network's logits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attribution/explain_options.h"
#include "models/model.h"

namespace bigdna::attribution {

inline constexpr int64_t kBases = 4;  // A, C, G, T

/// Of one interval, for each explained base i, each base b that may stand there (A, C, G, T) and each chosen feature f.
struct Attributions {
  int64_t count = 0, features = 0;
  /// Row-major [count, 4, features]. Mutagenesis: the logit with b less the mean over the four; gradient: the gradient
  /// less its mean over the four (Majdandzic et al. 2023); integrated: the mean gradient less that of the reference's
  /// base. At the base that stands there it is the contribution (as tangermeme defines it).
  std::vector<float> hypothetical = {};
  /// Integrated gradients: of each feature the logit less the mean of the references', and what is missing to it in the
  /// sum of the contributions. Otherwise empty.
  std::vector<float> differences = {}, errors = {};

  float at(int64_t i, int64_t base, int64_t feature) const {
    return hypothetical[static_cast<size_t>((i * 4 + base) * features + feature)];
  }
  /// Of the base with this code (model::base_codes()); NaN for an unknown one.
  float contribution(int64_t i, int64_t code, int64_t feature) const;
  /// Mutagenesis: the logit with `base` less the logit with the base of this code, which stands there; NaN if that is
  /// an unknown one.
  float change(int64_t i, int64_t base, int64_t code, int64_t feature) const;
  /// Sets `differences`, and `errors` to what the contributions' sums exceed them by. `codes`: of the window's bases,
  /// of which [first, first + count) are explained.
  void compare_with(const std::vector<double>& differences_of_features, const std::vector<int32_t>& codes,
                    int64_t first);
};

/// Takes from each value [count, 4, features] the mean over the four bases of its position and feature.
void centre(std::vector<float>& values, int64_t features);

/// Where integrated gradients begin: the window with its explained bases shuffled, their dinucleotides kept. `number`:
/// of the interval in the input, by which the seed draws them.
std::vector<std::string> shuffled_references(const ExplainOptions& options, const std::string& window, int64_t first,
                                             int64_t count, int64_t number);

/// `positions`: the explained bases and the bin, in `window`; `chosen`: outputs of the model; `number`: of the
/// interval in the input, by which the seed draws its references.
Attributions attribute(const models::Model& model, const std::string& window,
                       const models::Network::Positions& positions, const std::vector<int64_t>& chosen,
                       const ExplainOptions& options, int64_t number);

/// The command. Errors name model, file and line.
void explain(const ExplainOptions& options);

}  // namespace bigdna::attribution
