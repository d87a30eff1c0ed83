/// Longformer (Beltagy et al. 2020, section 3.1): the pattern's attention, in which the rows of
/// global tokens come from queries, keys and values of projections of their own.
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tensor.h>

#include <ATen/Parallel.h>

#include "model/attention/attentions.h"
#include "model/attention/backend.h"
#include "model_folder/config.h"
#include "sparsity/rows.h"

namespace bigdna::model {

at::Tensor longformer_attention(const AttentionCall& call) {
  const auto& pattern = call.config.pattern;
  const int64_t heads = call.heads(), n = call.tokens(), blocks = (n + pattern.block - 1) / pattern.block;
  const auto padded = [&](const at::Tensor& x) {
    return at::constant_pad_nd(x, {0, 0, 0, blocks * pattern.block - n}).unflatten(0, {call.sequences(), heads});
  };
  const std::vector<int64_t> lengths(static_cast<size_t>(call.sequences()), n);
  const AttentionPlan plan = plan_attention(pattern, call.layer, heads, lengths, blocks * pattern.block);
  const at::Tensor rows = backend(call.backend)
                              .run(padded(call.q), padded(call.k), padded(call.v), plan,
                                   {.dropout = 0, .dropout_seed = 0, .threads = at::get_num_threads()})
                              .flatten(0, 1)
                              .narrow(1, 0, n);
  sparsity::PatternConfig placed = pattern;
  if (sparsity::extra_tokens(pattern) > 0) placed.global_blocks = sparsity::GlobalBlocks::first;
  std::vector<int64_t> global;
  for (const int32_t block : sparsity::global_blocks(placed, blocks))
    for (int64_t i = block * pattern.block; i < std::min(n, (block + 1) * pattern.block); ++i) global.push_back(i);
  const at::Tensor positions = at::tensor(global, call.q.options().dtype(at::kLong));
  const at::Tensor states = call.states.to(call.q.scalar_type());
  const auto projected = [&](const at::Tensor& x, const char* name) {
    return call.split(at::linear(x, call.own(name)));
  };
  const at::Tensor of_global = softmax_attention(projected(states.index_select(1, positions), "query"),
                                                 projected(states, "key"), projected(states, "value"));
  return at::index_copy(rows, 1, positions, of_global);
}

}  // namespace bigdna::model
