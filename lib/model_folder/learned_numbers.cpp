#include "model_folder/learned_numbers.h"

#include <array>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"

namespace bigdna::model_folder {
namespace {

/// A parameter with a number for each head, and what it means.
struct Meaning {
  std::string_view row, parameter, title, unit;
  double (*value)(const ModelConfig&, float weight, int64_t head);
};
double span_of(const ModelConfig& config, float weight, int64_t) {
  return std::round(static_cast<double>(weight) * config.attention.at("limit"));
}
/// Tokens over which a weight falls to a half by the prior alone.
double half_distance(const ModelConfig& config, float weight, int64_t head) {
  const double share = static_cast<double>(head + 1) / static_cast<double>(attention_heads(config));
  const double slope = std::exp2(-config.attention.at("slowest") * share) * std::exp(weight);
  return std::round(10 * std::log(2) / slope) / 10;
}
constexpr std::array kMeanings{
    Meaning{"span", "span", "learned spans", " tokens on either side", span_of},
    Meaning{"prior", "slope", "weights halve after", " tokens", half_distance},
};

}  // namespace

std::vector<LearnedNumbers> learned_numbers(const ModelConfig& config, const io::SafetensorsFile& file) {
  std::vector<LearnedNumbers> all;
  for (const auto& meaning : kMeanings) {
    if (meaning.row != config.attention.name) continue;
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      const auto found = file.arrays().find(
          concat(architecture(config).layer, layer, ".", own_prefix(meaning.row), meaning.parameter));
      if (found == file.arrays().end() || found->second.dtype != io::Dtype::f32) continue;
      const auto weights = found->second.as<float>();
      std::string text;
      for (size_t head = 0; head < weights.size(); ++head)
        text += concat(head > 0 ? ", " : "", meaning.value(config, weights[head], static_cast<int64_t>(head)));
      all.push_back({concat(meaning.title, ", layer ", layer), text + std::string(meaning.unit)});
    }
  }
  return all;
}

}  // namespace bigdna::model_folder
