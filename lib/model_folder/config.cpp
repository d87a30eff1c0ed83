#include "model_folder/config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array kPresets{
    Preset{"tiny", 2, 2, 128, 512, 1024, 16, 4096, 8, 3e-3, 2'000, 0.3},
    Preset{"small", 4, 4, 256, 1024, 2048, 32, 4096, 8, 1e-3, 20'000, 0.3},
    Preset{"base", 12, 12, 768, 3072, 4096, 64, 32'000, 256, 1e-4, 1'000'000, 0.15},  // paper, table 21
};

struct HeadRow {
  std::string_view name, architecture;
  bool task;
};
constexpr std::array kHeads{
    HeadRow{"pretraining", "BigBirdForPreTraining", false},
    HeadRow{"mlm", "BigBirdForMaskedLM", false},
    HeadRow{"promoter", "BigBirdForSequenceClassification", true},
    HeadRow{"chromatin", "BigBirdForSequenceClassification", true},
    HeadRow{"table", "BigBirdForSequenceClassification", true},
    HeadRow{"classification", "BigBirdForSequenceClassification", true},
    HeadRow{"none", "BigBirdModel", false},
};

const HeadRow* find_head(std::string_view name) {
  const auto found = std::find_if(kHeads.begin(), kHeads.end(), [&](const auto& row) { return row.name == name; });
  return found == kHeads.end() ? nullptr : &*found;
}

/// The head of a config.json without our "bigdna" part.
std::string head_of_architecture(const nlohmann::json& json, const std::string& file) {
  const auto list = json.find("architectures");
  if (list == json.end() || !list->is_array() || list->empty()) return "pretraining";
  const std::string name = list->front().get<std::string>();
  for (const auto& row : kHeads)
    if (row.architecture == name && row.name != "promoter" && row.name != "chromatin" && row.name != "table") return std::string(row.name);
  fail(file, ": architecture ", name, " is not supported (BigBirdForPreTraining, ForMaskedLM, ForSequenceClassification and Model are)");
}

nlohmann::ordered_json pattern_json(const sparsity::PatternConfig& pattern) {
  return {{"name", pattern.name},
          {"global", pattern.global},
          {"window", pattern.window},
          {"stride", pattern.stride},
          {"global_blocks", sparsity::to_string(pattern.global_blocks)},
          {"random_blocks", sparsity::to_string(pattern.random_blocks)},
          {"seed", pattern.seed}};
}

void read_pattern(const nlohmann::json& json, sparsity::PatternConfig& pattern) {
  pattern.name = json.at("name").get<std::string>();
  pattern.global = json.at("global").get<int64_t>();
  pattern.window = json.at("window").get<int64_t>();
  pattern.stride = json.value("stride", pattern.stride);
  pattern.global_blocks = sparsity::global_blocks_from(json.at("global_blocks").get<std::string>());
  pattern.random_blocks = sparsity::random_blocks_from(json.at("random_blocks").get<std::string>());
  pattern.seed = json.at("seed").get<uint64_t>();
}

/// What transformers' config.json says, our own part aside.
ModelConfig read_bigbird(const nlohmann::json& json, const std::string& file) {
  if (json.value("model_type", "big_bird") != "big_bird")
    fail(file, ": model_type is ", json.at("model_type").get<std::string>(), ", not big_bird");
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
  if (const auto pad = json.find("pad_token_id"); pad != json.end() && pad->is_number()) config.pad_id = pad->get<int64_t>();
  config.activation = json.value("hidden_act", config.activation);
  config.rescale_embeddings = json.value("rescale_embeddings", config.rescale_embeddings);
  config.pattern.block = json.value("block_size", config.pattern.block);
  config.pattern.random = json.value("num_random_blocks", config.pattern.random);
  const std::string attention = json.value("attention_type", "block_sparse");
  const auto row = std::ranges::find(sparsity::patterns(), attention, &sparsity::PatternRow::attention_type);
  if (row == sparsity::patterns().end()) fail(file, ": attention_type ", attention, " is neither block_sparse nor original_full");
  config.pattern.name = row->name;
  config.pattern.random_blocks = row->released ? sparsity::RandomBlocks::huggingface : sparsity::RandomBlocks::uniform;
  return config;
}

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& preset(std::string_view name) {
  const auto found = std::find_if(kPresets.begin(), kPresets.end(), [&](const auto& row) { return row.name == name; });
  if (found == kPresets.end()) throw UsageError(concat("no preset called ", name, "; there are tiny, small and base"));
  return *found;
}

ModelConfig config_of(const Preset& preset) {
  ModelConfig config;
  config.layers = preset.layers;
  config.heads = preset.heads;
  config.hidden = preset.hidden;
  config.ffn = preset.ffn;
  config.max_length = preset.max_length;
  config.vocab_size = preset.vocab_size;
  config.pattern.block = preset.block;
  return config;
}

int64_t ModelConfig::pooled_size() const {
  return pool == "scales" ? hidden * static_cast<int64_t>(1 + kPoolScales.size()) : hidden;
}

void check(const ModelConfig& config) {
  auto require = [](bool holds, const auto&... cause) {
    if (!holds) throw UsageError(concat("model configuration: ", cause...));
  };
  require(config.layers >= 1 && config.heads >= 1 && config.hidden >= 1 && config.ffn >= 1, "layers, heads, hidden and ffn must be positive");
  require(config.hidden % config.heads == 0, "a hidden size of ", config.hidden, " cannot be divided among ", config.heads, " heads");
  require(config.max_length >= 3, "a maximum length of ", config.max_length, " tokens (at least 3)");
  require(config.vocab_size >= 1 && config.token_types >= 1, "the vocabulary and the token types must not be empty");
  require(config.dropout >= 0 && config.dropout < 1 && config.attention_dropout >= 0 && config.attention_dropout < 1,
          "dropout must be in [0, 1)");
  require(config.pad_id >= 0 && config.pad_id < config.vocab_size, "pad id ", config.pad_id, " is not in a vocabulary of ", config.vocab_size);
  require(config.activation == "gelu_new" || config.activation == "gelu" || config.activation == "relu",
          "activation ", config.activation, " (gelu_new, gelu and relu are supported)");
  const HeadRow* head = find_head(config.head);
  require(head != nullptr, "no head called ", config.head);
  require(head->task == (config.labels > 0), "head ", config.head, " with ", config.labels, " labels");
  require(config.head_kind == "classification" || config.head_kind == "linear", "no kind of head called ", config.head_kind);
  require(config.pool == "cls" || config.pool == "mean" || config.pool == "scales", "no way of pooling called ", config.pool);
  sparsity::check(config.pattern);
}

nlohmann::ordered_json to_json(const ModelConfig& config) {
  const HeadRow* head = find_head(config.head);
  nlohmann::ordered_json json{
      {"architectures", {std::string(head ? head->architecture : "BigBirdModel")}},
      {"model_type", "big_bird"},
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
  };
  if (config.has_task()) {
    json["problem_type"] = "multi_label_classification";
    auto& names = json["id2label"] = nlohmann::ordered_json::object();
    auto& ids = json["label2id"] = nlohmann::ordered_json::object();
    for (int64_t i = 0; i < config.labels; ++i) {
      names[std::to_string(i)] = concat("LABEL_", i);
      ids[concat("LABEL_", i)] = i;
    }
  }
  json["bigdna"] = {{"pattern", pattern_json(config.pattern)},
                    {"head", config.head},
                    {"head_kind", config.head_kind},
                    {"pool", config.pool},
                    {"labels", config.labels}};
  return json;
}

ModelConfig from_json(const nlohmann::json& json, const std::string& file) {
  try {
    ModelConfig config = read_bigbird(json, file);
    if (const auto ours = json.find("bigdna"); ours != json.end()) {
      read_pattern(ours->at("pattern"), config.pattern);
      config.head = ours->at("head").get<std::string>();
      config.head_kind = ours->at("head_kind").get<std::string>();
      config.pool = ours->value("pool", config.pool);
      config.labels = ours->at("labels").get<int64_t>();
    } else {
      config.head = head_of_architecture(json, file);
      if (config.head == "classification") {
        const auto labels = json.find("id2label");
        config.labels = labels == json.end() ? json.value("num_labels", int64_t{2}) : static_cast<int64_t>(labels->size());
      }
    }
    check(config);
    return config;
  } catch (const nlohmann::json::exception& e) {
    fail(file, ": ", e.what());
  } catch (const UsageError& e) {
    fail(file, ": ", e.what());
  }
}

std::map<std::string, std::vector<int64_t>> parameter_shapes(const ModelConfig& config) {
  std::map<std::string, std::vector<int64_t>> shapes;
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
    for (const char* part : {"query", "key", "value"}) linear(layer + "attention.self." + part, hidden, hidden);
    linear(layer + "attention.output.dense", hidden, hidden);
    norm(layer + "attention.output.LayerNorm");
    linear(layer + "intermediate.dense", config.ffn, hidden);
    linear(layer + "output.dense", hidden, config.ffn);
    norm(layer + "output.LayerNorm");
  }
  if (const int64_t extra = sparsity::extra_tokens(config.pattern)) shapes["bigdna.global_embeddings.weight"] = {extra, hidden};
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
  return shapes;
}

int64_t parameter_count(const ModelConfig& config) {
  int64_t count = 0;
  for (const auto& [name, shape] : parameter_shapes(config)) {
    int64_t product = 1;
    for (const int64_t extent : shape) product *= extent;
    count += product;
  }
  return count;
}

}  // namespace bigdna::model_folder
