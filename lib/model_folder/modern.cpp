/// modern: ModernBERT (Warner et al. 2024), with any attention pattern, the same in every layer. Rotary positions,
/// LayerNorm before each half of a layer, gated feed-forward layers, no biases except those of the outputs.
/// transformers' classes compute the same if the pattern is full.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "model_folder/stack.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array<std::string_view, 3> kBare{"embeddings.", "layers.", "final_norm."};

void adapt(ModelConfig& config) {
  constexpr int64_t kWhole = 32;
  config.ffn = (config.ffn * 2 / 3 + kWhole - 1) / kWhole * kWhole;
  config.activation = "gelu";
  config.layer_norm_epsilon = 1e-5;
}

void check_own(const ModelConfig& config) {
  if (config.head_size() % 2 != 0)
    throw UsageError(
        concat("model configuration: modern needs an even head size (rotary positions), not ", config.head_size()));
  if (!(config.rope_theta > 1))
    throw UsageError(concat("model configuration: rope_theta is ", config.rope_theta, "; it must be above 1"));
}

void write(const ModelConfig& config, nlohmann::ordered_json& json) {
  const nlohmann::ordered_json rope{{"rope_type", "default"}, {"rope_theta", config.rope_theta}};
  json.update(nlohmann::ordered_json{
      {"block_size", config.pattern.block},  // bigdna's own keys, named as in BigBirdConfig
      {"num_random_blocks", config.pattern.random},
      {"num_hidden_layers", config.layers},
      {"num_attention_heads", config.heads},
      {"hidden_size", config.hidden},
      {"intermediate_size", config.ffn},
      {"max_position_embeddings", config.max_length},
      {"vocab_size", config.vocab_size},
      {"hidden_activation", config.activation},
      {"classifier_activation", config.activation},
      {"classifier_pooling", config.pool == "cls" ? "cls" : "mean"},
      {"embedding_dropout", config.dropout},
      {"mlp_dropout", config.dropout},
      {"classifier_dropout", config.dropout},
      {"attention_dropout", config.attention_dropout},
      {"norm_eps", config.layer_norm_epsilon},
      {"initializer_range", config.initializer_range},
      {"global_attn_every_n_layers", 1},
      {"global_rope_theta", config.rope_theta},  // for transformers 4; 5 reads rope_parameters
      {"local_rope_theta", config.rope_theta},
      {"layer_types", std::vector<std::string>(static_cast<size_t>(config.layers), "full_attention")},
      {"rope_parameters", {{"full_attention", rope}, {"sliding_attention", rope}}},
      {"norm_bias", false},
      {"attention_bias", false},
      {"mlp_bias", false},
      {"classifier_bias", false},
      {"decoder_bias", true},
      {"pad_token_id", config.pad_id},
      {"cls_token_id", nullptr},
      {"tie_word_embeddings", true},
  });
}

/// The base of the rotary frequencies in layers with full attention, as transformers 5 or 4 wrote it.
double read_rope(const nlohmann::json& json, const std::string& file) {
  const auto types = json.find("layer_types");
  const bool listed = types != json.end() && types->is_array();
  if (listed ? std::any_of(types->begin(), types->end(), [](const auto& type) { return type != "full_attention"; })
             : json.value("global_attn_every_n_layers", 3) != 1)
    fail(file, ": layers with sliding attention are not supported (only models with full attention in all layers)");
  const auto rope = json.find("rope_parameters");
  if (rope == json.end() || !rope->is_object() || !rope->contains("full_attention"))
    return json.value("global_rope_theta", 160'000.0);
  const auto& full = rope->at("full_attention");
  if (const auto type = full.value("rope_type", "default"); type != "default")
    fail(file, ": rope_type ", type, " is not supported (only default)");
  return full.value("rope_theta", 160'000.0);
}

ModelConfig read(const nlohmann::json& json, const std::string& file) {
  for (const char* bias : {"norm_bias", "attention_bias", "mlp_bias", "classifier_bias"})
    if (json.value(bias, false)) fail(file, ": ", bias, " true is not supported");
  if (!json.value("decoder_bias", true)) fail(file, ": decoder_bias false is not supported");
  ModelConfig config;
  config.architecture = Architecture::modern;
  config.layers = json.value("num_hidden_layers", int64_t{22});  // ModernBertConfig's defaults
  config.heads = json.value("num_attention_heads", int64_t{12});
  config.hidden = json.value("hidden_size", int64_t{768});
  config.ffn = json.value("intermediate_size", int64_t{1152});
  config.max_length = json.value("max_position_embeddings", int64_t{8192});
  config.vocab_size = json.value("vocab_size", int64_t{50368});
  config.activation = json.value("hidden_activation", "gelu");
  if (json.value("classifier_activation", "gelu") != config.activation)
    fail(file, ": hidden_activation and classifier_activation differ, which is not supported");
  config.pool = json.value("classifier_pooling", "cls");
  config.dropout = json.value("mlp_dropout", 0.0);
  config.attention_dropout = json.value("attention_dropout", 0.0);
  config.layer_norm_epsilon = json.value("norm_eps", 1e-5);
  config.initializer_range = json.value("initializer_range", 0.02);
  config.rope_theta = read_rope(json, file);
  if (const auto pad = json.find("pad_token_id"); pad != json.end() && pad->is_number())
    config.pad_id = pad->get<int64_t>();
  config.pattern.name = "full";
  config.pattern.block = json.value("block_size", config.pattern.block);
  config.pattern.random = json.value("num_random_blocks", config.pattern.random);
  return config;
}

void shapes(const ModelConfig& config, Shapes& shapes) {
  const int64_t hidden = config.hidden;
  shapes["model.embeddings.tok_embeddings.weight"] = {config.vocab_size, hidden};
  shapes["model.embeddings.norm.weight"] = {hidden};
  for (int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = concat("model.layers.", i, ".");
    if (i > 0 || !first_layer_is_normed(config)) shapes[layer + "attn_norm.weight"] = {hidden};
    shapes[layer + "attn.Wqkv.weight"] = {2 * hidden + key_heads(config, i) * config.head_size(), hidden};
    shapes[layer + "attn.Wo.weight"] = {hidden, hidden};
    shapes[layer + "mlp_norm.weight"] = {hidden};
    shapes[layer + "mlp.Wi.weight"] = {2 * config.ffn, hidden};
    shapes[layer + "mlp.Wo.weight"] = {hidden, config.ffn};
  }
  shapes["model.final_norm.weight"] = {hidden};
  if (config.has_mlm()) {
    shapes["head.dense.weight"] = {hidden, hidden};
    shapes["head.norm.weight"] = {hidden};
    shapes["decoder.bias"] = {config.vocab_size};
  }
  if (config.has_nsp()) {  // not in transformers; modelled on the other heads
    shapes["nsp.dense.weight"] = {hidden, hidden};
    shapes["nsp.output.weight"] = {2, hidden};
    shapes["nsp.output.bias"] = {2};
  }
  if (config.has_task()) {
    const bool dense = config.head_kind == "classification";
    if (dense) {
      shapes["head.dense.weight"] = {hidden, config.pooled_size()};
      shapes["head.norm.weight"] = {hidden};
    }
    shapes["classifier.weight"] = {config.labels, dense ? hidden : config.pooled_size()};
    shapes["classifier.bias"] = {config.labels};
  }
}

/// Matrices that add to the residual start smaller, the more layers there are.
double deviation(const ModelConfig& config, const std::string& name) {
  const bool adds = name.ends_with(".Wo.weight");
  return adds ? config.initializer_range / std::sqrt(2 * static_cast<double>(config.layers)) : config.initializer_range;
}

MatrixRows projection(const ModelConfig& config, int64_t layer, std::string_view which) {
  const int64_t keys = key_heads(config, layer) * config.head_size();
  return {concat("model.layers.", layer, ".attn.Wqkv.weight"), which == "query" ? 0
                                                               : which == "key" ? config.hidden
                                                                                : config.hidden + keys};
}

bool runs_task(const ModelConfig& config) { return config.pool != "scales" && config.head_kind == "classification"; }

}  // namespace

constinit const ArchitectureRow kModern{
    .name = "modern",
    .title = "modern (ModernBERT)",
    .model_type = "modernbert",
    .classes = "ModernBert",
    .pretraining = "ForMaskedLM",
    .encoder = "model.",
    .layer = "model.layers.",
    .words = "model.embeddings.tok_embeddings.weight",
    .mlm = "head.",
    .mlm_bias = "decoder.bias",
    .decoder = "decoder.weight",
    .task_dense = "head.dense",
    .task_output = "classifier",
    .last = "model.final_norm.weight",
    .bare = kBare,
    .has_mlm = "decoder.bias",
    .has_nsp = "nsp.output.weight",
    .token_types = false,
    .branches = true,
    .adapt = adapt,
    .check = check_own,
    .write = write,
    .read = read,
    .shapes = shapes,
    .deviation = deviation,
    .projection = projection,
    .runs_task = runs_task,
};

}  // namespace bigdna::model_folder
