/// A model's configuration: Hugging Face's BigBirdConfig or ModernBertConfig (config.json) plus bigdna's own fields,
/// and the presets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model_folder/attention.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {

/// Widths in bp around the start site or the bin's middle. Pool "scales" takes means over all tokens and over these
/// widths.
inline constexpr std::array<int64_t, 2> kPoolScales{1000, 200};

/// What an encoder computes, apart from the attention pattern; model_folder/architecture.h has a row for each.
enum class Architecture { bigbird, modern };

/// How layers follow each other: a row of stacks() (model_folder/stack.h), with its settings.
struct StackConfig : Chosen {
  StackConfig() : Chosen{"residual", {}} {}
  explicit StackConfig(Chosen chosen) : Chosen(std::move(chosen)) {}
};

struct ModelConfig {
  Architecture architecture = Architecture::bigbird;
  int64_t layers = 12, heads = 12, hidden = 768, ffn = 3072;
  int64_t max_length = 4096;  // tokens; for bigbird, the number of learned positions
  int64_t vocab_size = 32000;
  int64_t token_types = 2;  // bigbird only
  double dropout = 0.1, attention_dropout = 0.1;
  double layer_norm_epsilon = 1e-12;
  double initializer_range = 0.02;
  int64_t pad_id = 0;
  std::string activation = "gelu_new";  // tanh-GELU; imported models may have "gelu" (erf) or "relu"
  bool rescale_embeddings = false;      // imported models may multiply word embeddings by sqrt(hidden)
  bool normed_input = true;             // modern: whether what enters layer 0 is normalised, as embeddings are
  double rope_theta = 10'000;           // modern: the base of the rotary frequencies
  sparsity::PatternConfig pattern{};
  AttentionConfig attention{};  // what heads compute that do not attend by the pattern
  StackConfig stack{};
  /// The head: "pretraining" (MLM+NSP), "mlm" (imported models without NSP), "promoter" (1 logit), "chromatin" and
  /// "table" (one logit per feature), "classification" (imported models), "none".
  std::string head = "pretraining";
  double gaps = 0;  // causal: share of the training examples whose middle stood behind its flanks (corpus/gaps.h)
  /// With gaps: whether the tokens of both flanks attend to each other in both directions.
  bool bidirectional_flanks = false;
  /// Of a task head: "classification" (Hugging Face's dense-activation-out_proj) or "linear" (the paper's).
  std::string head_kind = "classification";
  /// What a task head reads: "cls", the first token's state (Hugging Face, the paper); "mean", the mean over all
  /// tokens, [CLS] and [SEP] included; or "scales", that mean and those over kPoolScales, concatenated.
  std::string pool = "cls";
  int64_t labels = 0;  // logits of a task head
  bool tied = true;    // what config.json says of the MLM decoder's weights: whether they are the word embeddings

  bool has_mlm() const { return head == "pretraining" || head == "mlm"; }
  /// Whether its language head predicts the next token from those before it, not hidden tokens from both sides.
  bool is_causal() const { return pattern.causal; }
  bool has_nsp() const { return head == "pretraining"; }
  bool has_task() const { return labels > 0; }
  int64_t head_size() const { return hidden / heads; }
  int64_t pooled_size() const;  // number of inputs of a task head
  bool operator==(const ModelConfig&) const = default;
};

/// Which heads a weights file must hold: exactly the config's (exact), any or none, which are not read (ignored), or
/// any of the config's, pooler included, of which those that are there are read (present).
enum class Heads { exact, ignored, present };

/// A preset of sizes and training settings; `bigdna pretrain --help` prints all.
struct Preset {
  std::string_view name;
  Architecture architecture;
  int64_t layers, heads, hidden, ffn, max_length, block, vocab_size, batch;
  double learning_rate;
  int64_t steps;
  double mask_fraction;  // share of the tokens that are to be predicted
};
std::span<const Preset> presets();
const Preset& preset(std::string_view name);  // UsageError naming the choices
/// The preset's model in an architecture (unset: the preset's), with everything else at its default. The feed-forward
/// layers of modern are two thirds as wide, so that they have about as many weights.
ModelConfig config_of(const Preset& preset, std::optional<Architecture> architecture = {});

/// UsageError naming what is inconsistent (hidden not divisible by heads, labels without a task head ...).
void check(const ModelConfig& config);
/// The contents of config.json: the keys of BigBirdConfig or ModernBertConfig, and everything else under "bigdna". What
/// it says of a task head's outputs is TaskOutputs' (model_folder/task_outputs.h).
nlohmann::ordered_json to_json(const ModelConfig& config);
/// Reads config.json. One that transformers wrote (no "bigdna" key) gets random_blocks "huggingface", which is what
/// transformers computes in eval mode. Error naming `file` and what is malformed or not supported.
ModelConfig from_json(const nlohmann::json& json, const std::string& file);
/// Hugging Face's names and the shapes of all parameters that `config` needs, without tied ones.
std::map<std::string, std::vector<int64_t>> parameter_shapes(const ModelConfig& config);
/// The number of weights in arrays of these shapes.
int64_t count_of(const std::map<std::string, std::vector<int64_t>>& shapes);
/// The number of weights in the encoder and its heads.
int64_t parameter_count(const ModelConfig& config);

}  // namespace bigdna::model_folder
