/// BigBird: post-norm BERT (paper, section 2), as computed by transformers' BigBirdForPreTraining and
/// BigBirdForSequenceClassification.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "base/error.h"
#include "model/architecture.h"
#include "model/dropout.h"
#include "model_folder/attention.h"

namespace bigdna::model {
namespace {

class BigBird : public Pass {
 public:
  using Pass::Pass;

  at::Tensor embeddings() const override {
    at::Tensor words = at::embedding(parameter(parameters_, "bert.embeddings.word_embeddings.weight"), batch_.ids);
    if (config_.rescale_embeddings) words = words * std::sqrt(static_cast<double>(config_.hidden));
    // A model of one type knows no second segment: all tokens are of type 0, as in transformers, where none are given.
    const at::Tensor types =
        at::embedding(parameter(parameters_, "bert.embeddings.token_type_embeddings.weight"),
                      config_.token_types > 1 ? batch_.token_types : at::zeros_like(batch_.token_types));
    const at::Tensor sum = with_extra_tokens(words + types + positions());
    const Dropout dropped = drop(0, Place::embeddings, config_.dropout);
    return layer_norm(parameters_, "bert.embeddings.LayerNorm", dropout(sum, dropped.probability, dropped.seed),
                      config_.layer_norm_epsilon)
        .to(options_.compute);
  }

  at::Tensor layer(const at::Tensor& input, int64_t index) const override {
    const std::string name = layer_name(index);
    const double epsilon = config_.layer_norm_epsilon, probability = config_.dropout;
    const at::Tensor middle =
        dense_norm(parameters_, name + "attention.output.dense", attention(input, index), input,
                   name + "attention.output.LayerNorm", epsilon, drop(index, Place::attention_output, probability));
    const at::Tensor wide = dense_activation(parameters_, name + "intermediate.dense", middle, config_.activation);
    return dense_norm(parameters_, name + "output.dense", wide, middle, name + "output.LayerNorm", epsilon,
                      drop(index, Place::output, probability));
  }

 private:
  /// Learned positions. Padding of the last block may lie past the last position, and then uses the last.
  at::Tensor positions() const {
    const at::Tensor& table = parameter(parameters_, "bert.embeddings.position_embeddings.weight");
    if (past_) return table.narrow(0, past_->length, text_);
    if (text_ <= table.size(0)) return table.narrow(0, 0, text_);
    return at::embedding(table, at::arange(text_, batch_.ids.options()).clamp_max(table.size(0) - 1));
  }

  at::Tensor attention(const at::Tensor& input, int64_t index) const {
    const std::string name = layer_name(index) + "attention.self.";
    const int64_t key_heads = model_folder::key_heads(config_, index);
    auto heads = [&](const char* part) {
      return linear(parameters_, name + part, input).view({size_, n_, -1, config_.head_size()}).transpose(1, 2);
    };
    // In this order, which is that of the sums of gradients: earlier models come out again bit for bit.
    const at::Tensor v = heads("value"), own = key_heads > 0 ? heads("key") : v.narrow(1, 0, 0), q = heads("query");
    return attend(q, keys_of(own, q, 1), v, input, index);
  }
};

std::shared_ptr<const Pass> pass(const model_folder::ModelConfig& config, const Parameters& parameters,
                                 const Batch& batch, const ForwardOptions& options, Past* past) {
  return std::make_shared<const BigBird>(config, parameters, batch, options, past);
}

at::Tensor mlm_transform(const model_folder::ModelConfig& config, const Parameters& parameters,
                         const at::Tensor& rows) {
  const at::Tensor dense = dense_activation(parameters, "cls.predictions.transform.dense", rows, config.activation);
  return layer_norm(parameters, "cls.predictions.transform.LayerNorm", dense, config.layer_norm_epsilon);
}

at::Tensor nsp(const model_folder::ModelConfig&, const Parameters& parameters, const at::Tensor& first) {
  return linear(parameters, "cls.seq_relationship", at::tanh(linear(parameters, "bert.pooler", first)));
}

at::Tensor task_dense(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& pooled) {
  return activate(linear(parameters, "classifier.dense", pooled), config.activation);
}

}  // namespace

constinit const ArchitectureFunctions kBigBird{pass, /*fused_loss=*/false, mlm_transform, nsp, task_dense};

}  // namespace bigdna::model
