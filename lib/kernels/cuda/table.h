/// What the CUDA plug-in (libbigdna_cuda.so) exports: one table of plain functions. The plug-in links none of
/// our libraries, so that no static exists twice; these structs are all both sides share.
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace bigdna::kernels {

/// Raised with every change of this file or of attention.h's structs; the loader refuses another one.
constexpr uint32_t kCudaTableVersion = 1;

/// Functions return a cudaError_t as int, 0 for success. `stream` is a cudaStream_t. In AttentionForward and
/// AttentionBackward all pointers, `lengths`, `layouts` and those inside LayoutView too, are device memory;
/// `threads` and `parallel` are not used. head_size is at most kCudaHeadSize.
struct CudaTable {
  uint32_t version;
  const char* built_for;  // e.g. "80-real 90a-real"
  const char* (*error_text)(int error);
  int (*device_count)(int* count);
  /// Fills `name` (at most `size` bytes with its end) and the compute capability, e.g. 9, 0.
  int (*describe_device)(int device, char* name, int size, int* major, int* minor);
  int (*attention_forward)(const AttentionForward* parameters, void* stream);
  /// `dots`: [batch, heads, n] floats of device memory for the kernels' own use.
  int (*attention_backward)(const AttentionBackward* parameters, float* dots, void* stream);
};
constexpr int64_t kCudaHeadSize = 128;

/// The plug-in's one exported symbol, extern "C": const CudaTable* bigdna_cuda_open().
using CudaOpen = const CudaTable* (*)();
constexpr const char* kCudaOpenSymbol = "bigdna_cuda_open";

}  // namespace bigdna::kernels
