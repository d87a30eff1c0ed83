/// LibTorch operations on gathered key blocks (paper, appendix D). Query blocks that attend to few key blocks
/// ("narrow") are multiplied with copies of just these, padded to a common number; query blocks that attend to many
/// ("wide", i.e. global ones) with all keys. Time and memory are linear in n as long as the number of wide rows is
/// bounded.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "model/attention/implementations.h"
#include "model/attention/mask.h"

namespace bigdna::model {
namespace {

/// Which query blocks are narrow and which wide. Blocks are numbered over the batch: (b * heads + h) * blocks + block.
struct Split {
  int64_t blocks = 0;                // per sequence, padding included
  int64_t degree = 0;                // key blocks per narrow row, padded
  int64_t wide = 0;                  // wide rows per (b, h), padded
  std::vector<int64_t> narrow_rows;  // query blocks
  std::vector<int64_t> narrow_keys;  // narrow_rows x degree key blocks
  std::vector<int64_t> narrow_bias;  // narrow_rows x degree blocks of key_bias, the last of which masks all
  std::vector<int64_t> wide_rows;    // batch * heads x wide query blocks
  std::vector<float> wide_bias;      // batch * heads x wide x blocks: log of how often a key block is attended
  std::vector<int64_t> output;       // for each query block: its row among narrow, wide, and a last one of zeros
};

int64_t real_blocks(const AttentionPlan& plan, size_t sequence) {
  return (plan.lengths[sequence] + plan.block - 1) / plan.block;
}

/// The largest number of key blocks for which a row is narrow: the cheapest choice, gathering counted twice.
int64_t choose_degree(const AttentionPlan& plan, int64_t heads, int64_t blocks) {
  std::map<int64_t, int64_t> rows_by_degree;
  std::vector<std::map<int64_t, int64_t>> of_head(plan.layouts.size());
  for (size_t i = 0; i < plan.layouts.size(); ++i)
    for (int64_t query = 0; query < real_blocks(plan, i / heads); ++query) {
      const auto degree = static_cast<int64_t>(plan.layouts[i]->keys_of(query).size());
      ++rows_by_degree[degree];
      ++of_head[i][degree];
    }
  int64_t best = 0, narrow_rows = 0;
  auto cost = [&](int64_t degree) {
    int64_t wide = 0;
    for (const auto& degrees : of_head) {
      int64_t count = 0;
      for (auto at = degrees.upper_bound(degree); at != degrees.end(); ++at) count += at->second;
      wide = std::max(wide, count);
    }
    return narrow_rows * degree * 2 + wide * static_cast<int64_t>(plan.layouts.size()) * blocks;
  };
  int64_t least = cost(0);
  for (const auto& [degree, rows] : rows_by_degree) {
    narrow_rows += rows;
    if (const int64_t total = cost(degree); total < least) least = total, best = degree;
  }
  return best;
}

Split split_rows(const AttentionPlan& plan, int64_t heads, int64_t blocks) {
  Split split;
  split.blocks = blocks;
  split.degree = choose_degree(plan, heads, blocks);
  const auto sequences = static_cast<int64_t>(plan.lengths.size());
  const int64_t mask_all = sequences * blocks;
  std::vector<std::vector<int64_t>> wide(plan.layouts.size());
  split.output.assign(plan.layouts.size() * static_cast<size_t>(blocks), -1);
  for (size_t i = 0; i < plan.layouts.size(); ++i) {
    const auto sequence = static_cast<int64_t>(i) / heads, first = static_cast<int64_t>(i) * blocks;
    for (int64_t query = 0; query < real_blocks(plan, static_cast<size_t>(sequence)); ++query) {
      const auto keys = plan.layouts[i]->keys_of(query);
      if (static_cast<int64_t>(keys.size()) > split.degree) {
        wide[i].push_back(query);
        continue;
      }
      split.output[static_cast<size_t>(first + query)] = static_cast<int64_t>(split.narrow_rows.size());
      split.narrow_rows.push_back(first + query);
      for (int64_t slot = 0; slot < split.degree; ++slot) {
        const bool real = slot < static_cast<int64_t>(keys.size());
        split.narrow_keys.push_back(first + (real ? keys[slot] : 0));
        split.narrow_bias.push_back(real ? sequence * blocks + keys[slot] : mask_all);
      }
    }
    split.wide = std::max(split.wide, static_cast<int64_t>(wide[i].size()));
  }
  const auto narrow = static_cast<int64_t>(split.narrow_rows.size());
  split.wide_bias.assign(plan.layouts.size() * static_cast<size_t>(split.wide * blocks), 0);
  for (size_t i = 0; i < wide.size(); ++i) {
    const auto first = static_cast<int64_t>(i) * blocks;
    for (int64_t slot = 0; slot < split.wide; ++slot) {
      if (slot >= static_cast<int64_t>(wide[i].size())) {  // padding: computed, but never in `output`
        split.wide_rows.push_back(first);
        continue;
      }
      const int64_t query = wide[i][static_cast<size_t>(slot)], row = static_cast<int64_t>(i) * split.wide + slot;
      split.wide_rows.push_back(first + query);
      split.output[static_cast<size_t>(first + query)] = narrow + row;
      float* bias = split.wide_bias.data() + row * blocks;
      std::vector<int> times(static_cast<size_t>(blocks), 0);
      for (const int32_t key : plan.layouts[i]->keys_of(query)) ++times[static_cast<size_t>(key)];
      for (int64_t key = 0; key < blocks; ++key)
        bias[key] = std::log(static_cast<float>(times[static_cast<size_t>(key)]));
    }
  }
  const int64_t zeros = narrow + static_cast<int64_t>(wide.size()) * split.wide;
  std::replace(split.output.begin(), split.output.end(), int64_t{-1}, zeros);
  return split;
}

template <class T>
at::Tensor tensor_of(const std::vector<T>& values, const at::Device& device) {
  constexpr auto type = std::is_same_v<T, float> ? at::kFloat : at::kLong;
  return at::from_blob(const_cast<T*>(values.data()), {static_cast<int64_t>(values.size())}, type)
      .to(device, type, false, true);
}

/// Computes both kinds of rows. q, k, v: [batch * heads * blocks, block, head_size], q scaled.
class Gather {
 public:
  Gather(const AttentionPlan& plan, const AttentionOptions& options, int64_t heads, int64_t blocks,
         at::TensorOptions type)
      : plan_(plan),
        options_(options),
        type_(type),
        heads_(heads),
        split_(split_rows(plan, heads, blocks)),
        key_bias_(key_bias(plan, blocks)) {}

  at::Tensor run(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
    std::vector<at::Tensor> parts;
    if (!split_.narrow_rows.empty()) parts.push_back(narrow(q, k, v));
    if (split_.wide > 0) parts.push_back(wide(q, k, v));
    parts.push_back(at::zeros({1, q.size(1), q.size(2)}, q.options()));
    return at::cat(parts).index_select(0, tensor_of(split_.output, q.device()));
  }

 private:
  at::Tensor narrow(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
    const int64_t block = q.size(1), size = q.size(2), keys = split_.degree * block;
    const auto rows = static_cast<int64_t>(split_.narrow_rows.size());
    const at::Tensor row_index = tensor_of(split_.narrow_rows, q.device()),
                     key_index = tensor_of(split_.narrow_keys, q.device());
    const at::Tensor row_q = q.index_select(0, row_index);
    const at::Tensor row_k = k.index_select(0, key_index).view({rows, keys, size});
    const at::Tensor row_v = v.index_select(0, key_index).view({rows, keys, size});
    const at::Tensor all_masked = at::zeros({1, block}, at::kFloat).fill_(-std::numeric_limits<float>::infinity());
    const at::Tensor biases = at::cat({key_bias_.view({-1, block}), all_masked});
    at::Tensor bias = biases.index_select(0, tensor_of(split_.narrow_bias, at::kCPU)).view({rows, 1, keys}).to(type_);
    if (plan_.causal) {
      const at::Tensor own = key_index.view({rows, 1, split_.degree, 1}).eq(row_index.view({rows, 1, 1, 1}));
      const at::Tensor hides = behind_prefix(split_.narrow_rows, q.device()).view({rows, 1, 1, 1});
      bias = without(bias.expand({rows, block, keys}),
                     own.logical_and(hides).logical_and(later(block).view({1, block, 1, block})));
    }
    at::Tensor weights = at::softmax(at::baddbmm(bias, row_q, row_k.transpose(1, 2)), 2);
    if (options_.dropout > 0) weights = weights * narrow_dropout(block).to(type_);
    return at::bmm(weights, row_v);
  }

  at::Tensor wide(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
    const int64_t block = q.size(1), size = q.size(2), n = split_.blocks * block;
    const auto batch_heads = static_cast<int64_t>(plan_.layouts.size());
    const at::Tensor row_q =
        q.index_select(0, tensor_of(split_.wide_rows, q.device())).view({batch_heads, split_.wide * block, size});
    const at::Tensor times = tensor_of(split_.wide_bias, at::kCPU).view({batch_heads, split_.wide, split_.blocks, 1});
    const at::Tensor real = key_bias_.repeat_interleave(heads_, 0).view({batch_heads, 1, split_.blocks, block});
    at::Tensor bias = (times + real).view({batch_heads, split_.wide, 1, n}).to(type_);
    if (plan_.causal) {
      const at::Tensor rows = later(n).view({split_.blocks, block, n});
      const at::Tensor blocks = tensor_of(split_.wide_rows, q.device()).remainder(split_.blocks);
      const at::Tensor hides = behind_prefix(split_.wide_rows, q.device()).view({-1, 1, 1});
      bias =
          without(bias.expand({batch_heads, split_.wide, block, n}), rows.index_select(0, blocks).logical_and(hides));
    }
    const at::Tensor scores = at::bmm(row_q, k.view({batch_heads, n, size}).transpose(1, 2));
    at::Tensor weights = at::softmax(scores.view({batch_heads, split_.wide, block, n}) + bias, 3)
                             .view({batch_heads, split_.wide * block, n});
    if (options_.dropout > 0) weights = weights * wide_dropout(block).to(type_);
    return at::bmm(weights, v.view({batch_heads, n, size})).view({batch_heads * split_.wide, block, size});
  }

  /// Whether each of these query blocks lies behind the prefix of its sequence.
  at::Tensor behind_prefix(const std::vector<int64_t>& rows, const at::Device& device) const {
    at::Tensor behind = at::empty({static_cast<int64_t>(rows.size())}, at::kBool);
    auto* data = behind.mutable_data_ptr<bool>();
    for (const int64_t row : rows)
      *data++ = row % split_.blocks >= plan_.layouts[static_cast<size_t>(row / split_.blocks)]->prefix;
    return behind.to(device);
  }
  /// [n, n]: whether a key stands behind a query.
  at::Tensor later(int64_t n) const { return at::ones({n, n}, type_.dtype(at::kBool)).triu(1); }
  static at::Tensor without(const at::Tensor& bias, const at::Tensor& keys) {
    return bias.masked_fill(keys.reshape(bias.sizes()), -std::numeric_limits<double>::infinity());
  }

  at::Tensor narrow_dropout(int64_t block) const {
    at::Tensor mask =
        at::empty({static_cast<int64_t>(split_.narrow_rows.size()), block, split_.degree * block}, at::kFloat);
    auto* data = mask.mutable_data_ptr<float>();
    at::parallel_for(0, mask.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t number = split_.narrow_rows[row], head = number / split_.blocks;
        for (int64_t i = 0; i < block; ++i)
          for (int64_t slot = 0; slot < split_.degree; ++slot)
            fill_dropout(data + ((row * block + i) * split_.degree + slot) * block, block, options_, head,
                         number % split_.blocks * block + i,
                         split_.narrow_keys[row * split_.degree + slot] % split_.blocks * block);
      }
    });
    return mask;
  }

  at::Tensor wide_dropout(int64_t block) const {
    const int64_t n = split_.blocks * block;
    at::Tensor mask = at::empty({static_cast<int64_t>(plan_.layouts.size()), split_.wide * block, n}, at::kFloat);
    auto* data = mask.mutable_data_ptr<float>();
    at::parallel_for(0, static_cast<int64_t>(split_.wide_rows.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t i = 0; i < block; ++i)
          fill_dropout(data + (row * block + i) * n, n, options_, split_.wide_rows[row] / split_.blocks,
                       split_.wide_rows[row] % split_.blocks * block + i, 0);
    });
    return mask;
  }

  const AttentionPlan& plan_;
  const AttentionOptions& options_;
  at::TensorOptions type_;
  int64_t heads_;
  Split split_;
  at::Tensor key_bias_;
};

}  // namespace

at::Tensor gather_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                            const AttentionOptions& options) {
  const int64_t heads = q.size(1), n = q.size(2), size = q.size(3), blocks = n / plan.block;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  auto by_block = [&](const at::Tensor& x) { return x.contiguous().view({-1, plan.block, size}); };
  const Gather gather(plan, options, heads, blocks, q.options());
  const at::Tensor out = gather.run(by_block(q * scale), by_block(k), by_block(v));
  return zero_padding(out.view(q.sizes()), plan);
}

}  // namespace bigdna::model
