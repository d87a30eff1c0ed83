/// Chooses the device and precision that a model runs with, and the number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace bigdna::model {

/// The device for "auto" (a GPU if there is one, which is logged), "cpu", "cuda" or "cuda:N". Opens the CUDA plug-in,
/// so it must be called before any other use of LibTorch if a GPU may be used. Error naming the cause if CUDA is
/// requested and cannot be used; UsageError for another word.
at::Device select_device(const std::string& choice);

/// at::kFloat or at::kBFloat16 for "auto", "fp32" or "bf16" on a device. auto is bf16, which is logged, on GPUs and on
/// processors that are faster in bf16 (AMX, AMD's AVX512-BF16). UsageError for another word.
at::ScalarType select_precision(const std::string& choice, const at::Device& device);

/// Sets the number of threads that LibTorch's operations use when the calling thread starts them.
void configure_threads(int threads);

}  // namespace bigdna::model
