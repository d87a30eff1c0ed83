/// The table of attentions: what the heads of a layer compute from queries, keys and values. The first row, `blocks`,
/// is softmax attention by a block pattern (lib/sparsity) and a backend (lib/model/attention/backend.h); of each other
/// row, lib/model/attention has a file with its function. Options, config.json, `bigdna info`, documentation and tests
/// read this table; no code compares a name.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::model_folder {

struct ModelConfig;

/// A row's setting: NAME=VALUE in --attention ROW:NAME=VALUE,..., and a key of config.json.
struct AttentionSetting {
  std::string_view name, help;
  double start, least, most;    // the default, and the range
  std::string_view words = {};  // "relu|exp": the values by name; the numbers are their indices
  bool whole = true;            // whether it is a whole number
};

/// An attention in a model's configuration.
struct AttentionConfig {
  std::string name = "blocks";             // a row of attentions()
  std::map<std::string, double> settings;  // every setting of the row, and of kCommonSettings
  double at(const std::string& setting) const { return settings.at(setting); }
  bool operator==(const AttentionConfig&) const = default;
};

/// What the values of a row's own parameter are at the start.
enum class Start {
  normal,      // normal(0, scale)
  constant,    // scale
  mean,        // [..., taps, size, size]: the identity / taps, with which a convolution takes means
  directions,  // [..., size]: random vectors of length 1
};
/// What the optimiser does with it.
enum class Update {
  adamw,
  undecayed,  // AdamW without weight decay
  clamped,    // the same, then clamped to [0, 1]
  average,    // the gradient is subtracted, and vectors of the last dimension get length 1: a moving average, of which
              // the layer gives the difference in place of a derivative
};

/// A parameter that a row adds to each layer which uses it; none where its shape has no dimensions.
struct OwnParameter {
  std::string_view name;
  std::vector<int64_t> (*shape)(const ModelConfig&);
  Start start = Start::normal;
  double (*scale)(const ModelConfig&) = nullptr;  // unset: the configuration's initializer_range
  Update update = Update::adamw;
};

struct AttentionRow {
  std::string_view name, title, summary;
  std::string_view survey;  // the documents and sections that describe it
  std::string_view equation;
  std::string_view reads_both_ways;  // what differs from the description, because the encoder reads in both directions
  std::span<const AttentionSetting> settings{};
  std::span<const OwnParameter> parameters{};

  // Claims, each of which tests/unit/model/attentions_test.cpp checks.
  bool linear = false;               // pairs(n) does not grow with n
  bool any_length = true;            // its parameters do not depend on the longest input
  bool discrete = false;             // tokens are sorted into groups, at whose borders the result jumps
  bool equivariant = false;          // permuted tokens give the same results, permuted
  bool shares_queries = false;       // keys are queries: its heads have no projection of keys
  std::string_view dense_when = {};  // the settings with which it is full attention, "" if there are none
  std::string_view oracle;           // what it is tested against, in words

  /// Keys that a query attends to at n tokens, or how many would cost as much as what is computed instead.
  double (*pairs)(const ModelConfig&, int64_t n);
  void (*check)(const ModelConfig&) = nullptr;  // UsageError
};

/// The table; the first row is the default.
std::span<const AttentionRow> attentions();
const AttentionRow& attention(std::string_view name);  // UsageError naming the choices
const AttentionRow& attention(const ModelConfig& config);
/// Its number in the table.
size_t attention_index(const ModelConfig& config);

/// The settings of every row but `blocks`: `from`, the first layer (from 0) that uses it, and `local`, how many heads
/// of these layers attend by the block pattern all the same.
std::span<const AttentionSetting> common_settings();
/// "performer:features=64,kernel=exp" with the defaults of what it does not name; `heads` of the model, of which half
/// are local by default. UsageError.
AttentionConfig attention_from(std::string_view text, int64_t heads);
/// The same in words that attention_from() takes, with every setting; "blocks" for the default.
std::string to_string(const AttentionConfig& config);
/// A setting's value in words: "relu", "256".
std::string setting_text(const AttentionSetting& setting, double value);
nlohmann::ordered_json attention_json(const AttentionConfig& config);
/// nlohmann's exception if a value is of the wrong type, UsageError if it is unknown or out of range.
AttentionConfig attention_from_json(const nlohmann::json& json);

/// Heads of a layer that attend by the block pattern; the others follow them.
int64_t pattern_heads(const ModelConfig& config, int64_t layer);
/// Heads of the layers from `from` on that do not.
int64_t attention_heads(const ModelConfig& config);
/// Heads of a layer that have a projection of keys; they come first.
int64_t key_heads(const ModelConfig& config, int64_t layer);
/// How many buckets one round of `lsh` has for n tokens: the product of two numbers of hashes, each even or 1. `asked`
/// of the setting, or, if that is 0, two for each chunk.
struct LshBuckets {
  int64_t first = 1, second = 1;
};
LshBuckets lsh_buckets(int64_t asked, int64_t n, int64_t chunk);
/// UsageError naming what is inconsistent.
void check_attention(const ModelConfig& config);
/// Adds the own parameters of all layers that use the row, under `prefix`N.
void attention_shapes(const ModelConfig& config, std::string_view prefix,
                      std::map<std::string, std::vector<int64_t>>& shapes);
/// What follows a layer's prefix in the names of own parameters: "bigdna.performer.".
std::string own_prefix(std::string_view row);
/// The own parameter of that (full) name; null for all others.
const OwnParameter* own_parameter(std::string_view name);

/// A system that the surveys describe and bigdna does not have, and why.
struct NotBuilt {
  std::string_view name, survey, what;
};
std::span<const NotBuilt> not_built();

}  // namespace bigdna::model_folder
