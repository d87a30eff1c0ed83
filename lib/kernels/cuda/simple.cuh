// Block-sparse attention on a GPU for what the tensor-core kernels (tensor.cuh) do not support: fp32, other block and
// head sizes. One warp owns a few query rows (key rows in the backward's first pass) and walks over tiles of 32 keys
// (queries) in shared memory: a lane scores one key, then the lanes share out the head's dimensions. Online softmax;
// no atomics, so results repeat.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/random.cuh"
#include "kernels/cuda/table.h"

namespace bigdna::kernels {
namespace {

constexpr int kWarps = 8, kRowsPerWarp = 4, kRows = kWarps * kRowsPerWarp;  // rows of a thread block
constexpr int kTile = 32;                                                   // keys of a tile: one a lane
constexpr int kParts = kCudaHeadSize / 32;                                  // dimensions of a lane

/// Where this thread block works: a grid of x alone (y and z end at 65535), head by head in as many pieces each.
struct Head {
  const AttentionForward& p;
  int64_t pieces, head, piece, b, h, length;
  const LayoutView& layout;
  __device__ explicit Head(const AttentionForward& p_)
      : p(p_),
        pieces(gridDim.x / (p.batch * p.heads)),
        head(blockIdx.x / pieces),
        piece(blockIdx.x % pieces),
        b(head / p.heads),
        h(head % p.heads),
        length(p.lengths[b]),
        layout(p.layouts[head]) {}
  __device__ int64_t offset(int64_t batch_stride, int64_t head_stride) const {
    return b * batch_stride + h * head_stride;
  }
};

template <class T, class Data>
__device__ float read(const Head& head, const Strided<Data>& x, int64_t row, int64_t d) {
  const int64_t i = head.offset(x.batch_stride, x.head_stride) + row * x.row_stride + d;
  return static_cast<float>(static_cast<const T*>(x.data)[i]);
}
template <class T>
__device__ void write(const Head& head, const Strided<void>& x, int64_t row, int64_t d, float value) {
  static_cast<T*>(x.data)[head.offset(x.batch_stride, x.head_stride) + row * x.row_stride + d] =
      static_cast<T>(value);
}

__device__ float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(kWholeWarp, x, step));
  return x;
}

/// Rows [first, first + count) of x to shared memory, `stride` floats apart; rows at or past `end` are 0.
template <class T>
__device__ void stage(const Head& head, const Strided<const void>& x, int64_t first, int64_t end, int count,
                      float* to, int stride) {
  const int size = static_cast<int>(head.p.head_size);
  for (int i = threadIdx.x; i < count * size; i += blockDim.x) {
    const int row = i / size, d = i % size;
    to[row * stride + d] = first + row < end ? read<T>(head, x, first + row, d) : 0;
  }
}

__device__ float dot(const float* a, const float* b, int size) {
  float sum = 0;
  for (int d = 0; d < size; ++d) sum = fmaf(a[d], b[d], sum);
  return sum;
}

/// The rows of this thread block: kRows of one block of the layout.
struct OwnRows {
  int64_t block, first, end;  // end: of the real ones
  __device__ explicit OwnRows(const Head& head) {
    const int64_t pieces = (head.p.block + kRows - 1) / kRows;
    block = head.piece / pieces;
    first = block * head.p.block + head.piece % pieces * kRows;
    end = min(min(first + kRows, (block + 1) * head.p.block), head.length);
  }
};

template <class T>
__global__ void forward_kernel(const AttentionForward p) {
  float* shared = shared_at<float>(0);
  const Head head(p);
  const OwnRows rows(head);
  const int size = static_cast<int>(p.head_size), stride = size + 1, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32;
  float *queries = shared, *keys = queries + kRows * stride, *values = keys + kTile * stride;
  stage<T>(head, p.q, rows.first, rows.end, kRows, queries, stride);
  float maximum[kRowsPerWarp], normaliser[kRowsPerWarp], sum[kRowsPerWarp][kParts];
  BIGDNA_UNROLL
  for (int r = 0; r < kRowsPerWarp; ++r) {
    maximum[r] = -INFINITY, normaliser[r] = 0;
    for (int part = 0; part < kParts; ++part) sum[r][part] = 0;
  }
  const uint32_t threshold = threshold_of(p);
  const bool any = rows.block < head.layout.blocks && rows.first < rows.end;
  const int32_t begin = any ? head.layout.row_starts[rows.block] : 0,
                end = any ? head.layout.row_starts[rows.block + 1] : 0;
  for (int32_t e = begin; e < end; ++e) {
    const int64_t block_end = min((head.layout.columns[e] + int64_t{1}) * p.block, head.length);
    for (int64_t first = head.layout.columns[e] * p.block; first < block_end; first += kTile) {
      __syncthreads();
      stage<T>(head, p.k, first, block_end, kTile, keys, stride);
      stage<T>(head, p.v, first, block_end, kTile, values, stride);
      __syncthreads();
      BIGDNA_UNROLL
      for (int r = 0; r < kRowsPerWarp; ++r) {
        const int row = warp * kRowsPerWarp + r;
        const bool real = first + lane < block_end;
        const float score =
            real ? p.scale * dot(queries + row * stride, keys + lane * stride, size) : -INFINITY;
        const float high = fmaxf(maximum[r], warp_max(score)), shrink = __expf(maximum[r] - high);
        float weight = real ? __expf(score - high) : 0;
        normaliser[r] = normaliser[r] * shrink + warp_sum(weight);
        maximum[r] = high;
        if (threshold && !keeps(p.dropout_seed, head.head, rows.first + row, first + lane, threshold))
          weight = 0;
        for (int part = 0; part < kParts; ++part) sum[r][part] *= shrink;
        for (int j = 0; j < kTile; ++j) {
          const float w = __shfl_sync(kWholeWarp, weight, j);
          for (int part = 0; part < kParts; ++part)
            if (const int d = part * 32 + lane; d < size)
              sum[r][part] = fmaf(w, values[j * stride + d], sum[r][part]);
        }
      }
    }
  }
  const float keep = kept_factor(threshold);
  const int64_t last = min(min(rows.first + kRows, (rows.block + 1) * p.block), p.n);
  BIGDNA_UNROLL
  for (int r = 0; r < kRowsPerWarp; ++r) {
    const int64_t row = rows.first + warp * kRowsPerWarp + r;
    if (row >= last) continue;
    const float factor = row < rows.end && normaliser[r] > 0 ? keep / normaliser[r] : 0;
    for (int part = 0; part < kParts; ++part)
      if (const int d = part * 32 + lane; d < size) write<T>(head, p.out, row, d, factor * sum[r][part]);
    if (p.log_sum_exp && lane == 0)
      p.log_sum_exp[head.head * p.n + row] = row < rows.end ? maximum[r] + logf(normaliser[r]) : 0;
  }
}

/// dots = grad_out . out of every real row.
template <class T>
__global__ void dots_kernel(const AttentionBackward b, float* dots) {
  const Head head(b.forward);
  const int64_t row = head.piece * kWarps + threadIdx.x / 32;
  if (row >= head.length) return;
  float sum = 0;
  for (int64_t d = threadIdx.x % 32; d < b.forward.head_size; d += 32)
    sum = fmaf(read<T>(head, b.grad_out, row, d), read<T>(head, b.forward.out, row, d), sum);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) dots[head.head * b.forward.n + row] = sum;
}

/// What one pair of query and key gives: the weight grad_v takes, and the gradient of the score times scale.
struct Pair {
  float weight, delta;
};
__device__ Pair weigh(const Head& head, float score, float gradient, float log_sum_exp, float dots,
                      int64_t query, int64_t key, uint32_t threshold) {
  const float weight = __expf(score * head.p.scale - log_sum_exp);
  const bool kept = !threshold || keeps(head.p.dropout_seed, head.head, query, key, threshold);
  const float keep = kept ? kept_factor(threshold) : 0;
  return {weight * keep, weight * (gradient * keep - dots) * head.p.scale};
}

/// grad_k and grad_v: the rows are keys, the tiles queries of the transposed layout.
template <class T>
__global__ void keys_kernel(const AttentionBackward b, const float* dots) {
  float* shared = shared_at<float>(0);
  const AttentionForward& p = b.forward;
  const Head head(p);
  const OwnRows rows(head);
  const int size = static_cast<int>(p.head_size), stride = size + 1, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32;
  float *keys = shared, *values = keys + kRows * stride, *queries = values + kRows * stride,
        *gradients = queries + kTile * stride;
  stage<T>(head, p.k, rows.first, rows.end, kRows, keys, stride);
  stage<T>(head, p.v, rows.first, rows.end, kRows, values, stride);
  float sum_k[kRowsPerWarp][kParts] = {}, sum_v[kRowsPerWarp][kParts] = {};
  const uint32_t threshold = threshold_of(p);
  const bool any = rows.block < head.layout.blocks && rows.first < rows.end;
  const int32_t begin = any ? head.layout.column_starts[rows.block] : 0,
                end = any ? head.layout.column_starts[rows.block + 1] : 0;
  for (int32_t e = begin; e < end; ++e) {
    const int64_t block_end = min((head.layout.rows[e] + int64_t{1}) * p.block, head.length);
    for (int64_t first = head.layout.rows[e] * p.block; first < block_end; first += kTile) {
      __syncthreads();
      stage<T>(head, p.q, first, block_end, kTile, queries, stride);
      stage<T>(head, b.grad_out, first, block_end, kTile, gradients, stride);
      __syncthreads();
      const int64_t query = first + lane;
      const bool real = query < block_end;
      const float lse = real ? p.log_sum_exp[head.head * p.n + query] : 0,
                  dots_q = real ? dots[head.head * p.n + query] : 0;
      BIGDNA_UNROLL
      for (int r = 0; r < kRowsPerWarp; ++r) {
        const int row = warp * kRowsPerWarp + r;
        Pair pair{0, 0};
        if (real)
          pair = weigh(head, dot(keys + row * stride, queries + lane * stride, size),
                       dot(values + row * stride, gradients + lane * stride, size), lse, dots_q, query,
                       rows.first + row, threshold);
        for (int j = 0; j < kTile; ++j) {
          const float weight = __shfl_sync(kWholeWarp, pair.weight, j), delta = __shfl_sync(kWholeWarp, pair.delta, j);
          for (int part = 0; part < kParts; ++part)
            if (const int d = part * 32 + lane; d < size) {
              sum_v[r][part] = fmaf(weight, gradients[j * stride + d], sum_v[r][part]);
              sum_k[r][part] = fmaf(delta, queries[j * stride + d], sum_k[r][part]);
            }
        }
      }
    }
  }
  const int64_t last = min(min(rows.first + kRows, (rows.block + 1) * p.block), p.n);
  BIGDNA_UNROLL
  for (int r = 0; r < kRowsPerWarp; ++r) {
    const int64_t row = rows.first + warp * kRowsPerWarp + r;
    for (int part = 0; part < kParts && row < last; ++part)
      if (const int d = part * 32 + lane; d < size) {
        write<T>(head, b.grad_k, row, d, row < rows.end ? sum_k[r][part] : 0);
        write<T>(head, b.grad_v, row, d, row < rows.end ? sum_v[r][part] : 0);
      }
  }
}

/// grad_q: the rows are queries, the tiles keys.
template <class T>
__global__ void queries_kernel(const AttentionBackward b, const float* dots) {
  float* shared = shared_at<float>(0);
  const AttentionForward& p = b.forward;
  const Head head(p);
  const OwnRows rows(head);
  const int size = static_cast<int>(p.head_size), stride = size + 1, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32;
  float *queries = shared, *gradients = queries + kRows * stride, *keys = gradients + kRows * stride,
        *values = keys + kTile * stride;
  stage<T>(head, p.q, rows.first, rows.end, kRows, queries, stride);
  stage<T>(head, b.grad_out, rows.first, rows.end, kRows, gradients, stride);
  float sum[kRowsPerWarp][kParts] = {};
  const uint32_t threshold = threshold_of(p);
  const bool any = rows.block < head.layout.blocks && rows.first < rows.end;
  const int32_t begin = any ? head.layout.row_starts[rows.block] : 0,
                end = any ? head.layout.row_starts[rows.block + 1] : 0;
  for (int32_t e = begin; e < end; ++e) {
    const int64_t block_end = min((head.layout.columns[e] + int64_t{1}) * p.block, head.length);
    for (int64_t first = head.layout.columns[e] * p.block; first < block_end; first += kTile) {
      __syncthreads();
      stage<T>(head, p.k, first, block_end, kTile, keys, stride);
      stage<T>(head, p.v, first, block_end, kTile, values, stride);
      __syncthreads();
      BIGDNA_UNROLL
      for (int r = 0; r < kRowsPerWarp; ++r) {
        const int row = warp * kRowsPerWarp + r;
        const int64_t query = rows.first + row;
        Pair pair{0, 0};
        if (query < rows.end && first + lane < block_end)
          pair = weigh(head, dot(queries + row * stride, keys + lane * stride, size),
                       dot(gradients + row * stride, values + lane * stride, size),
                       p.log_sum_exp[head.head * p.n + query], dots[head.head * p.n + query], query,
                       first + lane, threshold);
        for (int j = 0; j < kTile; ++j) {
          const float delta = __shfl_sync(kWholeWarp, pair.delta, j);
          for (int part = 0; part < kParts; ++part)
            if (const int d = part * 32 + lane; d < size)
              sum[r][part] = fmaf(delta, keys[j * stride + d], sum[r][part]);
        }
      }
    }
  }
  const int64_t last = min(min(rows.first + kRows, (rows.block + 1) * p.block), p.n);
  BIGDNA_UNROLL
  for (int r = 0; r < kRowsPerWarp; ++r) {
    const int64_t row = rows.first + warp * kRowsPerWarp + r;
    for (int part = 0; part < kParts && row < last; ++part)
      if (const int d = part * 32 + lane; d < size)
        write<T>(head, b.grad_q, row, d, row < rows.end ? sum[r][part] : 0);
  }
}

}  // namespace
}  // namespace bigdna::kernels
