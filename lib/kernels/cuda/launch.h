/// The plug-in's kernels, as table.h describes them.
#pragma once

#include "kernels/cuda/table.h"

namespace bigdna::kernels {

int cuda_attention_forward(const AttentionForward* parameters, void* stream);
int cuda_attention_backward(const AttentionBackward* parameters, float* dots, void* stream);

}  // namespace bigdna::kernels
