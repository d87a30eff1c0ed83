/// BigBird: post-norm BERT with learned positions, as in transformers' BigBird classes.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array<std::string_view, 3> kBare{"embeddings.", "encoder.", "pooler."};

void adapt(ModelConfig&) {}
void check_own(const ModelConfig& config) {
  if (config.token_types < 1) throw UsageError("model configuration: there must be at least one token type");
}

void write(const ModelConfig& config, nlohmann::ordered_json& json) {
  json.update(nlohmann::ordered_json{
      {"attention_type", sparsity::pattern(config.pattern.name).attention_type},
      {"block_size", config.pattern.block},
      {"num_random_blocks", config.pattern.random},
      {"num_hidden_layers", config.layers},
      {"num_attention_heads", config.heads},
      {"hidden_size", config.hidden},
      {"intermediate_size", config.ffn},
      {"max_position_embeddings", config.max_length},
      {"vocab_size", config.vocab_size},
      {"type_vocab_size", config.token_types},
      {"hidden_act", config.activation},
      {"hidden_dropout_prob", config.dropout},
      {"attention_probs_dropout_prob", config.attention_dropout},
      {"layer_norm_eps", config.layer_norm_epsilon},
      {"initializer_range", config.initializer_range},
      {"pad_token_id", config.pad_id},
      {"use_bias", true},
      {"rescale_embeddings", config.rescale_embeddings},
      {"is_decoder", false},
      {"tie_word_embeddings", true},
  });
}

ModelConfig read(const nlohmann::json& json, const std::string& file) {
  if (!json.value("use_bias", true)) fail(file, ": use_bias false is not supported");
  if (json.value("is_decoder", false)) fail(file, ": is_decoder true is not supported");
  ModelConfig config;
  config.layers = json.value("num_hidden_layers", config.layers);
  config.heads = json.value("num_attention_heads", config.heads);
  config.hidden = json.value("hidden_size", config.hidden);
  config.ffn = json.value("intermediate_size", config.ffn);
  config.max_length = json.value("max_position_embeddings", config.max_length);
  config.vocab_size = json.value("vocab_size", int64_t{50358});  // BigBirdConfig's default
  config.token_types = json.value("type_vocab_size", config.token_types);
  config.dropout = json.value("hidden_dropout_prob", config.dropout);
  config.attention_dropout = json.value("attention_probs_dropout_prob", config.attention_dropout);
  config.layer_norm_epsilon = json.value("layer_norm_eps", config.layer_norm_epsilon);
  config.initializer_range = json.value("initializer_range", config.initializer_range);
  if (const auto pad = json.find("pad_token_id"); pad != json.end() && pad->is_number())
    config.pad_id = pad->get<int64_t>();
  config.activation = json.value("hidden_act", config.activation);
  config.rescale_embeddings = json.value("rescale_embeddings", config.rescale_embeddings);
  config.pattern.block = json.value("block_size", config.pattern.block);
  config.pattern.random = json.value("num_random_blocks", config.pattern.random);
  const std::string attention = json.value("attention_type", "block_sparse");
  const auto row = std::ranges::find(sparsity::patterns(), attention, &sparsity::PatternRow::attention_type);
  if (row == sparsity::patterns().end())
    fail(file, ": attention_type ", attention, " is not block_sparse or original_full");
  config.pattern.name = row->name;
  config.pattern.random_blocks = row->released ? sparsity::RandomBlocks::huggingface : sparsity::RandomBlocks::uniform;
  return config;
}

void shapes(const ModelConfig& config, Shapes& shapes) {
  const int64_t hidden = config.hidden;
  auto norm = [&](const std::string& name) { shapes[name + ".weight"] = shapes[name + ".bias"] = {hidden}; };
  auto linear = [&](const std::string& name, int64_t out, int64_t in) {
    shapes[name + ".weight"] = {out, in};
    shapes[name + ".bias"] = {out};
  };
  shapes["bert.embeddings.word_embeddings.weight"] = {config.vocab_size, hidden};
  shapes["bert.embeddings.position_embeddings.weight"] = {config.max_length, hidden};
  shapes["bert.embeddings.token_type_embeddings.weight"] = {config.token_types, hidden};
  norm("bert.embeddings.LayerNorm");
  for (int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = concat("bert.encoder.layer.", i, ".");
    for (const char* part : {"query", "value"}) linear(layer + "attention.self." + part, hidden, hidden);
    if (const int64_t heads = key_heads(config, i); heads > 0)
      linear(layer + "attention.self.key", heads * config.head_size(), hidden);
    linear(layer + "attention.output.dense", hidden, hidden);
    norm(layer + "attention.output.LayerNorm");
    linear(layer + "intermediate.dense", config.ffn, hidden);
    linear(layer + "output.dense", hidden, config.ffn);
    norm(layer + "output.LayerNorm");
  }
  linear("bert.pooler", hidden, hidden);
  if (config.has_mlm()) {
    shapes["cls.predictions.bias"] = {config.vocab_size};
    linear("cls.predictions.transform.dense", hidden, hidden);
    norm("cls.predictions.transform.LayerNorm");
  }
  if (config.has_nsp()) linear("cls.seq_relationship", 2, hidden);
  if (config.has_task()) {
    if (config.head_kind == "classification") linear("classifier.dense", hidden, config.pooled_size());
    linear("classifier.out_proj", config.labels, config.head_kind == "classification" ? hidden : config.pooled_size());
  }
}

double deviation(const ModelConfig& config, const std::string&) { return config.initializer_range; }

MatrixRows projection(const ModelConfig&, int64_t layer, std::string_view which) {
  return {concat("bert.encoder.layer.", layer, ".attention.self.", which, ".weight"), 0};
}

bool runs_task(const ModelConfig& config) { return config.pool == "cls" && config.head_kind == "classification"; }

}  // namespace

constinit const ArchitectureRow kBigBird{
    .name = "bigbird",
    .title = "BigBird",
    .model_type = "big_bird",
    .classes = "BigBird",
    .pretraining = "ForPreTraining",
    .encoder = "bert.",
    .layer = "bert.encoder.layer.",
    .words = "bert.embeddings.word_embeddings.weight",
    .mlm = "cls.predictions.",
    .mlm_bias = "cls.predictions.bias",
    .decoder = "cls.predictions.decoder.weight",
    .task_dense = "classifier.dense",
    .task_output = "classifier.out_proj",
    .last = "",
    .bare = kBare,
    .has_mlm = "cls.predictions.transform.dense.weight",
    .has_nsp = "cls.seq_relationship.weight",
    .token_types = true,
    .branches = false,
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
