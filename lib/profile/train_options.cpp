#include "profile/train_options.h"

#include <charconv>
#include <vector>

#include "base/error.h"

namespace bigdna::profile {
namespace {

std::vector<int64_t> numbers_of(const std::string& text, const char* option) {
  std::vector<int64_t> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ','))
      throw UsageError(concat(option, " ", text, ": not whole numbers joined by commas"));
    numbers.push_back(number);
    at = next == end ? end : next + 1;
  }
  return numbers;
}

}  // namespace

model_folder::ProfileConfig config_of(const TrainOptions& options, const std::vector<dataset::Feature>& features) {
  const auto& sizes = model_folder::profile_preset(options.preset);
  model_folder::ProfileConfig config;
  for (size_t i = 0; i < config.stages.size(); ++i) config.stages[i].filters = sizes.filters[i];
  config.networks = options.networks.value_or(sizes.networks);
  config.window = options.window;
  config.dilations = numbers_of(options.dilations, "--dilations");
  config.dropout = options.dropout;
  config.layers = options.layers;
  config.heads = options.heads;
  config.ffn = 2 * config.hidden();
  config.pattern.name = options.pattern;
  config.pattern.block = options.block;
  config.labels = static_cast<int64_t>(features.size());
  config.reversed = dataset::features_of_other_strand(features);
  model_folder::check(config);
  return config;
}

}  // namespace bigdna::profile
