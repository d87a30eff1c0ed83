/// modern: ModernBERT (Warner et al. 2024), as computed by transformers' ModernBertForMaskedLM and
/// ModernBertForSequenceClassification: rotary positions, LayerNorm before each half of a layer, gated feed-forward
/// layers, no biases. Attention has any pattern and backend.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/tanh.h>

#include "base/rng.h"
#include "model/architecture.h"
#include "model/dropout.h"
#include "model/fused_rows.h"
#include "model/gated.h"
#include "model/rotary.h"
#include "model_folder/attention.h"
#include "model_folder/stack.h"

namespace bigdna::model {
namespace {

class Modern : public Pass {
 public:
  Modern(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
         const ForwardOptions& options, Past* past)
      : Pass(config, parameters, batch, options, past),
        rotation_(make_rotation(past ? past->length : -extra_, n_, config.head_size(), config.rope_theta,
                                batch.ids.device())) {}

  at::Tensor embeddings() const override {
    const at::Tensor words =
        with_extra_tokens(at::embedding(parameter(parameters_, "model.embeddings.tok_embeddings.weight"), batch_.ids));
    return dropped(norm("model.embeddings.norm", words), drop(0, Place::embeddings, config_.dropout))
        .to(options_.compute);
  }

  at::Tensor layer(const at::Tensor& input, int64_t index) const override {
    return after_attention(attended(input, index), input, index);
  }

  at::Tensor layer_at(const at::Tensor& input, int64_t index, const at::Tensor& positions) const override {
    return after_attention(rows_at(attended(input, index), positions), rows_at(input, positions), index);
  }

  at::Tensor attention_branch(const at::Tensor& input, int64_t index) const override {
    const at::Tensor out =
        linear(parameters_, layer_name(index) + "attn.Wo", attended(input.to(options_.compute), index));
    return dropped(out, drop(index, Place::attention_output, config_.attention_dropout)).to(input.scalar_type());
  }

  at::Tensor feed_forward_branch(const at::Tensor& rows, int64_t index, int64_t chunk) const override {
    const std::string name = layer_name(index);
    const at::Tensor wide = gated(
        linear(parameters_, name + "mlp.Wi", norm(name + "mlp_norm", rows.to(options_.compute))), config_.activation);
    Dropout drop_of_chunk = drop(index, Place::output, config_.dropout);
    if (chunk > 0) drop_of_chunk.seed = mix({drop_of_chunk.seed, static_cast<uint64_t>(chunk)});
    return linear(parameters_, name + "mlp.Wo", dropped(wide, drop_of_chunk)).to(rows.scalar_type());
  }

  at::Tensor finish(const at::Tensor& hidden) const override { return norm("model.final_norm", hidden); }

 private:
  /// What follows the attention of a layer, row by row.
  at::Tensor after_attention(const at::Tensor& attended, const at::Tensor& input, int64_t index) const {
    const std::string name = layer_name(index);
    const auto [middle, normed] = add_norm_of(linear(parameters_, name + "attn.Wo", attended), input, name + "mlp_norm",
                                              drop(index, Place::attention_output, config_.attention_dropout));
    const at::Tensor wide = gated(linear(parameters_, name + "mlp.Wi", normed), config_.activation);
    return middle + linear(parameters_, name + "mlp.Wo", dropped(wide, drop(index, Place::output, config_.dropout)));
  }

  at::Tensor norm(const std::string& name, const at::Tensor& x) const {
    return layer_norm(parameters_, name, x, config_.layer_norm_epsilon);
  }
  /// residual + dropout(x), and its LayerNorm.
  std::pair<at::Tensor, at::Tensor> add_norm_of(const at::Tensor& x, const at::Tensor& residual,
                                                const std::string& name, const Dropout& drop) const {
    if (cpu_rows_serve(x))
      return add_norm(x, residual, parameter(parameters_, name + ".weight"), config_.layer_norm_epsilon,
                      drop.probability, drop.seed);
    const at::Tensor sum = residual + dropped(x, drop);
    return {sum, norm(name, sum)};
  }
  static at::Tensor dropped(const at::Tensor& x, const Dropout& drop) {
    return dropout(x, drop.probability, drop.seed);
  }

  at::Tensor attended(const at::Tensor& input, int64_t index) const {
    const std::string name = layer_name(index);
    const at::Tensor normed =
        index == 0 && model_folder::first_layer_is_normed(config_) ? input : norm(name + "attn_norm", input);
    const at::Tensor qkv = with_all_keys(linear(parameters_, name + "attn.Wqkv", normed), index)
                               .view({size_, n_, 3, config_.heads, config_.head_size()});
    const auto [q, k, v] = rotate(qkv, rotation_);
    return attend(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), normed, index);
  }

  /// [batch, n, 3 hidden], of what has queries for all heads, keys for the first ones, and values for all.
  at::Tensor with_all_keys(const at::Tensor& projected, int64_t index) const {
    const int64_t keys = model_folder::key_heads(config_, index) * config_.head_size(), hidden = config_.hidden;
    if (keys == hidden) return projected;
    const at::Tensor queries = projected.narrow(2, 0, hidden);
    return at::cat(
        {queries, keys_of(projected.narrow(2, hidden, keys), queries, 2), projected.narrow(2, hidden + keys, hidden)},
        2);
  }

  const Rotation rotation_;
};

std::shared_ptr<const Pass> pass(const model_folder::ModelConfig& config, const Parameters& parameters,
                                 const Batch& batch, const ForwardOptions& options, Past* past) {
  return std::make_shared<const Modern>(config, parameters, batch, options, past);
}

at::Tensor head(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& rows) {
  return layer_norm(parameters, "head.norm", activate(linear(parameters, "head.dense", rows), config.activation),
                    config.layer_norm_epsilon);
}

at::Tensor nsp(const model_folder::ModelConfig&, const Parameters& parameters, const at::Tensor& first) {
  return linear(parameters, "nsp.output", at::tanh(linear(parameters, "nsp.dense", first)));
}

}  // namespace

constinit const ArchitectureFunctions kModern{pass, /*fused_loss=*/true, head, nsp, head};

}  // namespace bigdna::model
