#include "model/encoder.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/rng.h"
#include "model/attention/backend.h"
#include "model/dropout.h"
#include "model/layers.h"
#include "model/recompute.h"
#include "sparsity/pattern.h"

namespace bigdna::model {
namespace {

/// Where dropout is applied: each (seed, layer, place) is a mask of its own.
enum class Place : uint64_t { embeddings, attention_weights, attention_output, output };

/// Parameters whose names begin with `prefix`.
std::vector<at::Tensor> with_prefix(const Parameters& parameters, const std::string& prefix) {
  std::vector<at::Tensor> found;
  for (auto at = parameters.lower_bound(prefix); at != parameters.end() && at->first.starts_with(prefix); ++at) found.push_back(at->second);
  return found;
}

/// One forward pass: what its functions share.
class Encoder {
 public:
  Encoder(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch, const ForwardOptions& options)
      : config_(config), parameters_(parameters), batch_(batch), options_(options), size_(batch.ids.size(0)), text_(batch.ids.size(1)),
        extra_(sparsity::extra_tokens(config.pattern)), n_(extra_ + text_), lengths_(batch.lengths) {
    for (int64_t& length : lengths_) length += extra_;
  }

  at::Tensor embeddings() const {
    at::Tensor words = at::embedding(parameter(parameters_, "bert.embeddings.word_embeddings.weight"), batch_.ids);
    if (config_.rescale_embeddings) words = words * std::sqrt(static_cast<double>(config_.hidden));
    const at::Tensor types = at::embedding(parameter(parameters_, "bert.embeddings.token_type_embeddings.weight"), batch_.token_types);
    at::Tensor sum = words + types + positions();
    if (extra_ > 0) {
      const at::Tensor& global = parameter(parameters_, "bigdna.global_embeddings.weight");
      sum = at::cat({global.unsqueeze(0).expand({size_, -1, -1}), sum}, 1);
    }
    const Dropout dropped = drop(0, Place::embeddings);
    return layer_norm(parameters_, "bert.embeddings.LayerNorm", dropout(sum, dropped.probability, dropped.seed), config_.layer_norm_epsilon)
        .to(options_.compute);
  }

  /// `input` and the result are of the type computed in.
  at::Tensor layer(const at::Tensor& input, int64_t index) const {
    const std::string name = concat("bert.encoder.layer.", index, ".");
    const double epsilon = config_.layer_norm_epsilon;
    const at::Tensor middle = dense_norm(parameters_, name + "attention.output.dense", attention(input, index), input,
                                         name + "attention.output.LayerNorm", epsilon, drop(index, Place::attention_output));
    const at::Tensor wide = dense_activation(parameters_, name + "intermediate.dense", middle, config_.activation);
    return dense_norm(parameters_, name + "output.dense", wide, middle, name + "output.LayerNorm", epsilon, drop(index, Place::output));
  }

  /// Hidden states of the text alone.
  at::Tensor text(const at::Tensor& hidden) const { return extra_ > 0 ? hidden.narrow(1, extra_, text_) : hidden; }

 private:
  /// Learned positions; the padding of the last block may lie past the last one and takes the last.
  at::Tensor positions() const {
    const at::Tensor& table = parameter(parameters_, "bert.embeddings.position_embeddings.weight");
    if (text_ <= table.size(0)) return table.narrow(0, 0, text_);
    return at::embedding(table, at::arange(text_, batch_.ids.options()).clamp_max(table.size(0) - 1));
  }

  at::Tensor attention(const at::Tensor& input, int64_t index) const {
    const std::string name = concat("bert.encoder.layer.", index, ".attention.self.");
    auto heads = [&](const char* part) {
      return linear(parameters_, name + part, input).view({size_, n_, config_.heads, config_.head_size()}).transpose(1, 2);
    };
    const AttentionPlan plan = plan_attention(config_.pattern, index, config_.heads, lengths_, n_);
    const AttentionOptions options{options_.training ? config_.attention_dropout : 0, seed(index, Place::attention_weights),
                                   options_.threads > 0 ? options_.threads : at::get_num_threads()};
    const at::Tensor out = backend(options_.backend).run(heads("query"), heads("key"), heads("value"), plan, options);
    return out.transpose(1, 2).reshape({size_, n_, config_.hidden});
  }

  uint64_t seed(int64_t index, Place place) const {
    return mix({options_.dropout_seed, static_cast<uint64_t>(index), static_cast<uint64_t>(place)});
  }
  Dropout drop(int64_t index, Place place) const { return {options_.training ? config_.dropout : 0, seed(index, place)}; }

  // copies (of tensors: their handles): a recomputed layer outlives encode()
  const model_folder::ModelConfig config_;
  const Parameters parameters_;
  const Batch batch_;
  const ForwardOptions options_;
  int64_t size_, text_;
  int64_t extra_;  // global tokens before the text (bigbird-etc)
  int64_t n_;
  std::vector<int64_t> lengths_;  // of text and extra tokens
};

void check_batch(const model_folder::ModelConfig& config, const Batch& batch) {
  const int64_t longest = *std::max_element(batch.lengths.begin(), batch.lengths.end());
  if (longest > config.max_length) fail("a sequence of ", longest, " tokens is longer than the model's ", config.max_length);
  if (batch.largest_id >= config.vocab_size) fail("token id ", batch.largest_id, " is outside the model's vocabulary of ", config.vocab_size);
}

}  // namespace

at::Tensor encode(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch, const ForwardOptions& options) {
  check_batch(config, batch);
  const auto encoder = std::make_shared<const Encoder>(config, parameters, batch, options);
  at::Tensor hidden = encoder->embeddings();
  const int64_t layers = options.layers < 0 ? config.layers : std::min(options.layers, config.layers);
  const bool recompute = options.recompute && at::GradMode::is_enabled() && hidden.requires_grad();
  for (int64_t i = 0; i < layers; ++i)
    hidden = recompute ? recomputed([encoder, i](const at::Tensor& x) { return encoder->layer(x, i); }, hidden,
                                    with_prefix(parameters, concat("bert.encoder.layer.", i, ".")))
                       : encoder->layer(hidden, i);
  return encoder->text(hidden).to(at::kFloat);
}

}  // namespace bigdna::model
