/// A model's configuration: Hugging Face's BigBirdConfig (config.json) with ours beside it, and the presets.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "sparsity/pattern.h"

namespace bigdna::model_folder {

struct ModelConfig {
  int64_t layers = 12, heads = 12, hidden = 768, ffn = 3072;
  int64_t max_length = 4096;  // tokens: learned positions
  int64_t vocab_size = 32000;
  int64_t token_types = 2;
  double dropout = 0.1, attention_dropout = 0.1;
  double layer_norm_epsilon = 1e-12;
  double initializer_range = 0.02;
  int64_t pad_id = 0;
  sparsity::PatternConfig pattern;
  /// The task head: "pretraining" (MLM+NSP), "promoter" (1 logit), "chromatin" (F logits), "none".
  std::string head = "pretraining";
  std::string head_kind = "classification";  // Hugging Face's dense-activation-out_proj, or "linear" (the paper's)
  int64_t labels = 0;                        // logits of a task head

  int64_t head_size() const { return hidden / heads; }
};

/// DESIGN's table of presets, training numbers included.
struct Preset {
  std::string_view name;
  int64_t layers, heads, hidden, ffn, max_length, block, vocab_size, batch;
  double learning_rate;
  int64_t steps;
};
std::span<const Preset> presets();
const Preset& preset(std::string_view name);  // UsageError naming the choices

/// Error listing what does not fit (hidden not divisible by heads ...).
void check(const ModelConfig& config);
nlohmann::ordered_json to_json(const ModelConfig& config);    // what config.json holds
ModelConfig from_json(const nlohmann::json& json, const std::string& file);
/// Parameters of the encoder and its heads.
int64_t parameter_count(const ModelConfig& config);

}  // namespace bigdna::model_folder
