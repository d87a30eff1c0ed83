/// Fused block-sparse attention on plain pointers: no LibTorch headers, no allocation that grows with n^2. Follows
/// flash-attention (Dao et al. 2022; Dao 2023) and its flash.h: one plain struct of parameters.
///
/// For sequence b and head h, query row i of query block I attends to the real keys of the key blocks that
/// row I of layouts[b * heads + h] lists (a block listed twice counts twice):
///   out_i = sum_j softmax_j(scale * q_i . k_j) * mask_ij / (1 - dropout) * v_j
/// and log_sum_exp_i = log sum_j exp(scale * q_i . k_j). Results do not depend on the number of threads.
#pragma once

#include <cstdint>

namespace bigdna::kernels {

/// A BlockLayout seen through pointers (sparsity/block_layout.h): CSR over blocks, and its transpose.
struct LayoutView {
  int64_t blocks = 0;  // at least the number of blocks that hold real tokens
  const int32_t* row_starts = nullptr;
  const int32_t* columns = nullptr;
  const int32_t* column_starts = nullptr;
  const int32_t* rows = nullptr;
  int64_t prefix = 0;  // causal: so many first blocks hide no key of their own from a query (CPU only)
};

enum class Precision { fp32, bf16, fp16 };  // fp16 on GPUs only

/// A [batch, heads, n, head_size] tensor: strides in elements, the last dimension contiguous.
template <class Data>
struct Strided {
  Data* data = nullptr;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
};

/// Runs body(context, i) for every i in [0, count) on at most `threads` threads. Callers pass one to make the kernels
/// use their own thread pool, e.g. LibTorch's.
using ParallelFor = void (*)(int64_t count, int threads, void (*body)(void* context, int64_t index), void* context);

struct AttentionForward {
  Precision precision = Precision::fp32;  // of q, k, v and out; sums are fp32
  int64_t batch = 0, heads = 0, n = 0, head_size = 0, block = 0;
  Strided<const void> q, k, v;
  Strided<void> out;  // rows past a sequence's length are written as 0
  float* log_sum_exp =
      nullptr;  // [batch, heads, n], natural logarithm, 0 past the length; null when no backward follows
  const int64_t* lengths = nullptr;     // [batch]: real tokens of each sequence, at most n
  const LayoutView* layouts = nullptr;  // [batch * heads]
  float scale = 1;                      // usually 1/sqrt(head_size)
  bool causal = false;        // no query behind a layout's prefix attends to a later key of its own block (CPU only)
  double dropout = 0;         // probability that an attention weight is dropped, in steps of 2^-16 (kernels/dropout.h)
  uint64_t dropout_seed = 0;  // counter-based: the backward regenerates the same mask
  int threads = 1;
  ParallelFor parallel = nullptr;  // null: base/threads.h
};

/// Gradients of AttentionForward; its `out` and `log_sum_exp` are inputs here. All of the same precision.
struct AttentionBackward {
  AttentionForward forward;
  Strided<const void> grad_out;          // rows past a sequence's length are not read
  Strided<void> grad_q, grad_k, grad_v;  // written in full, 0 past the length
};

/// CPU: chosen at run time among the instruction sets this build carries. Error if the parameters are
/// invalid.
void attention_forward_cpu(const AttentionForward& parameters);
void attention_backward_cpu(const AttentionBackward& parameters);
/// "AVX3" (AVX-512), "AVX2" ...: what the two functions above use on this processor.
const char* cpu_target();
/// How they multiply in bf16: "AMX" (for block and head sizes that are multiples of 32), "AVX512-BF16" or "fp32
/// products".
const char* cpu_bf16_products();

}  // namespace bigdna::kernels
