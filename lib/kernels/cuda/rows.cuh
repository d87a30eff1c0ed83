// kernels/rows.h on the device: what lies between the encoder's matrix products, in one pass over memory each, forward
// and backward. A lane takes 8 neighbouring columns at a time (kernels/rows.h's columns must be whole 8s, its pointers
// aligned to 16 bytes). Sums over rows are made of strips, which are a function of the shape alone, and added up in
// order: the same inputs give the same bits.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/random.cuh"
#include "kernels/cuda/table.h"

namespace bigdna::kernels {
namespace {

constexpr int kRowWarps = 4;    // of a thread block
constexpr int kLaneColumns = 8;
constexpr int kWarpColumns = 32 * kLaneColumns;
constexpr int kSumGroups = 16;  // warps that share a column's strips in column_sums

/// 8 neighbours as memory has them.
template <class T>
struct Packed {
  uint4 words[sizeof(T) / 2];
  __device__ void load(const void* from, int64_t at) {
    const auto* source =
        reinterpret_cast<const uint4*>(static_cast<const char*>(from) + at * static_cast<int64_t>(sizeof(T)));
    BIGDNA_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(T) / 2); ++i) words[i] = source[i];
  }
  __device__ void get(float (&v)[8]) const {
    BIGDNA_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(T) / 2); ++i) {
      const uint32_t parts[4] = {words[i].x, words[i].y, words[i].z, words[i].w};
      BIGDNA_UNROLL
      for (int j = 0; j < 4; ++j) {
        if constexpr (sizeof(T) == 4) {
          v[i * 4 + j] = __uint_as_float(parts[j]);
        } else {
          const float2 pair = unpack<T>(parts[j]);
          v[j * 2] = pair.x, v[j * 2 + 1] = pair.y;
        }
      }
    }
  }
};
template <class T>
__device__ void load8(float (&v)[8], const void* from, int64_t at) {
  Packed<T> packed;
  packed.load(from, at);
  packed.get(v);
}
template <class T>
__device__ void store8(const float (&v)[8], void* to, int64_t at) {
  if constexpr (sizeof(T) == 4) {
    auto* words = reinterpret_cast<float4*>(static_cast<float*>(to) + at);
    words[0] = {v[0], v[1], v[2], v[3]}, words[1] = {v[4], v[5], v[6], v[7]};
  } else {
    *reinterpret_cast<uint4*>(static_cast<uint16_t*>(to) + at) = {pack<T>(v[0], v[1]), pack<T>(v[2], v[3]),
                                                                  pack<T>(v[4], v[5]), pack<T>(v[6], v[7])};
  }
}

/// Dropout of the 8 elements from `at`: model::dropout's mask.
struct ElementDropout {
  const uint64_t seed;
  const uint32_t threshold;
  __device__ explicit ElementDropout(const ResidualNorm& p) : seed(p.dropout_seed), threshold(threshold_of(p)) {}
  __device__ void apply(float (&v)[8], int64_t at) const {
    if (threshold == 0) return;
    const auto group = static_cast<uint64_t>(at) / 8;
    const DropoutWords words(seed, {{static_cast<uint32_t>(group), static_cast<uint32_t>(group >> 32), 0, 1}});
    const uint32_t kept = words.kept(threshold);
    const float factor = kept_factor(threshold);
    BIGDNA_UNROLL
    for (int e = 0; e < 8; ++e) v[e] = kept >> e & 1 ? v[e] * factor : 0;
  }
};

/// Adds up what the warps of a thread block have of `width` columns, and writes the first `columns` of them to `to`.
/// Shared memory: kRowWarps * width floats.
template <int K>
__device__ void store_column_sums(const float (&sums)[K][8], int width, float* to, int64_t columns) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();
  BIGDNA_UNROLL
  for (int i = 0; i < K; ++i)
    BIGDNA_UNROLL
    for (int e = 0; e < 8; ++e) {
      const int column = i * kWarpColumns + lane * kLaneColumns + e;
      if (column < width) *shared_at<float>(static_cast<uint32_t>((warp * width + column) * 4)) = sums[i][e];
    }
  __syncthreads();
  for (int column = threadIdx.x; column < width && column < columns; column += kRowWarps * 32) {
    float sum = 0;
    for (int w = 0; w < kRowWarps; ++w) sum += *shared_at<float>(static_cast<uint32_t>((w * width + column) * 4));
    to[column] = sum;
  }
}

/// A warp a row of at most K * 256 columns.
template <class T, int K>
__global__ void __launch_bounds__(kRowWarps * 32) residual_norm_forward(const ResidualNorm p) {
  const int lane = threadIdx.x % 32;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / 32, columns = p.shape.columns;
  if (row >= p.shape.rows) return;
  const ElementDropout dropout(p);
  float v[K][8] = {}, total = 0;
  BIGDNA_UNROLL
  for (int i = 0; i < K; ++i) {
    const int column = i * kWarpColumns + lane * kLaneColumns;
    if (column >= columns) continue;
    float bias[8], residual[8];
    load8<T>(v[i], p.x, row * columns + column);
    load8<float>(bias, p.bias, column);
    load8<T>(residual, p.residual, row * columns + column);
    BIGDNA_UNROLL
    for (int e = 0; e < 8; ++e) v[i][e] += bias[e];
    dropout.apply(v[i], row * columns + column);
    BIGDNA_UNROLL
    for (int e = 0; e < 8; ++e) total += v[i][e] += residual[e];
    if (p.sum) store8<T>(v[i], p.sum, row * columns + column);
  }
  const float share = 1 / static_cast<float>(columns), mean = warp_sum(total) * share;
  float squares = 0;
  BIGDNA_UNROLL
  for (int i = 0; i < K; ++i) {
    if (i * kWarpColumns + lane * kLaneColumns >= columns) continue;
    BIGDNA_UNROLL
    for (int e = 0; e < 8; ++e) squares = fmaf(v[i][e] - mean, v[i][e] - mean, squares);
  }
  const float scale = 1 / sqrtf(warp_sum(squares) * share + p.epsilon);
  if (p.sum && lane == 0) p.mean[row] = mean, p.scale[row] = scale;
  BIGDNA_UNROLL
  for (int i = 0; i < K; ++i) {
    const int column = i * kWarpColumns + lane * kLaneColumns;
    if (column >= columns) continue;
    float weight[8], shift[8];
    load8<float>(weight, p.weight, column);
    load8<float>(shift, p.shift, column);
    BIGDNA_UNROLL
    for (int e = 0; e < 8; ++e) v[i][e] = fmaf((v[i][e] - mean) * scale, weight[e], shift[e]);
    store8<T>(v[i], p.out, row * columns + column);
  }
}

/// A thread block a strip. `parts`: [strips][3][columns], sums of bias, weight and shift.
template <class T, int K>
__global__ void __launch_bounds__(kRowWarps * 32, sizeof(T) == 2 && K <= 3 ? 3 : 2)
    residual_norm_gradients(const ResidualNormBackward b, float* parts) {
  const ResidualNorm& p = b.forward;
  const int lane = threadIdx.x % 32;
  const int64_t columns = p.shape.columns, strip = (p.shape.rows + gridDim.x - 1) / gridDim.x;
  const int64_t first = blockIdx.x * strip, last = min(first + strip, p.shape.rows);
  const float share = 1 / static_cast<float>(columns);
  const ElementDropout dropout(p);
  float bias[K][8] = {}, weight[K][8] = {}, shift[K][8] = {};
  for (int64_t row = first + threadIdx.x / 32; row < last; row += kRowWarps) {
    const float mean = p.mean[row], scale = p.scale[row];
    Packed<T> sums[K] = {}, grads[K] = {};
    float total = 0, product = 0;  // of the gradient of x, the normalised row, and of that times x
    BIGDNA_UNROLL
    for (int i = 0; i < K; ++i) {
      const int column = i * kWarpColumns + lane * kLaneColumns;
      if (column >= columns) continue;
      float x[8], grad[8], by[8];
      sums[i].load(p.sum, row * columns + column);
      grads[i].load(b.grad_out, row * columns + column);
      sums[i].get(x);
      grads[i].get(grad);
      load8<float>(by, p.weight, column);
      BIGDNA_UNROLL
      for (int e = 0; e < 8; ++e) {
        x[e] = (x[e] - mean) * scale;
        weight[i][e] = fmaf(grad[e], x[e], weight[i][e]);
        shift[i][e] += grad[e];
        total = fmaf(grad[e], by[e], total);
        product = fmaf(grad[e] * by[e], x[e], product);
      }
    }
    const float mean_inner = warp_sum(total) * share, mean_product = warp_sum(product) * share;
    BIGDNA_UNROLL
    for (int i = 0; i < K; ++i) {
      const int column = i * kWarpColumns + lane * kLaneColumns;
      if (column >= columns) continue;
      float x[8], grad[8], by[8];
      sums[i].get(x);
      grads[i].get(grad);
      load8<float>(by, p.weight, column);
      BIGDNA_UNROLL
      for (int e = 0; e < 8; ++e)
        grad[e] = scale * (grad[e] * by[e] - mean_inner - (x[e] - mean) * scale * mean_product);
      store8<T>(grad, b.grad_residual, row * columns + column);
      if (dropout.threshold) {
        dropout.apply(grad, row * columns + column);
        store8<T>(grad, b.grad_x, row * columns + column);
      }
      BIGDNA_UNROLL
      for (int e = 0; e < 8; ++e) bias[i][e] += grad[e];
    }
  }
  float* to = parts + blockIdx.x * 3 * columns;
  const int width = static_cast<int>(columns);
  store_column_sums(bias, width, to, columns);
  store_column_sums(weight, width, to + columns, columns);
  store_column_sums(shift, width, to + 2 * columns, columns);
}

/// 1 / (1 + e^(-2 u)) with u = sqrt(2/pi) (x + 0.044715 x^3): gelu(x) = x times this. `square`: x^2.
__device__ float gelu_gate(float x, float square) {
  constexpr float kScale = static_cast<float>(-2 * 0.7978845608028654 * 1.4426950408889634);
  return 1 / (1 + exp2_fast(fminf(x * fmaf(square, kScale * 0.044715f, kScale), 100.0f)));
}

/// A thread 8 elements.
template <class T>
__global__ void __launch_bounds__(256)
    bias_gelu_forward(const Rows shape, const void* x, const float* bias, void* out) {
  const int64_t at = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kLaneColumns;
  if (at >= shape.rows * shape.columns) return;
  float v[8], by[8];
  load8<T>(v, x, at);
  load8<float>(by, bias, at % shape.columns);
  BIGDNA_UNROLL
  for (int e = 0; e < 8; ++e) {
    v[e] += by[e];
    v[e] *= gelu_gate(v[e], v[e] * v[e]);
  }
  store8<T>(v, out, at);
}

/// A thread block a strip of 256 columns. `parts`: [strips][columns], sums of bias.
template <class T>
__global__ void __launch_bounds__(kRowWarps * 32)
    bias_gelu_gradients(const Rows shape, int strips, const void* x, const float* bias, const void* grad_out,
                        void* grad_x, float* parts) {
  const int64_t columns = shape.columns, strip = (shape.rows + strips - 1) / strips;
  const int64_t begin = blockIdx.x / strips * static_cast<int64_t>(kWarpColumns),
                column = begin + threadIdx.x % 32 * kLaneColumns;
  const int64_t first = blockIdx.x % strips * strip, last = min(first + strip, shape.rows);
  float sums[1][8] = {}, by[8];
  if (column < columns) {
    load8<float>(by, bias, column);
    for (int64_t row = first + threadIdx.x / 32; row < last; row += kRowWarps) {
      float v[8], grad[8];
      load8<T>(v, x, row * columns + column);
      load8<T>(grad, grad_out, row * columns + column);
      BIGDNA_UNROLL
      for (int e = 0; e < 8; ++e) {
        const float value = v[e] + by[e], square = value * value, gate = gelu_gate(value, square);
        // gelu' = s + x s (1 - s) 2 sqrt(2/pi) (1 + 3 * 0.044715 x^2)
        constexpr float kSlope = 2 * 0.7978845608f;
        grad[e] *= fmaf(value * fmaf(square, kSlope * 3 * 0.044715f, kSlope), gate - gate * gate, gate);
        sums[0][e] += grad[e];
      }
      store8<T>(grad, grad_x, row * columns + column);
    }
  }
  store_column_sums(sums, kWarpColumns, parts + blockIdx.x % strips * columns + begin, columns - begin);
}

/// to[i / columns][i % columns] = sum over strips of parts[strip][i], i < width; 32 columns a thread block.
__global__ void column_sums(const float* parts, int strips, int width, int columns, float* to0, float* to1,
                            float* to2) {
  const int i = static_cast<int>(blockIdx.x) * 32 + threadIdx.x % 32, group = threadIdx.x / 32;
  float sum = 0;
  if (i < width)
    for (int strip = group; strip < strips; strip += kSumGroups) sum += parts[static_cast<int64_t>(strip) * width + i];
  *shared_at<float>(threadIdx.x * 4) = sum;
  __syncthreads();
  if (group != 0 || i >= width) return;
  for (int g = 1; g < kSumGroups; ++g) sum += *shared_at<float>((g * 32 + threadIdx.x) * 4);
  float* const to = i < columns ? to0 : i < 2 * columns ? to1 : to2;
  to[i % columns] = sum;
}

/// The launches of each function of kernels/rows.h, as tensor.cuh's passes; `parts`: row_parts() floats.
template <class Launch>
int add_up(const Rows& shape, int sums, const float* parts, float* to0, float* to1, float* to2, Launch launch) {
  const auto columns = static_cast<int>(shape.columns);
  return launch(column_sums, (sums * columns + 31) / 32, kSumGroups * 32, kSumGroups * 32 * 4u, parts,
                row_strips(shape), sums * columns, columns, to0, to1, to2);
}
template <class T, int K, class Launch>
int residual_norm_pass(const ResidualNorm& p, Launch launch) {
  return launch(residual_norm_forward<T, K>, (p.shape.rows + kRowWarps - 1) / kRowWarps, kRowWarps * 32, 0u, p);
}
template <class T, int K, class Launch>
int residual_norm_backward_pass(const ResidualNormBackward& b, float* parts, Launch launch) {
  const Rows& shape = b.forward.shape;
  const auto bytes = static_cast<uint32_t>(kRowWarps * shape.columns * 4);
  if (const int error = launch(residual_norm_gradients<T, K>, row_strips(shape), kRowWarps * 32, bytes, b, parts))
    return error;
  return add_up(shape, 3, parts, b.grad_bias, b.grad_weight, b.grad_shift, launch);
}
template <class T, class Launch>
int bias_gelu_pass(const Rows& shape, const void* x, const float* bias, void* out, Launch launch) {
  const int64_t threads = shape.rows * shape.columns / kLaneColumns;
  return launch(bias_gelu_forward<T>, (threads + 255) / 256, 256, 0u, shape, x, bias, out);
}
template <class T, class Launch>
int bias_gelu_backward_pass(const Rows& shape, const void* x, const float* bias, const void* grad_out, void* grad_x,
                            float* grad_bias, float* parts, Launch launch) {
  const int strips = row_strips(shape);
  const int64_t groups = (shape.columns + kWarpColumns - 1) / kWarpColumns;
  if (const int error = launch(bias_gelu_gradients<T>, groups * strips, kRowWarps * 32, kRowWarps * kWarpColumns * 4u,
                               shape, strips, x, bias, grad_out, grad_x, parts))
    return error;
  float* const none = nullptr;
  return add_up(shape, 1, parts, grad_bias, none, none, launch);
}

/// pass(T(), std::integral_constant<int, K>()) with the type of the activations and the least K that holds the columns.
template <class Pass>
int by_type_and_columns(const Rows& shape, Pass pass) {
  return by_type(shape.precision, [&](auto type) {
    if (shape.columns <= kWarpColumns) return pass(type, std::integral_constant<int, 1>());
    if (shape.columns <= 2 * kWarpColumns) return pass(type, std::integral_constant<int, 2>());
    return shape.columns <= 3 * kWarpColumns ? pass(type, std::integral_constant<int, 3>())
                                             : pass(type, std::integral_constant<int, 4>());
  });
}

}  // namespace
}  // namespace bigdna::kernels
