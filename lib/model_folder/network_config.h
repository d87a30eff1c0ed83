/// The configuration of a network on bases: it reads a region and predicts the labels of every bin of it in
/// one pass, or (`pooled`) those of the region as a whole. Convolutions and pooling turn bases into bins (as in Basset
/// and Basenji: Kelley et al. 2016, 2018), residual dilated convolutions widen what a bin sees, and layers of attention
/// over bins (those of architecture `modern`, with any pattern of lib/sparsity) may follow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_folder/config.h"

namespace bigdna::model_folder {

/// config.json's model_type of a network on bases.
inline constexpr std::string_view kNetworkType = "bigdna-network";

/// Whether this config.json is a network's.
bool is_network(const nlohmann::json& config);

struct NetworkConfig {
  /// A convolution of `filters` outputs over `width` (odd) positions, of which each group of `pool` keeps its maximum.
  struct Stage {
    int64_t filters = 0, width = 0, pool = 0;
    bool operator==(const Stage&) const = default;
  };
  std::vector<Stage> stages{{128, 15, 4}, {160, 5, 5}, {256, 5, 10}};
  std::vector<int64_t> dilations{1, 2, 4, 8, 16, 1};  // of the residual convolutions, in bins
  double dropout = 0.2;
  int64_t layers = 0, heads = 4, ffn = 512;  // of attention over bins, after the convolutions
  sparsity::PatternConfig pattern{};
  int64_t window = 32'000;  // bp that training reads at a time, whole bins
  bool pooled = false;      // one answer for a window: the head reads the largest and the mean state of its bins,
  int64_t seeds = 0;        // or, if this is not 0, what so many learned seeds read of them (model/seed_pooling.h)
  int64_t labels = 0;
  /// Networks of the same shape, whose logits are averaged; pooled: 0 where other terms of a model do without.
  int64_t networks = 1;
  /// For each label the one that it becomes when the strand is reversed; empty: every label stays what it is.
  std::vector<int64_t> reversed;

  /// The label that a label becomes where the other strand is read.
  int64_t other_strand(int64_t label) const { return reversed.empty() ? label : reversed[static_cast<size_t>(label)]; }
  int64_t bin() const;                                      // bp: the product of the pools
  int64_t hidden() const { return stages.back().filters; }  // numbers that describe a bin
  /// bp on either side of a bin that its state after the stages depends on.
  int64_t stage_reach() const;
  /// bp on either side of a bin that its labels depend on, rounded up to whole bins; of the convolutions alone.
  int64_t reach() const;
  /// Bins on either side of a bin that predictions of it read: the reach; with layers of attention, which see the whole
  /// window, a quarter of it.
  int64_t margin() const { return layers > 0 ? window / bin() / 4 : reach() / bin(); }
  /// bp that an answer depends on: of a bin, or, pooled, of a sequence.
  int64_t context() const { return pooled ? window : (2 * margin() + 1) * bin(); }
  /// How many numbers the head reads.
  int64_t head_inputs() const { return !pooled ? hidden() : hidden() * (seeds > 0 ? seeds : 2); }
  /// The configuration of the attention layers, whose parameters have the names of architecture `modern`.
  ModelConfig attention() const;
  bool operator==(const NetworkConfig&) const = default;
};

/// Sizes and how long they are trained; `bigdna train --help` prints all.
struct NetworkPreset {
  std::string_view name;
  std::array<int64_t, 3> filters;  // of the default's stages
  int64_t networks, epochs;
};
std::span<const NetworkPreset> network_presets();
const NetworkPreset& network_preset(std::string_view name);  // UsageError naming the choices

/// UsageError naming what is inconsistent (an even width, a window that is not whole bins ...).
void check(const NetworkConfig& config);
nlohmann::ordered_json to_json(const NetworkConfig& config);
/// Error naming `file` and what is malformed.
NetworkConfig network_config_from_json(const nlohmann::json& json, const std::string& file);
/// Names and shapes of all parameters: "networks.N." before those of a network, which are those of PyTorch's Conv1d,
/// LayerNorm and Linear.
std::map<std::string, std::vector<int64_t>> parameter_shapes(const NetworkConfig& config);
/// The number of weights of all networks together.
int64_t parameter_count(const NetworkConfig& config);
/// How the names of network `index` begin.
std::string network_prefix(int64_t index);

}  // namespace bigdna::model_folder
