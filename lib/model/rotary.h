/// Rotary positions (RoPE, Su et al. 2021): queries and keys are rotated by angles proportional to their positions, so
/// that their products depend on the distance between them.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace bigdna::model {

/// Cosines and sines [n, head size / 2], fp32, for positions first .. first + n - 1. Pair f of a head, its numbers f
/// and f + head size / 2, is rotated by theta^(-2f / head size) more from one position to the next.
struct Rotation {
  at::Tensor cosine, sine;
};
Rotation make_rotation(int64_t first, int64_t n, int64_t head_size, double theta, const at::Device& device);

/// Splits qkv [batch, n, 3, heads, head size] into queries, keys and values, each [batch, n, heads, head size], and
/// rotates the first two. qkv is consumed (it must come fresh from a matrix product): the parts may overwrite it.
std::array<at::Tensor, 3> rotate(const at::Tensor& qkv, const Rotation& rotation);

}  // namespace bigdna::model
