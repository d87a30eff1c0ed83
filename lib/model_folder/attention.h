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
#include <utility>
#include <vector>

#include "model_folder/own_parameter.h"
#include "model_folder/setting.h"

namespace bigdna::model_folder {

struct ModelConfig;

/// An attention in a model's configuration: a row of attentions(), with its settings and those of common_settings().
struct AttentionConfig : Chosen {
  AttentionConfig() : Chosen{"blocks", {}} {}
  explicit AttentionConfig(Chosen chosen) : Chosen(std::move(chosen)) {}
};

struct AttentionRow {
  std::string_view name, title, summary;
  std::string_view source;  // the publication that describes it, as Markdown
  std::string_view equation;
  std::string_view reads_both_ways;  // what differs from the description, because the encoder reads in both directions
  std::span<const Setting> settings{};
  std::span<const OwnParameter> parameters{};

  // Claims, each of which tests/unit/model/attentions_test.cpp checks.
  bool linear = false;               // pairs(n) does not grow with n
  bool any_length = true;            // its parameters do not depend on the longest input
  bool discrete = false;             // tokens are sorted into groups, at whose borders the result jumps
  bool equivariant = false;          // permuted tokens give the same results, permuted
  bool shares_queries = false;       // keys are queries: its heads have no projection of keys
  std::string_view not_causal = {};  // why it cannot be causal (PatternConfig::causal); empty: it can be
  std::string_view dense_when = {};  // the settings with which it is full attention, "" if there are none
  std::string_view oracle;           // what it is tested against, in words

  /// Keys that a query attends to at n tokens, or how many would cost as much as what is computed instead.
  double (*pairs)(const ModelConfig&, int64_t n);
  /// How many tokens away a query's keys may be at most, in a layer (counted as layer_runs() does) and before numbers
  /// of it have been learned; unset: any key may be read. Not used where keys are the pattern's.
  double (*reach)(const ModelConfig&, int64_t n, int64_t layer) = nullptr;
  bool gaps = false;                            // it does not read all keys within reach, whatever the tokens are
  bool follows_pattern = false;                 // its keys are those of the block pattern
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
std::span<const Setting> common_settings();
/// "performer:features=64,kernel=exp" with the defaults of what it does not name; `heads` of the model, of which half
/// are local by default. UsageError.
AttentionConfig attention_from(std::string_view text, int64_t heads);
/// The same in words that attention_from() takes, with every setting; "blocks" for the default.
std::string to_string(const AttentionConfig& config);
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
/// Tokens of a sentence of `etc`: the setting, or, if that is 0, so many that the extra tokens suffice for the longest
/// text.
int64_t etc_sentence(const ModelConfig& config);
/// UsageError naming what is inconsistent.
void check_attention(const ModelConfig& config);
/// Adds the own parameters of all layers that use the row, under `prefix`N.
void attention_shapes(const ModelConfig& config, std::string_view prefix,
                      std::map<std::string, std::vector<int64_t>>& shapes);

/// A system that the surveys describe and bigdna does not have, and why.
struct NotBuilt {
  std::string_view name, source, what;
};
std::span<const NotBuilt> not_built();

}  // namespace bigdna::model_folder
