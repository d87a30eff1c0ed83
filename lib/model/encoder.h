/// Encoders and heads as functions of Parameters, for all architectures in model_folder/architecture.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/batch.h"
#include "model/cross_entropy.h"
#include "model/parameters.h"

namespace bigdna::model {

/// How many steps tokens took before they halted (stack universal with halting).
struct HaltingSteps {
  int64_t tokens = 0, sum = 0, most = 0;
  double mean() const { return static_cast<double>(sum) / static_cast<double>(tokens); }
  void add(const HaltingSteps& other);
};

struct ForwardOptions {
  std::string backend = "auto";         // a row of attention/backend.h's table, or auto
  bool training = false;                // dropout on
  uint64_t dropout_seed = 0;            // a function of (step, pass), so that a resumed run repeats it
  at::ScalarType compute = at::kFloat;  // at::kBFloat16: matrix products and activations; softmax, LayerNorm's sums,
                                        // parameters, heads on [CLS] and what is returned stay fp32
  bool recompute = false;               // layers keep only their input for the backward pass, and run again there
  double share = 1;     // of the batch's examples that this pass holds, by which it weighs losses of its own
  int64_t layers = -1;  // encode() stops after this many layers; -1: all
  HaltingSteps* halting = nullptr;  // is added to, if the pass goes through all layers
};

/// The parameters with the weights of large matrix products cast to `compute` once (differentiably), for all passes
/// below that use the same values; other parameters are cast at each use. For fp32, returns the parameters themselves.
Parameters cast_for(const model_folder::ModelConfig& config, const Parameters& parameters, at::ScalarType compute);

/// Hidden states [batch, n, hidden] after the last layer and what follows it (or after options.layers). Rows of padding
/// are meaningless. Error: a sequence longer than the model's maximum, or an id outside its vocabulary.
at::Tensor encode(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
                  const ForwardOptions& options);
/// encode(), or undefined where the batch brings pooled states, so that no task head needs it.
at::Tensor encode_for_head(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
                           const ForwardOptions& options);
/// Those rows of encode()'s result that pretraining's heads read. Of the last layer, modern computes no more than these
/// need.
struct PretrainingRows {
  at::Tensor masked;  // [m, hidden], at masked positions
  at::Tensor first;   // [batch, 1, hidden], of [CLS]; undefined without targets (NSP)
};
PretrainingRows encode_pretraining(const model_folder::ModelConfig& config, const Parameters& parameters,
                                   const Batch& batch, const ForwardOptions& options);
/// The rows of hidden states [batch, n, hidden] at positions b * n + i, int64 [m].
at::Tensor rows_at(const at::Tensor& hidden, const at::Tensor& positions);
/// MLM logits at the masked positions only, [m, vocab_size].
at::Tensor mlm_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden,
                      const at::Tensor& masked, const ForwardOptions& options = {});
/// How well labels [m] are predicted from hidden states [m, hidden] at masked positions, without keeping logits where
/// the architecture and the device allow it. In training, all of several equal logits may count as the likeliest.
TokenScores mlm_scores(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& rows,
                       const at::Tensor& labels, const ForwardOptions& options);
/// NSP logits [batch, 2]: class 0 = B is the continuation.
at::Tensor nsp_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden);
/// What a task head reads, [batch, config.pooled_size()]: [CLS], or means of tokens (config.pool); or what the batch
/// brings.
at::Tensor pooled(const model_folder::ModelConfig& config, const at::Tensor& hidden, const Batch& batch);
/// Task logits [batch, labels] from pooled(). They do not depend on BERT's pooler, whose parameters get no gradient.
at::Tensor task_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden,
                       const Batch& batch, const ForwardOptions& options);

}  // namespace bigdna::model
