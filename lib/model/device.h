/// Devices and threads: which processor a model runs on.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace bigdna::model {

/// "auto" (a GPU where there is one, said on stderr), "cpu", "cuda" or "cuda:N". Must be called before any other use
/// of LibTorch when a GPU may be used: it opens the CUDA plug-in. Error naming the cause where CUDA is asked for and
/// cannot be had; UsageError for another word.
at::Device select_device(const std::string& choice);

/// "auto", "fp32" or "bf16" on a device: at::kFloat or at::kBFloat16. auto is bf16 on GPUs and on processors that are
/// faster in bf16 (AMX, AMD's AVX512-BF16), and says so on stderr.
at::ScalarType select_precision(const std::string& choice, const at::Device& device);

/// LibTorch's threads within operations, in total.
void configure_threads(int threads);

}  // namespace bigdna::model
