/// Fused block-sparse attention on plain pointers: no torch headers, no allocation that grows with n^2.
/// Imitates flash-attention's flash.h: one plain struct of parameters.
#pragma once

#include <cstdint>

namespace bigdna::kernels {

/// A BlockLayout seen through pointers (sparsity/block_layout.h), one per (sequence length, head).
struct LayoutView {
  int64_t blocks = 0;
  const int32_t* row_starts = nullptr;
  const int32_t* columns = nullptr;
  const int32_t* column_starts = nullptr;
  const int32_t* rows = nullptr;
};

enum class Precision { fp32, bf16 };

/// q, k, v, out: [batch, heads, n, head_size] seen through strides in elements (the last dimension is contiguous).
/// Sequence b has lengths[b] real tokens; rows past it are written as 0. layouts[b * heads + h] belongs to that
/// length. Softmax over the attended keys that are real; scale is usually 1/sqrt(head_size).
struct AttentionForward {
  Precision precision = Precision::fp32;
  int64_t batch = 0, heads = 0, n = 0, head_size = 0, block = 0;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;              // of q, k and v
  int64_t out_batch_stride = 0, out_head_stride = 0, out_row_stride = 0;  // of out
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* out = nullptr;
  float* log_sum_exp = nullptr;  // [batch, heads, n], natural logarithm; may be null when no backward follows
  const int64_t* lengths = nullptr;
  const LayoutView* layouts = nullptr;
  float scale = 1;
  double dropout = 0;            // probability that an attention weight is dropped
  uint64_t dropout_seed = 0;     // counter-based: the backward regenerates the same mask
  int threads = 1;
};

/// Gradients of AttentionForward, whose fields it shares (out and log_sum_exp are inputs here).
struct AttentionBackward {
  AttentionForward forward;
  const void* grad_out = nullptr;  // strides as out
  void* grad_q = nullptr;          // strides as q, k, v
  void* grad_k = nullptr;
  void* grad_v = nullptr;
};

/// CPU: chosen at run time among the instruction sets this build carries.
void attention_forward_cpu(const AttentionForward& parameters);
void attention_backward_cpu(const AttentionBackward& parameters);
/// "AVX-512", "AVX2" ...: what the two above will use here.
const char* cpu_target();

}  // namespace bigdna::kernels
