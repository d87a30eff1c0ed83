#include "training/train_options.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "dataset/bin.h"

namespace bigdna::training {
namespace {

/// How convolutions over sequences pool, by the longest sequence in bp.
struct SequencePools {
  int64_t longest;
  std::vector<int64_t> pools;
};
const SequencePools kSequencePools[] = {{120, {2, 2}}, {4000, {4, 5}}, {INT64_MAX, {4, 5, 10}}};

/// Dilations that double up to 3200 bp, and 1: of bins of 200 bp 1, 2, 4, 8, 16 and 1.
std::vector<int64_t> dilations_of(int64_t bin) {
  constexpr int64_t kFarthest = 3200;  // bp
  std::vector<int64_t> dilations;
  for (int64_t dilation = 1; dilation * bin <= kFarthest; dilation *= 2) dilations.push_back(dilation);
  dilations.push_back(1);
  return dilations;
}

/// The stages that the options leave open: those of the preset, or of the model to start from.
model_folder::NetworkConfig first_config(const TrainOptions& options, const model_folder::NetworkConfig* from) {
  model_folder::NetworkConfig config;
  const auto& sizes = model_folder::network_preset(options.preset);
  if (from)
    config = *from;
  else
    for (size_t i = 0; i < config.stages.size(); ++i) config.stages[i].filters = sizes.filters[i];
  config.networks = options.networks.value_or(from ? from->networks : sizes.networks);
  config.pooled = false;
  config.seeds = 0;
  config.reversed.clear();
  return config;
}

/// Adds what both kinds of networks share.
void complete(model_folder::NetworkConfig& config, const TrainOptions& options,
              const std::vector<dataset::Feature>& features, const model_folder::NetworkConfig* from) {
  config.dropout = options.dropout;
  config.labels = static_cast<int64_t>(features.size());
  if (from) return;
  config.dilations = options.dilations;
  config.layers = options.layers;
  config.heads = options.heads;
  config.ffn = 2 * config.hidden();
  config.pattern.name = options.pattern;
  config.pattern.block = options.block;
}

}  // namespace

model_folder::NetworkConfig sequence_config_of(const TrainOptions& options,
                                               const std::vector<dataset::Feature>& features, int64_t longest,
                                               const model_folder::NetworkConfig* from) {
  auto config = first_config(options, from);
  if (!from || !options.pools.empty()) {
    const auto* row = std::ranges::find_if(kSequencePools, [&](const auto& of) { return longest <= of.longest; });
    const auto& pools = options.pools.empty() ? row->pools : options.pools;
    if (pools.size() > config.stages.size())
      throw UsageError(concat("--pools: ", pools.size(), " numbers, of at most ", config.stages.size()));
    config.stages.resize(pools.size());
    for (size_t i = 0; i < pools.size(); ++i) config.stages[i].pool = pools[i];
  }
  complete(config, options, features, from);
  config.pooled = true;
  config.seeds = options.seeds;
  config.window = (longest + config.bin() - 1) / config.bin() * config.bin();
  model_folder::check(config);
  return config;
}

model_folder::NetworkConfig config_of(const TrainOptions& options, const std::vector<dataset::Feature>& features,
                                      int64_t bin, const model_folder::NetworkConfig* from) {
  auto config = first_config(options, from);
  const auto* width = dataset::find_bin_width(bin);
  if (!width) fail(options.dataset, ": networks have stages for bins of ", dataset::bin_widths_text(), " bp");
  for (size_t i = 0; i < width->pools.size() && !from; ++i) config.stages[i].pool = width->pools[i];
  if (config.bin() != bin)
    throw UsageError(concat("--from ", options.from, ": labels bins of ", config.bin(), " bp, and the bins of ",
                            options.dataset, " have ", bin));
  complete(config, options, features, from);
  if (!from && options.dilations.empty()) config.dilations = dilations_of(bin);
  config.window = options.window;
  config.reversed = dataset::features_of_other_strand(features);
  model_folder::check(config);
  return config;
}

}  // namespace bigdna::training
