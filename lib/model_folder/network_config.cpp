#include "model_folder/network_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/table.h"
#include "model_folder/architecture.h"
#include "model_folder/pattern_json.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {
namespace {

constexpr int64_t kDilatedWidth = 3;  // positions that a dilated convolution reads
constexpr const char* kLayers = "model.layers.";

void add_norm(std::map<std::string, std::vector<int64_t>>& shapes, const std::string& name, int64_t size) {
  shapes[name + ".weight"] = shapes[name + ".bias"] = {size};
}

void add_convolution(std::map<std::string, std::vector<int64_t>>& shapes, const std::string& name, int64_t outputs,
                     int64_t inputs, int64_t width) {
  shapes[name + ".weight"] = {outputs, inputs, width};
  shapes[name + ".bias"] = {outputs};
}

/// The parameters of model::pool_by_seeds().
void add_seed_pooling(std::map<std::string, std::vector<int64_t>>& shapes, int64_t hidden, int64_t seeds) {
  shapes["pool.seeds"] = {seeds, hidden};
  for (const char* linear : {"states", "query", "key", "value", "output", "rows"}) {
    shapes[concat("pool.", linear, ".weight")] = {hidden, hidden};
    shapes[concat("pool.", linear, ".bias")] = {hidden};
  }
  for (const char* norm : {"norm", "last_norm"}) add_norm(shapes, concat("pool.", norm), hidden);
}

}  // namespace

bool is_network(const nlohmann::json& config) {
  const auto type = config.find("model_type");
  return type != config.end() && *type == kNetworkType;
}

int64_t NetworkConfig::bin() const {
  int64_t product = 1;
  for (const auto& stage : stages) product *= stage.pool;
  return product;
}

int64_t NetworkConfig::stage_reach() const {
  int64_t bases = 0, position = 1;  // bp that one position of a stage's input stands for
  for (const auto& stage : stages) {
    bases += stage.width / 2 * position;
    position *= stage.pool;
  }
  return bases;
}

int64_t NetworkConfig::reach() const {
  const int64_t position = bin();
  int64_t bases = stage_reach();
  for (const int64_t dilation : dilations) bases += dilation * (kDilatedWidth / 2) * position;
  return (bases + position - 1) / position * position;
}

ModelConfig NetworkConfig::attention() const {
  ModelConfig config;
  config.architecture = Architecture::modern;
  config.activation = "gelu";
  config.layer_norm_epsilon = 1e-5;
  config.layers = layers;
  config.heads = heads;
  config.hidden = hidden();
  config.ffn = ffn;
  config.max_length = std::max<int64_t>(3, window / bin());
  config.vocab_size = 1;
  config.normed_input = false;  // the states of bins keep their size, which says how sure a motif is
  config.dropout = dropout;
  config.attention_dropout = 0;
  config.pattern = pattern;
  config.head = "none";
  return config;
}

std::span<const NetworkPreset> network_presets() {
  static constexpr std::array kPresets{
      NetworkPreset{"tiny", {64, 96, 128}, 1, 6},
      NetworkPreset{"small", {96, 128, 192}, 1, 12},
      NetworkPreset{"base", {128, 160, 256}, 4, 25},
  };
  return kPresets;
}

const NetworkPreset& network_preset(std::string_view name) { return row_named(network_presets(), name, "preset"); }

void check(const NetworkConfig& config) {
  const auto require = [](bool holds, const auto&... cause) {
    if (!holds) throw UsageError(concat("network on bases: ", cause...));
  };
  constexpr int64_t kMost = 1 << 20;     // bounds every product below
  constexpr int64_t kLongest = 1 << 24;  // bp: beyond that, memory does not suffice
  require(!config.stages.empty() && config.stages.size() <= 16, "it needs 1 to 16 stages");
  for (const auto& [filters, width, pool] : config.stages) {
    require(filters >= 1 && filters <= 1 << 16, "a stage of ", filters, " filters");
    require(width >= 1 && width <= 1 << 10 && width % 2 == 1, "a filter's width is ", width, "; it must be odd");
    require(pool >= 1 && pool <= 255, "a stage that pools ", pool, " positions (1 to 255)");
    require(config.bin() <= kMost, "bins of more than ", kMost, " bp");
  }
  require(config.dilations.size() <= 64, "more than 64 dilated convolutions");
  for (const int64_t dilation : config.dilations)
    require(dilation >= 1 && dilation <= kMost, "a dilation of ", dilation);
  require(config.dropout >= 0 && config.dropout < 1, "dropout must be in [0, 1)");
  require(config.labels >= 1 && config.labels <= kMost, config.labels, " labels");
  require(config.networks >= (config.pooled ? 0 : 1) && config.networks <= 64, config.networks, " networks (1 to 64)");
  require(config.window >= config.bin() && config.window % config.bin() == 0, "a window of ", config.window,
          " bp is not whole bins of ", config.bin());
  require(config.window <= kLongest, "a window of ", config.window, " bp (at most ", kLongest, ")");
  require(config.margin() * config.bin() <= kLongest, "with these dilations a bin is predicted from ",
          config.margin() * config.bin(), " bp on either side (at most ", kLongest, ")");
  require(config.layers >= 0 && config.layers <= 256, config.layers, " layers of attention");
  if (config.layers > 0) {
    check(config.attention());
    require(sparsity::extra_tokens(config.pattern) == 0, "pattern ", config.pattern.name,
            " adds tokens to the text, which bins do not have");
  }
  require(config.seeds >= 0 && config.seeds <= 1024, config.seeds, " seeds of pooling (0 to 1024)");
  require(config.seeds == 0 || config.pooled, "seeds pool sequences, not bins");
  require(config.seeds == 0 || (config.heads >= 1 && config.hidden() % config.heads == 0), config.hidden(),
          " filters cannot be divided among ", config.heads, " heads");
  require(!config.pooled || config.reversed.empty(), "labels of a whole sequence have no strand");
  require(config.reversed.empty() || static_cast<int64_t>(config.reversed.size()) == config.labels,
          config.reversed.size(), " labels of the reverse strand for ", config.labels);
  for (size_t label = 0; label < config.reversed.size(); ++label) {
    const int64_t other = config.reversed[label];
    require(other >= 0 && other < config.labels &&
                config.reversed[static_cast<size_t>(other)] == static_cast<int64_t>(label),
            "label ", label, " has no counterpart on the reverse strand");
  }
}

nlohmann::ordered_json to_json(const NetworkConfig& config) {
  nlohmann::ordered_json json{{"model_type", kNetworkType}, {"bin", config.bin()}};
  for (const auto& stage : config.stages)
    json["stages"].push_back({{"filters", stage.filters}, {"width", stage.width}, {"pool", stage.pool}});
  json["dilations"] = config.dilations;
  json["dropout"] = config.dropout;
  json["window"] = config.window;
  if (config.pooled) json["pooled"] = true;
  if (config.seeds > 0) json["pooling"] = {{"seeds", config.seeds}, {"heads", config.heads}};
  json["labels"] = config.labels;
  json["networks"] = config.networks;
  if (!config.reversed.empty()) json["reversed"] = config.reversed;
  if (config.layers > 0)
    json["attention"] = {{"layers", config.layers},
                         {"heads", config.heads},
                         {"ffn", config.ffn},
                         {"pattern", pattern_json(config.pattern)},
                         {"block", config.pattern.block},
                         {"random", config.pattern.random}};
  return json;
}

NetworkConfig network_config_from_json(const nlohmann::json& json, const std::string& file) {
  try {
    NetworkConfig config;
    config.stages.clear();
    for (const auto& stage : json.at("stages"))
      config.stages.push_back({stage.at("filters"), stage.at("width"), stage.at("pool")});
    config.dilations = json.at("dilations").get<std::vector<int64_t>>();
    config.dropout = json.at("dropout");
    config.window = json.at("window");
    config.pooled = json.value("pooled", false);
    if (const auto found = json.find("pooling"); found != json.end()) {
      config.seeds = found->at("seeds");
      config.heads = found->at("heads");
    }
    config.labels = json.at("labels");
    config.networks = json.at("networks");
    config.reversed = json.value("reversed", std::vector<int64_t>());
    if (const auto found = json.find("attention"); found != json.end()) {
      config.layers = found->at("layers");
      config.heads = found->at("heads");
      config.ffn = found->at("ffn");
      read_pattern(found->at("pattern"), config.pattern);
      config.pattern.block = found->at("block");
      config.pattern.random = found->at("random");
    }
    check(config);
    return config;
  } catch (const nlohmann::json::exception& e) {
    fail(file, ": ", e.what());
  } catch (const UsageError& e) {
    fail(file, ": ", e.what());
  }
}

int64_t parameter_count(const NetworkConfig& config) { return count_of(parameter_shapes(config)); }

std::string network_prefix(int64_t index) { return concat("networks.", index, "."); }

std::map<std::string, std::vector<int64_t>> parameter_shapes(const NetworkConfig& config) {
  std::map<std::string, std::vector<int64_t>> one;
  int64_t inputs = 4;
  for (size_t i = 0; i < config.stages.size(); ++i) {
    const auto& stage = config.stages[i];
    add_convolution(one, concat("stages.", i), stage.filters, inputs, stage.width);
    add_norm(one, concat("stages.", i, ".norm"), stage.filters);
    inputs = stage.filters;
  }
  for (size_t i = 0; i < config.dilations.size(); ++i) {
    const int64_t inner = std::max<int64_t>(1, inputs / 2);
    add_norm(one, concat("tower.", i, ".norm"), inputs);
    add_convolution(one, concat("tower.", i, ".dilated"), inner, inputs, kDilatedWidth);
    one[concat("tower.", i, ".output.weight")] = {inputs, inner};
    one[concat("tower.", i, ".output.bias")] = {inputs};
  }
  if (config.layers > 0)
    for (const auto& [name, shape] : parameter_shapes(config.attention()))
      if (name.starts_with(kLayers)) one[name] = shape;
  add_norm(one, "norm", inputs);
  if (config.seeds > 0) add_seed_pooling(one, inputs, config.seeds);
  one["head.weight"] = {config.labels, config.head_inputs()};
  one["head.bias"] = {config.labels};
  std::map<std::string, std::vector<int64_t>> all;
  for (int64_t network = 0; network < config.networks; ++network)
    for (const auto& [name, shape] : one) all[network_prefix(network) + name] = shape;
  return all;
}

}  // namespace bigdna::model_folder
