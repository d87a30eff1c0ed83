/// Cross-entropy over a vocabulary (kernels/rows.h): logits are read where the matrix product left them, probabilities
/// are never stored, and the gradient overwrites the logits.
#pragma once

#include <ATen/core/Tensor.h>

namespace bigdna::model {

/// How well labels are predicted.
struct TokenScores {
  at::Tensor nats;   // fp32 [m]: -ln p of each label
  at::Tensor right;  // bool [m]: whether it is the likeliest
};

/// Of equal logits the first counts as the likeliest. logits [m or more, vocabulary], fp32 or bf16 on a CPU
/// (cpu_rows_serve() in model/fused_rows.h), fresh from a matrix product, which are consumed: rows past the labels' m
/// are ignored; bias [vocabulary] fp32; labels int64 [m]. Gradients can be asked for once. Error: a label outside the
/// vocabulary.
TokenScores cross_entropy(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& labels);

}  // namespace bigdna::model
