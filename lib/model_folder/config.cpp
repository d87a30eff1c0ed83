#include "model_folder/config.h"

#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/table.h"
#include "dataset/task.h"
#include "model_folder/architecture.h"
#include "model_folder/decoder.h"
#include "model_folder/pattern_json.h"
#include "model_folder/stack.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array kPresets{
    Preset{"tiny", Architecture::modern, 2, 2, 128, 512, 512, 16, 4096, 8, 3e-3, 4'000, 0.3},
    Preset{"mini", Architecture::modern, 3, 3, 192, 512, 512, 16, 4096, 8, 2e-3, 20'000, 0.3},
    Preset{"small", Architecture::modern, 4, 4, 256, 1024, 2048, 32, 4096, 8, 1e-3, 20'000, 0.3},
    Preset{"base", Architecture::bigbird, 12, 12, 768, 3072, 4096, 64, 32'000, 256, 1e-4, 1'000'000, 0.15},  // table 21
};

struct HeadRow {
  std::string_view name, class_end, causal_end;  // of transformers' classes; "": a decoder has none
  bool task;
};
constexpr const char* kTaskClass = "ForSequenceClassification";
constexpr std::array kHeads{
    HeadRow{"mlm", "ForMaskedLM", "ForCausalLM", false},
    HeadRow{"pretraining", "", "", false},  // the architecture's own
    HeadRow{"classification", kTaskClass, "", true},
    HeadRow{"none", "Model", "Model", false},
};
constexpr HeadRow kTaskHead{"", kTaskClass, "", true};  // of every row of dataset/task.h

const HeadRow* find_head(std::string_view name) {
  return dataset::find_task(name) ? &kTaskHead : find_row(kHeads, name);
}

std::string class_of(const ArchitectureRow& row, std::string_view head) {
  const HeadRow* found = find_head(head);
  return concat(row.classes, !found ? "Model" : found->class_end.empty() ? row.pretraining : found->class_end);
}

/// The same of a decoder; "" if it has none.
std::string class_of(const DecoderRow& decoder, std::string_view head) {
  const HeadRow* found = find_head(head);
  return found && !found->causal_end.empty() ? concat(decoder.classes, found->causal_end) : "";
}

/// The head of a config.json without a "bigdna" part. `row`: an encoder or a decoder.
template <class Row>
std::string head_of_class(const Row& row, std::string_view usual, const nlohmann::json& json, const std::string& file) {
  const auto list = json.find("architectures");
  const bool said = list != json.end() && list->is_array() && !list->empty();
  const std::string name = said ? list->front().get<std::string>() : class_of(row, usual);
  std::string supported;
  for (const HeadRow& head : kHeads) {
    const auto other = class_of(row, head.name);
    if (other == name) return std::string(head.name);
    if (!other.empty() && supported.find(other) == supported.npos) supported += (supported.empty() ? "" : ", ") + other;
  }
  fail(file, ": architecture ", name, " is not supported (bigdna reads ", supported, ")");
}

/// config.json's model_type of a model that transformers does not have, so that it refuses it instead of computing
/// something else. Its own key "architecture" says which of the table it is.
constexpr std::string_view kOwnType = "bigdna";

const ArchitectureRow& architecture_of(const nlohmann::json& json, const std::string& file) {
  const std::string type = json.value("model_type", std::string(kBigBird.model_type));
  const std::string own = type == kOwnType ? json.at("bigdna").at("architecture").get<std::string>() : "";
  for (const ArchitectureRow* row : architectures())
    if (row->model_type == type || row->name == own) return *row;
  if (const auto* decoder = decoder_named(type)) return architecture(decoder->architecture);
  if (!own.empty()) fail(file, ": unknown architecture ", own);
  fail(file, ": model_type is ", type, ", not ", kBigBird.model_type, ", ", kModern.model_type, " or ",
       decoder_of(Architecture::modern)->model_type);
}

/// BigBirdConfig has a key for it: num_random_blocks.
bool is_elsewhere(const sparsity::PatternNumber& number) { return number.value == &sparsity::PatternConfig::random; }
/// Keys that came later are written only where they say something, so that today's models stay what they are.
bool is_written(const sparsity::PatternNumber& number, const sparsity::PatternConfig& pattern) {
  const bool later = number.read_by != 0 && number.value != &sparsity::PatternConfig::stride;
  return !is_elsewhere(number) && (!later || pattern.*number.value != sparsity::PatternConfig().*number.value);
}

}  // namespace

nlohmann::ordered_json pattern_json(const sparsity::PatternConfig& pattern) {
  nlohmann::ordered_json json{{"name", pattern.name}};
  for (const auto& number : sparsity::pattern_numbers())
    if (is_written(number, pattern)) json[number.key] = pattern.*number.value;
  json["global_blocks"] = sparsity::to_string(pattern.global_blocks);
  json["random_blocks"] = sparsity::to_string(pattern.random_blocks);
  if (pattern.factors != sparsity::Factors::merged) json["factors"] = sparsity::to_string(pattern.factors);
  if (pattern.near != sparsity::Near::stride) json["near"] = sparsity::to_string(pattern.near);
  json["seed"] = pattern.seed;
  if (pattern.causal) json["causal"] = true;
  return json;
}

void read_pattern(const nlohmann::json& json, sparsity::PatternConfig& pattern) {
  pattern.name = json.at("name").get<std::string>();
  for (const auto& number : sparsity::pattern_numbers())
    if (const std::string key(number.key); !is_elsewhere(number))
      pattern.*number.value =
          number.read_by == 0 ? json.at(key).get<int64_t>() : json.value(key, pattern.*number.value);
  pattern.global_blocks = sparsity::global_blocks_from(json.at("global_blocks").get<std::string>());
  pattern.random_blocks = sparsity::random_blocks_from(json.at("random_blocks").get<std::string>());
  pattern.factors = sparsity::factors_from(json.value("factors", std::string(sparsity::to_string(pattern.factors))));
  pattern.near = sparsity::near_from(json.value("near", std::string(sparsity::to_string(pattern.near))));
  pattern.seed = json.at("seed").get<uint64_t>();
  pattern.causal = json.value("causal", false);
}

std::span<const Preset> presets() { return kPresets; }

const Preset& preset(std::string_view name) { return row_named(kPresets, name, "preset"); }

ModelConfig config_of(const Preset& preset, std::optional<Architecture> asked) {
  const Architecture chosen = asked.value_or(preset.architecture);
  ModelConfig config;
  config.architecture = chosen;
  config.layers = preset.layers;
  config.heads = preset.heads;
  config.hidden = preset.hidden;
  config.ffn = preset.ffn;
  config.max_length = preset.max_length;
  config.vocab_size = preset.vocab_size;
  config.pattern.block = preset.block;
  architecture(chosen).adapt(config);
  return config;
}

int64_t ModelConfig::pooled_size() const {
  return pool == "scales" ? hidden * static_cast<int64_t>(1 + kPoolScales.size()) : hidden;
}

void check(const ModelConfig& config) {
  auto require = [](bool holds, const auto&... cause) {
    if (!holds) throw UsageError(concat("model configuration: ", cause...));
  };
  require(config.layers >= 1 && config.heads >= 1 && config.hidden >= 1 && config.ffn >= 1,
          "layers, heads, hidden and ffn must be positive");
  // sizes of real models are far below these; larger ones would only exhaust memory, or overflow in products
  for (const auto& [name, value, most] : {std::tuple{"layers", config.layers, int64_t{10'000}},
                                          {"hidden size", config.hidden, int64_t{1} << 20},
                                          {"ffn size", config.ffn, int64_t{1} << 22},
                                          {"maximum length", config.max_length, int64_t{1} << 40},
                                          {"vocabulary size", config.vocab_size, int64_t{1} << 24},
                                          {"number of token types", config.token_types, int64_t{1} << 24},
                                          {"number of labels", config.labels, int64_t{1} << 24}})
    require(value <= most, "the ", name, " is ", value, ", above the limit of ", most);
  require(config.hidden % config.heads == 0, "the hidden size ", config.hidden, " is not divisible by ", config.heads,
          " heads");
  require(config.max_length >= 3, "the maximum length is ", config.max_length, " tokens; it must be at least 3");
  require(config.vocab_size >= 1, "the vocabulary must not be empty");
  require(config.dropout >= 0 && config.dropout < 1 && config.attention_dropout >= 0 && config.attention_dropout < 1,
          "dropout must be in [0, 1)");
  require(config.pad_id >= 0 && config.pad_id < config.vocab_size, "pad id ", config.pad_id,
          " is not in the vocabulary of ", config.vocab_size);
  require(config.activation == "gelu_new" || config.activation == "gelu" || config.activation == "relu", "activation ",
          config.activation, " is not supported (gelu_new, gelu or relu)");
  const HeadRow* head = find_head(config.head);
  require(head != nullptr, "unknown head ", config.head);
  require(head->task == (config.labels > 0), "head ", config.head, " cannot have ", counted(config.labels, "label"));
  require(config.head_kind == "classification" || config.head_kind == "linear", "unknown kind of head ",
          config.head_kind);
  require(config.pool == "cls" || config.pool == "mean" || config.pool == "scales", "unknown pooling ", config.pool);
  require(!config.is_causal() || !config.has_nsp(), "a causal model cannot predict next sentences: [CLS] reads itself");
  require(config.gaps == 0 || (config.is_causal() && config.gaps > 0 && config.gaps <= 1), "a share of gaps of ",
          config.gaps, ", which is for causal models and at most 1");
  require(!config.bidirectional_flanks || config.gaps > 0, "bidirectional flanks need gaps");
  require(!config.bidirectional_flanks || config.attention == AttentionConfig(), "attention ", config.attention.name,
          " cannot read flanks in both directions; a pattern can");
  require(!config.is_causal() || !config.has_task() || config.pool != "cls",
          "a causal model's [CLS] reads nothing but itself; use --pool mean or scales");
  sparsity::check(config.pattern);
  check_attention(config);
  check_stack(config);
  architecture(config).check(config);
}

nlohmann::ordered_json to_json(const ModelConfig& config) {
  const ArchitectureRow& row = architecture(config);
  const bool own_attention = config.attention != AttentionConfig(), plain = not_in_transformers(config).empty();
  const DecoderRow* decoder = config.is_causal() ? decoder_of(config.architecture) : nullptr;
  nlohmann::ordered_json json;
  if (plain) json["architectures"] = {decoder ? class_of(*decoder, config.head) : class_of(row, config.head)};
  json["model_type"] = !plain ? kOwnType : decoder ? decoder->model_type : row.model_type;
  row.write(config, json);
  json["bigdna"] = {{"pattern", pattern_json(config.pattern)},
                    {"head", config.head},
                    {"head_kind", config.head_kind},
                    {"pool", config.pool},
                    {"labels", config.labels}};
  if (config.gaps > 0) json["bigdna"]["gaps"] = config.gaps;
  if (config.bidirectional_flanks) json["bigdna"]["bidirectional_flanks"] = true;
  if (!plain) {
    json["bigdna"]["architecture"] = row.name;
    if (own_attention) json["bigdna"]["attention"] = attention_json(config.attention);
    if (!stack(config).plain) json["bigdna"]["stack"] = to_string(config.stack);
  }
  return json;
}

ModelConfig from_json(const nlohmann::json& json, const std::string& file) {
  try {
    const ArchitectureRow& row = architecture_of(json, file);
    ModelConfig config = row.read(json, file);
    config.tied = json.value("tie_word_embeddings", true);
    if (const auto own = json.find("bigdna"); own != json.end()) {
      read_pattern(own->at("pattern"), config.pattern);
      config.head = own->at("head").get<std::string>();
      config.head_kind = own->at("head_kind").get<std::string>();
      config.pool = own->value("pool", config.pool);
      config.labels = own->at("labels").get<int64_t>();
      config.gaps = own->value("gaps", config.gaps);
      config.bidirectional_flanks = own->value("bidirectional_flanks", config.bidirectional_flanks);
      if (const auto other = own->find("attention"); other != own->end())
        config.attention = attention_from_json(*other);
      config.stack = stack_from(own->value("stack", config.stack.name));
    } else if (const auto* decoder = decoder_named(json.value("model_type", ""))) {
      config.pattern.causal = true;
      config.pattern.global_blocks = sparsity::GlobalBlocks::first;
      config.head = head_of_class(*decoder, "mlm", json, file);
    } else {
      config.head = head_of_class(row, "pretraining", json, file);
      if (config.head == "classification") {
        const auto labels = json.find("id2label");
        config.labels =
            labels == json.end() ? json.value("num_labels", int64_t{2}) : static_cast<int64_t>(labels->size());
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
  architecture(config).shapes(config, shapes);
  attention_shapes(config, architecture(config).layer, shapes);
  stack_shapes(config, architecture(config).layer, shapes);
  if (const int64_t extra = sparsity::extra_tokens(config.pattern))
    shapes["bigdna.global_embeddings.weight"] = {extra, config.hidden};
  return shapes;
}

int64_t count_of(const std::map<std::string, std::vector<int64_t>>& shapes) {
  int64_t count = 0;
  for (const auto& [name, shape] : shapes) {
    int64_t product = 1;
    for (const int64_t extent : shape) product *= extent;
    count += product;
  }
  return count;
}

int64_t parameter_count(const ModelConfig& config) { return count_of(parameter_shapes(config)); }

}  // namespace bigdna::model_folder
