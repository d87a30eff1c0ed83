/// A model's configuration: Hugging Face's BigBirdConfig or ModernBertConfig (config.json) plus bigdna's own fields, and the presets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sparsity/pattern.h"

namespace bigdna::model_folder {

/// Widths in bp, around the start site or the bin's middle, over which pool "scales" takes means, besides all tokens, and the
/// branch that reads bases (model/bases.h) maxima and means; it reads nothing else.
inline constexpr std::array<int64_t, 2> kPoolScales{1000, 200};
/// How many bases a filter of that branch covers.
inline constexpr int64_t kFilterWidth = 15;

/// What an encoder computes besides attention's pattern; model_folder/architecture.h has a row for each.
enum class Architecture { bigbird, modern };

struct ModelConfig {
  Architecture architecture = Architecture::bigbird;
  int64_t layers = 12, heads = 12, hidden = 768, ffn = 3072;
  int64_t max_length = 4096;  // tokens: of bigbird, learned positions
  int64_t vocab_size = 32000;
  int64_t token_types = 2;      // bigbird
  double dropout = 0.1, attention_dropout = 0.1;
  double layer_norm_epsilon = 1e-12;
  double initializer_range = 0.02;
  int64_t pad_id = 0;
  std::string activation = "gelu_new";  // tanh-GELU; imported models may have "gelu" (erf) or "relu"
  bool rescale_embeddings = false;      // imported models: word embeddings times sqrt(hidden)
  double rope_theta = 10'000;           // modern: the base of the rotations' frequencies
  sparsity::PatternConfig pattern{};
  /// The head: "pretraining" (MLM+NSP), "mlm" (imported models without NSP), "promoter" (1 logit), "chromatin" and
  /// "table" (a logit for each feature), "classification" (imported models), "none".
  std::string head = "pretraining";
  std::string head_kind = "classification";  // of a task: Hugging Face's dense-activation-out_proj, or "linear" (the paper's)
  std::string pool = "cls";                  // what a task head reads: "cls", the first token (Hugging Face, the paper), or
                                             // "mean", the mean over all tokens, [CLS] and [SEP] too, or "scales", that
                                             // mean and those over the tokens of kPoolScales, side by side
  int64_t labels = 0;                        // logits of a task head
  int64_t bases = 0;                         // filters of the branch that reads bases beside a task's head; 0: there is none

  bool has_mlm() const { return head == "pretraining" || head == "mlm"; }
  bool has_nsp() const { return head == "pretraining"; }
  bool has_task() const { return labels > 0; }
  int64_t head_size() const { return hidden / heads; }
  int64_t pooled_size() const;  // how many numbers a task head reads
  int64_t base_features() const { return 2 * bases * static_cast<int64_t>(kPoolScales.size()); }  // and its branch of bases
  bool operator==(const ModelConfig&) const = default;
};

/// Which heads are taken from a weights file: all of the config's and no other (exact), none, neither needed nor looked at
/// (ignored), or those of the config's, the pooler included, that the file has (present).
enum class Heads { exact, ignored, present };

/// The presets (`bigdna pretrain --help` prints them), training numbers included.
struct Preset {
  std::string_view name;
  int64_t layers, heads, hidden, ffn, max_length, block, vocab_size, batch;
  double learning_rate;
  int64_t steps;
  double mask_fraction;  // of the tokens, to be predicted
};
std::span<const Preset> presets();
const Preset& preset(std::string_view name);  // UsageError naming the choices
/// The preset's model in an architecture, with everything else at its default. modern has a feed-forward layer of about as many weights,
/// two thirds as wide.
ModelConfig config_of(const Preset& preset, Architecture architecture = Architecture::bigbird);

/// UsageError saying what does not fit (hidden not divisible by heads, labels without a task head ...).
void check(const ModelConfig& config);
/// The contents of config.json: BigBirdConfig's or ModernBertConfig's keys, and everything else under "bigdna".
nlohmann::ordered_json to_json(const ModelConfig& config);
/// Reads config.json. One that transformers wrote (no "bigdna" key) gets its eval mode, random_blocks huggingface.
/// Error naming `file` and what bigdna cannot run.
ModelConfig from_json(const nlohmann::json& json, const std::string& file);
/// Names (Hugging Face's) and shapes of everything `config` needs; tied keys are not in it.
std::map<std::string, std::vector<int64_t>> parameter_shapes(const ModelConfig& config);
/// Numbers in the encoder and its heads.
int64_t parameter_count(const ModelConfig& config);

}  // namespace bigdna::model_folder
