/// Mixes predictions of one step by a weighted sum of their logarithms, whose weights are learned online: p is
/// proportional to exp(sum of weight x input), as in PAQ's mixing by logistic regression (Mahoney 2005).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tokenizer/token_tree.h"

namespace bigdna::context_mixing {

class LogMixer {
 public:
  static constexpr size_t kSteps = tokenizer::TokenTree::kSteps, kMost = 16;  // of steps, and of inputs
  using Inputs = std::array<float, kMost>;                                    // of one step; 0 beyond the inputs
  using Probabilities = tokenizer::TokenTree::Probabilities;

  /// `sets`: how many contexts each set of weights has; the weights of one context of each set are added. `first`: the
  /// sum of the sets' weights before anything is learned.
  LogMixer(std::span<const size_t> sets, const Inputs& first);
  /// The probability of each step; 0 where it is not `allowed`. `contexts`: one of each set.
  const Probabilities& mix(const std::array<Inputs, kSteps>& inputs, const std::array<bool, kSteps>& allowed,
                           std::span<const size_t> contexts);
  /// The step that followed mix(): moves the weights along the gradient of log p.
  void learn(size_t step);

 private:
  struct Context {
    Inputs weights;
    float seen = 0;  // steps that were learned
  };
  std::vector<std::vector<Context>> sets_;
  std::array<Inputs, kSteps> inputs_{};  // of the last mix()
  std::vector<Context*> used_;
  Probabilities mixed_{};
};

}  // namespace bigdna::context_mixing
