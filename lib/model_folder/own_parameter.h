/// Parameters that a row of the table of attentions or of stacks adds to layers, under the layer's prefix: their names,
/// what they start from and what the optimiser does with them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::model_folder {

struct ModelConfig;

/// What the values of a row's own parameter are at the start.
enum class Start {
  normal,      // normal(0, scale)
  constant,    // scale
  mean,        // [..., taps, size, size]: the identity / taps, with which a convolution takes means
  directions,  // [..., size]: random vectors of length 1
  projection,  // the rows of the layer's own projection of that name (query, key, value) for the row's heads
};
/// What the optimiser does with it.
enum class Update {
  adamw,
  undecayed,  // AdamW without weight decay
  clamped,    // the same, then clamped to [0, 1]
  average,    // the gradient is subtracted, and vectors of the last dimension get length 1: a moving average, of which
              // the layer gives the difference in place of a derivative
};

/// A parameter that a row adds to a layer; none where its shape has no dimensions.
struct OwnParameter {
  std::string_view name;
  std::vector<int64_t> (*shape)(const ModelConfig&);
  Start start = Start::normal;
  double (*scale)(const ModelConfig&) = nullptr;  // unset: the configuration's initializer_range
  Update update = Update::adamw;
};

/// Whether the values at the start are random numbers.
inline bool starts_at_random(const OwnParameter& own) {
  return own.start == Start::normal || own.start == Start::directions;
}

/// What follows a layer's prefix in the names of own parameters: "bigdna.performer.".
std::string own_prefix(std::string_view row);
/// The own parameter of that (full) name; null for all others.
const OwnParameter* own_parameter(std::string_view name);

}  // namespace bigdna::model_folder
