// Block-sparse flash attention on tensor cores (Dao 2023; tiles.cuh walks the layout): bf16 or fp16 in and out, fp32
// sums, head sizes 32, 64 and 128, blocks of whole 16 rows; by wgmma, blocks of whole 64. Nothing of size n x n or n x
// (attended keys) leaves the chip; the backward recomputes the weights from the log-sum-exp. Lists too long for one
// thread block are cut into parts (WorkItem::slot), which leave partial sums in `parts`; the combine kernels add them
// up in order. No atomics: the same inputs give the same bits.
//
// The backward takes two walks, seven products against the five of one walk with atomics: grad_q over the rows, then
// grad_k and grad_v over the columns, where the scores are computed transposed, so that keys are the rows of every
// fragment and nothing passes through shared memory between products.
#pragma once

#include "kernels/cuda/tiles.cuh"

namespace bigdna::kernels {
namespace {

constexpr int kForwardTile = 64;
/// Thread blocks of the forward pass on a multiprocessor, by its shared memory: more registers where fewer fit.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ / 100 != 9 && __CUDA_ARCH__ / 100 != 10
constexpr int kForwardBlocks = 3;
#else
constexpr int kForwardBlocks = 4;
#endif
template <int D>
constexpr int kBackwardTile = D == 128 ? 32 : 64;  // fits 255 registers

/// False on a device without that unit, where it is never launched.
template <Unit kUnit>
__device__ bool can_multiply() {
  if (kUnit == Unit::warp || kWarpgroups) return true;
  __trap();
  return false;
}
__device__ float quad_sum(float x) {
  x += __shfl_xor_sync(kWholeWarp, x, 1);
  return x + __shfl_xor_sync(kWholeWarp, x, 2);
}
__device__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(kWholeWarp, x, 1));
  return fmaxf(x, __shfl_xor_sync(kWholeWarp, x, 2));
}

/// `parts`: [slots][rows][D] sums, each normalised, then [slots][rows] log-sum-exps.
template <class T, int D, Unit kUnit>
__global__ void __launch_bounds__(128, D == 128 ? 2 : kForwardBlocks)
    tensor_forward(const AttentionForward p, const Work work, float* parts) {
  if (!can_multiply<kUnit>()) return;
  constexpr int N = kForwardTile;
  const Walk<T, D, N, false, kUnit> walk(p, work.items[blockIdx.x], 1);
  const float scale2 = p.scale * kLog2e;  // weights are powers of 2
  const auto keys = walk.source(p.k), values = walk.source(p.v);
  walk.load_rows(p.q, 0);
  if (walk.tiles > 0) walk.load_tile(0, keys, values);
  float out[D / 8][4] = {}, maximum[2] = {-INFINITY, -INFINITY}, normaliser[2] = {0, 0};
  for (int t = 0; t < walk.tiles; ++t) {
    walk.next_tile();
    if (t + 1 < walk.tiles) walk.load_tile(t + 1, keys, values);
    float s[N / 8][4];
    walk.product(s, 0, walk.stage(t));
    walk.hide(s, t, -INFINITY);
    float shrinks[2];
    BIGDNA_UNROLL
    for (int half = 0; half < 2; ++half) {
      float high = maximum[half];
      BIGDNA_UNROLL
      for (int j = 0; j < N / 8; ++j) high = fmaxf(high, fmaxf(s[j][half * 2], s[j][half * 2 + 1]));
      high = quad_max(high);
      // (__fmul_rn: in one rounding with the subtraction, shrink would not be 1 where the maximum stays, tile after
      // tile)
      const float base = high == -INFINITY ? 0 : __fmul_rn(high, scale2);
      const float shrink = exp2_fast(__fmul_rn(maximum[half], scale2) - base);
      maximum[half] = high;
      normaliser[half] *= shrink;
      BIGDNA_UNROLL
      for (int j = 0; j < N / 8; ++j) BIGDNA_UNROLL
      for (int e = half * 2; e < half * 2 + 2; ++e) {
        s[j][e] = exp2_fast(fmaf(s[j][e], scale2, -base));
        normaliser[half] += s[j][e];
      }
      shrinks[half] = shrink;
    }
    if (shrinks[0] != 1 || shrinks[1] != 1) {  // most tiles raise no maximum
      BIGDNA_UNROLL
      for (int d = 0; d < D / 8; ++d)
        BIGDNA_UNROLL
        for (int e = 0; e < 4; ++e) out[d][e] *= shrinks[e / 2];
    }
    walk.drop(s, t, 1);
    walk.accumulate(out, s, walk.stage(t) + Plan<D, N>::kTileBytes);
  }
  walk.finish();
  const float keep = kept_factor(walk.threshold);
  float factor[2], log_sum_exp[2];
  BIGDNA_UNROLL
  for (int half = 0; half < 2; ++half) {
    const float total = quad_sum(normaliser[half]);
    const bool real = walk.row(half) < walk.length;
    factor[half] = real && total > 0 ? keep / total : 0;
    log_sum_exp[half] = real ? (total > 0 ? maximum[half] * p.scale + logf(total) : -INFINITY) : 0;
  }
  if (walk.item.slot < 0) {
    walk.store(p.out, 0, out, factor[0], factor[1]);
  } else {
    walk.store_part(parts, out, factor[0], factor[1]);
  }
  BIGDNA_UNROLL
  for (int half = 0; half < 2; ++half) {
    if (walk.lane % 4 == 0) {
      if (walk.item.slot >= 0)
        parts[work.slots * walk.warps * kGranule * D + static_cast<int64_t>(walk.item.slot) * walk.warps * kGranule +
              walk.row(half) - walk.first_row] = log_sum_exp[half];
      else if (p.log_sum_exp && walk.row(half) < p.n)
        p.log_sum_exp[walk.item.head * p.n + walk.row(half)] = log_sum_exp[half];
    }
  }
}

/// grad_q; and dots = grad_out . out of every real row, which tensor_keys() reads.
template <class T, int D, Unit kUnit>
__global__ void __launch_bounds__(128, 2)
    tensor_queries(const AttentionBackward backward, const Work work, float* dots, float* parts) {
  if (!can_multiply<kUnit>()) return;
  constexpr int N = kBackwardTile<D>;
  const AttentionForward& p = backward.forward;
  const Walk<T, D, N, false, kUnit> walk(p, work.items[blockIdx.x], 2);
  const float scale2 = p.scale * kLog2e, keep = kept_factor(walk.threshold);
  walk.load_rows(p.q, 0);
  walk.load_rows(backward.grad_out, 1);
  const auto keys = walk.source(p.k), values = walk.source(p.v);
  if (walk.tiles > 0) walk.load_tile(0, keys, values);
  float dot[2], log2_sum_exp[2];
  BIGDNA_UNROLL
  for (int half = 0; half < 2; ++half) {
    const bool real = walk.row(half) < walk.length;
    float sum = 0;
    if (real) {
      const auto* g = static_cast<const uint32_t*>(walk.start_of(backward.grad_out, walk.row(half)));
      const auto* o = static_cast<const uint32_t*>(static_cast<const void*>(walk.start_of(p.out, walk.row(half))));
      BIGDNA_UNROLL
      for (int d = 0; d < D / 8; ++d) {
        const float2 x = unpack<T>(g[d * 4 + walk.lane % 4]), y = unpack<T>(o[d * 4 + walk.lane % 4]);
        sum = fmaf(x.x, y.x, fmaf(x.y, y.y, sum));
      }
    }
    dot[half] = quad_sum(sum);
    if (real && walk.lane % 4 == 0) dots[walk.item.head * p.n + walk.row(half)] = dot[half];
    log2_sum_exp[half] = real ? p.log_sum_exp[walk.item.head * p.n + walk.row(half)] * kLog2e : INFINITY;
  }
  float grad_q[D / 8][4] = {};
  for (int t = 0; t < walk.tiles; ++t) {
    walk.next_tile();
    if (t + 1 < walk.tiles) walk.load_tile(t + 1, keys, values);
    float s[N / 8][4], delta[N / 8][4];
    walk.product(s, 0, walk.stage(t));
    walk.product(delta, 1, walk.stage(t) + Plan<D, N>::kTileBytes);
    walk.drop(delta, t, keep);
    BIGDNA_UNROLL
    for (int j = 0; j < N / 8; ++j) BIGDNA_UNROLL
    for (int e = 0; e < 4; ++e)
      delta[j][e] = exp2_fast(fmaf(s[j][e], scale2, -log2_sum_exp[e / 2])) * (delta[j][e] - dot[e / 2]);
    walk.hide(delta, t, 0);  // keys past the length score 0, whose weight may overflow
    walk.accumulate(grad_q, delta, walk.stage(t));
  }
  walk.finish();
  if (walk.item.slot < 0)
    walk.store(backward.grad_q, 0, grad_q, p.scale, p.scale);
  else
    walk.store_part(parts, grad_q, p.scale, p.scale);
}

/// grad_k and grad_v: the rows are keys. `parts`: the slots of grad_k, then those of grad_v.
template <class T, int D, Unit kUnit>
__global__ void __launch_bounds__(128, D == 64 && kUnit == Unit::warpgroup ? 3 : 1)
    tensor_keys(const AttentionBackward backward, const Work work, const float* dots, float* parts) {
  if (!can_multiply<kUnit>()) return;
  constexpr int N = kBackwardTile<D>;
  const AttentionForward& p = backward.forward;
  const Walk<T, D, N, true, kUnit> walk(p, work.items[blockIdx.x], 2);
  const float scale2 = p.scale * kLog2e, keep = kept_factor(walk.threshold);
  walk.load_rows(p.k, 0);
  walk.load_rows(p.v, 1);
  const auto of_queries = walk.source(p.q), of_gradients = walk.source(backward.grad_out);
  if (walk.tiles > 0) {
    walk.load_tile(0, of_queries, of_gradients);
    walk.load_numbers(0, dots);
  }
  float grad_k[D / 8][4] = {}, grad_v[D / 8][4] = {};
  for (int t = 0; t < walk.tiles; ++t) {
    walk.next_tile();
    if (t + 1 < walk.tiles) {
      walk.load_tile(t + 1, of_queries, of_gradients);
      walk.load_numbers(t + 1, dots);
    }
    const uint32_t queries = walk.stage(t), gradients = queries + Plan<D, N>::kTileBytes;
    const float* numbers = shared_at<float>(queries + Plan<D, N>::kNumbers) + walk.lane % 4 * 2;
    float s[N / 8][4], delta[N / 8][4];
    walk.product(s, 0, queries);
    walk.product(delta, 1, gradients);
    walk.drop(delta, t, keep);
    BIGDNA_UNROLL
    for (int j = 0; j < N / 8; ++j) BIGDNA_UNROLL
    for (int e = 0; e < 4; ++e) {
      // Queries past the length: zeros throughout, so a weight of 1 that adds nothing.
      s[j][e] = exp2_fast(fmaf(s[j][e], scale2, -numbers[j * 8 + e % 2] * kLog2e));
      delta[j][e] = s[j][e] * (delta[j][e] - numbers[N + j * 8 + e % 2]);
    }
    walk.drop(s, t, 1);
    walk.accumulate(grad_v, s, gradients);
    walk.accumulate(grad_k, delta, queries);
  }
  walk.finish();
  if (walk.item.slot < 0) {
    walk.store(backward.grad_k, 0, grad_k, p.scale, p.scale);
    walk.store(backward.grad_v, 1, grad_v, keep, keep);
  } else {
    walk.store_part(parts, grad_k, p.scale, p.scale);
    walk.store_part(parts + work.slots * walk.warps * kGranule * D, grad_v, keep, keep);
  }
}

/// One thread block for each row tile that was cut: its parts, weighed by their log-sum-exps (log_sums), or just added
/// up (null), to `to`; rows past the length are 0.
template <class T, int D>
__global__ void tensor_combine(const AttentionForward p, const Work work, const float* parts, const float* log_sums,
                               const Strided<void> to) {
  const CutRows cut = work.cuts[blockIdx.x];
  const int64_t b = cut.head / p.heads, h = cut.head % p.heads;
  for (int i = threadIdx.x; i < work.rows * D / 2; i += blockDim.x) {
    const int r = i / (D / 2), d = i % (D / 2) * 2;
    const int64_t row = static_cast<int64_t>(cut.tile) * work.rows + r;
    if (row >= p.n) continue;
    const bool real = row < p.lengths[b];
    const int64_t first = static_cast<int64_t>(cut.slot) * work.rows + r;
    float high = -INFINITY, total = 0, sum[2] = {0, 0};
    if (log_sums) {
      for (int part = 0; part < cut.parts; ++part) high = fmaxf(high, log_sums[first + part * work.rows]);
    }
    for (int part = 0; part < cut.parts && real; ++part) {
      const int64_t at = first + part * work.rows;
      const float weight = !log_sums ? 1 : high == -INFINITY ? 0 : exp2_fast((log_sums[at] - high) * kLog2e);
      total += weight;
      sum[0] = fmaf(weight, parts[at * D + d], sum[0]);
      sum[1] = fmaf(weight, parts[at * D + d + 1], sum[1]);
    }
    const float factor = log_sums && total > 0 ? 1 / total : 1;
    auto* out = static_cast<uint16_t*>(to.data) + b * to.batch_stride + h * to.head_stride + row * to.row_stride + d;
    *reinterpret_cast<uint32_t*>(out) = pack<T>(sum[0] * factor, sum[1] * factor);
    if (log_sums && p.log_sum_exp && d == 0) p.log_sum_exp[cut.head * p.n + row] = real ? high + logf(total) : 0;
  }
}

/// The launches of a pass: launch(kernel, thread blocks, threads of one, bytes of shared memory, arguments ...) gives 0
/// or an error.
template <class T, int D, Unit kUnit, class Launch>
int tensor_forward_pass(const AttentionForward& p, const Work& rows, float* parts, Launch launch) {
  const uint32_t bytes = Plan<D, kForwardTile>::bytes(1, rows.rows);
  if (const int error = launch(tensor_forward<T, D, kUnit>, rows.item_count, rows.rows * 2, bytes, p, rows, parts))
    return error;
  if (rows.cut_count == 0) return 0;
  return launch(tensor_combine<T, D>, rows.cut_count, 128, 0u, p, rows, parts, parts + rows.slots * rows.rows * D,
                p.out);
}
template <class T, int D, Unit kUnit, class Launch>
int tensor_backward_pass(const AttentionBackward& b, const Work& rows, const Work& columns, float* dots, float* parts,
                         Launch launch) {
  const AttentionForward& p = b.forward;
  const float* none = nullptr;
  const uint32_t bytes = Plan<D, kBackwardTile<D>>::bytes(2, rows.rows);
  if (const int error =
          launch(tensor_queries<T, D, kUnit>, rows.item_count, rows.rows * 2, bytes, b, rows, dots, parts))
    return error;
  if (rows.cut_count > 0)
    if (const int error = launch(tensor_combine<T, D>, rows.cut_count, 128, 0u, p, rows, parts, none, b.grad_q))
      return error;
  if (const int error =
          launch(tensor_keys<T, D, kUnit>, columns.item_count, columns.rows * 2, bytes, b, columns, dots, parts))
    return error;
  if (columns.cut_count == 0) return 0;
  const float* values = parts + columns.slots * columns.rows * D;
  if (const int error = launch(tensor_combine<T, D>, columns.cut_count, 128, 0u, p, columns, parts, none, b.grad_k))
    return error;
  return launch(tensor_combine<T, D>, columns.cut_count, 128, 0u, p, columns, values, none, b.grad_v);
}

/// pass(T(), unit) with p's type and std::integral_constant<Unit, ...>.
template <class Pass>
int by_type_and_unit(const AttentionForward& p, bool warpgroups, Pass pass) {
  const auto by_unit = [&](auto type) {
    return warpgroups ? pass(type, std::integral_constant<Unit, Unit::warpgroup>())
                      : pass(type, std::integral_constant<Unit, Unit::warp>());
  };
  return p.precision == Precision::bf16 ? by_unit(__nv_bfloat16()) : by_unit(__half());
}

}  // namespace
}  // namespace bigdna::kernels
