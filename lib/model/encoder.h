/// BigBird's encoder and heads as functions over Parameters (paper section 2; post-norm BERT as transformers' BigBird).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/batch.h"
#include "model/parameters.h"

namespace bigdna::model {

struct ForwardOptions {
  std::string backend = "auto";  // a row of attention/backend.h's table, or auto
  bool training = false;         // dropout on
  uint64_t dropout_seed = 0;     // counter-based for each (step, layer): resume repeats it
  int threads = 1;
};

/// Final hidden states [batch, n, hidden].
at::Tensor encode(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
                  const ForwardOptions& options);
/// MLM logits at the masked positions only, [m, vocab_size].
at::Tensor mlm_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden,
                      const at::Tensor& masked);
/// NSP logits [batch, 2]: class 0 = B is the continuation.
at::Tensor nsp_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden);
/// Task logits [batch, labels] from [CLS].
at::Tensor task_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const at::Tensor& hidden,
                       const ForwardOptions& options);

}  // namespace bigdna::model
