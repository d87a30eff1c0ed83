/// The heads. What differs between architectures is in the table of model/architecture.h.
#include <ATen/core/Reduction.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/stack.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/streams.h"
#include "model/architecture.h"
#include "model/dropout.h"
#include "model/fused_rows.h"
#include "model_folder/architecture.h"

namespace bigdna::model {
namespace {

at::Tensor first_token(const at::Tensor& hidden) { return hidden.select(1, 0); }

/// [batch, hidden or, with scales, several times that]; padding, whose rows are meaningless, is left out.
at::Tensor means_of_tokens(const at::Tensor& hidden, const Batch& batch, bool scales) {
  std::vector<at::Tensor> rows;
  for (size_t b = 0; b < batch.lengths.size(); ++b) {
    const at::Tensor tokens = hidden.select(0, static_cast<int64_t>(b));
    std::vector<at::Tensor> means{tokens.narrow(0, 0, batch.lengths[b]).mean(0)};
    if (scales) {
      if (batch.scales[b].size() != model_folder::kPoolScales.size())
        fail("an example without the token ranges that its head reads");
      for (const auto& [first, last] : batch.scales[b]) means.push_back(tokens.narrow(0, first, last - first).mean(0));
    }
    rows.push_back(scales ? at::cat(means) : means.front());
  }
  return at::stack(rows);
}

/// What the tied decoder reads at hidden states [m, hidden]: m rows, or a few more.
at::Tensor decoder_input(const model_folder::ModelConfig& config, const Parameters& parameters,
                         const at::Tensor& hidden, const ForwardOptions& options) {
  return functions_of(config).mlm_transform(config, parameters,
                                            rows_of_product(hidden.to(options.compute), options.compute));
}

const at::Tensor& mlm_bias(const model_folder::ModelConfig& config, const Parameters& parameters) {
  return parameter(parameters, std::string(model_folder::architecture(config).mlm_bias));
}

at::Tensor logits_of(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& rows,
                     const ForwardOptions& options) {
  const at::Tensor logits = at::linear(decoder_input(config, parameters, rows, options),
                                       decoder_weight(config, parameters).to(options.compute),
                                       mlm_bias(config, parameters).to(options.compute));
  const int64_t count = rows.size(0);
  return (logits.size(0) == count ? logits : logits.narrow(0, 0, count)).to(at::kFloat);
}

}  // namespace

at::Tensor mlm_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden,
                      const at::Tensor& masked, const ForwardOptions& options) {
  return logits_of(config, parameters, rows_at(hidden, masked), options);
}

TokenScores mlm_scores(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& rows,
                       const at::Tensor& labels, const ForwardOptions& options) {
  if (functions_of(config).fused_loss && cpu_rows_serve(rows)) {
    const at::Tensor logits = at::linear(decoder_input(config, parameters, rows, options),
                                         decoder_weight(config, parameters).to(options.compute));
    return cross_entropy(logits, mlm_bias(config, parameters), labels);
  }
  const at::Tensor logits = logits_of(config, parameters, rows, options);
  const at::Tensor nats = at::cross_entropy_loss(logits, labels, {}, at::Reduction::None), values = logits.detach();
  // argmax() costs several times amax()
  const at::Tensor right = options.training ? values.gather(1, labels.unsqueeze(1)).squeeze(1).ge(values.amax(1))
                                            : values.argmax(1).eq(labels);
  return {nats, right};
}

at::Tensor nsp_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden) {
  return functions_of(config).nsp(config, parameters, first_token(hidden));
}

at::Tensor encode_for_head(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
                           const ForwardOptions& options) {
  return batch.pooled.defined() ? at::Tensor() : encode(config, parameters, batch, options);
}

at::Tensor pooled(const model_folder::ModelConfig& config, const at::Tensor& hidden, const Batch& batch) {
  if (batch.pooled.defined()) return batch.pooled;
  return config.pool == "cls" ? first_token(hidden) : means_of_tokens(hidden, batch, config.pool == "scales");
}

at::Tensor task_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden,
                       const Batch& batch, const ForwardOptions& options) {
  auto drop = [&](const at::Tensor& x, uint64_t place) {
    return options.training ? dropout(x, config.dropout, mix({options.dropout_seed, kHeadDropout, place})) : x;
  };
  at::Tensor x = drop(pooled(config, hidden, batch), 0);
  if (config.head_kind == "classification") x = drop(functions_of(config).task_dense(config, parameters, x), 1);
  return linear(parameters, std::string(model_folder::architecture(config).task_output), x);
}

}  // namespace bigdna::model
