/// Attention backends: one table of ways to compute softmax(q k^T) v over block layouts.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sparsity/pattern.h"

namespace bigdna::model {

/// The layouts of one layer for one batch: layouts[b * heads + h]; sequences with the same number of blocks share them.
/// A layout's blocks are those of the sequence's real tokens; in huggingface mode, those of all n padded tokens.
struct AttentionPlan {
  int64_t block = 0;             // tokens
  std::vector<int64_t> lengths;  // real tokens of each sequence, at least 1
  std::vector<std::shared_ptr<const sparsity::BlockLayout>> layouts;
  bool causal = false;  // no token attends to a later one, but within a layout's prefix; layouts list no later block
};
/// `n`: the padded length, a multiple of the pattern's block. `prefixes`, of causal patterns: the first tokens of each
/// sequence; those of them that fill whole blocks attend to each other in both directions. Empty: none. Cached by
/// (pattern, layer, head, blocks, prefix); thread-safe.
AttentionPlan plan_attention(const sparsity::PatternConfig& pattern, int64_t layer, int64_t heads,
                             const std::vector<int64_t>& lengths, int64_t n, const std::vector<int64_t>& prefixes = {});

struct AttentionOptions {
  double dropout = 0;
  uint64_t dropout_seed = 0;
  int threads = 1;
};

/// q, k, v [batch, heads, n, head_size] (any strides) -> [batch, heads, n, head_size], differentiable: softmax of
/// q k^T / sqrt(head_size) over the attended keys that are real, times v. Rows past a sequence's length are 0.
using AttentionFunction = at::Tensor (*)(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                         const AttentionPlan& plan, const AttentionOptions& options);

struct BackendRow {
  std::string_view name, summary;
  AttentionFunction run;
};
/// dense (a mask, double: the reference), gather (LibTorch operations, no n x n tensor), fused (lib/kernels).
std::span<const BackendRow> backends();
/// The row of that name; "auto" chooses for each call. UsageError naming the choices.
const BackendRow& backend(std::string_view name);

}  // namespace bigdna::model
