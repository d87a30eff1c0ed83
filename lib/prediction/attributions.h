/// bigdna explain: what each base of an interval contributes to a network's logits.
#pragma once

#include <cstdint>
#include <vector>

#include "prediction/explain_options.h"
#include "session/profile_model.h"

namespace bigdna::prediction {

/// Of one interval, for each explained base i, each base b that may stand there (A, C, G, T) and each chosen feature f:
/// row-major [count, 4, features].
struct Attributions {
  int64_t count = 0, features = 0;
  /// Mutagenesis: the logit with b less the mean over the four; gradient: the gradient less its mean over the four
  /// (Majdandzic et al. 2023). At the base that stands there it is the contribution (as tangermeme defines it).
  std::vector<float> hypothetical = {};
  /// Mutagenesis: the logit with b less the logit of the sequence as it is; empty for the gradient.
  std::vector<float> change = {};
  float at(const std::vector<float>& values, int64_t i, int64_t base, int64_t feature) const {
    return values[static_cast<size_t>((i * 4 + base) * features + feature)];
  }
  /// Of the base with this code (model::base_codes()); NaN for an unknown one.
  float contribution(int64_t i, int64_t code, int64_t feature) const;
};

/// `positions`: the explained bases and the bin, in `window`; `chosen`: labels of the network.
Attributions attribute(const session::ProfileModel& model, const std::string& window,
                       const session::ProfileModel::Positions& positions, const std::vector<int64_t>& chosen,
                       ExplainOptions::Method method, session::Strands strands);

/// The command. Errors name model, file and line; models that read tokens are an Error.
void explain(const ExplainOptions& options);

}  // namespace bigdna::prediction
