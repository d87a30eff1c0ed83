/// Rotary positions (Su et al. 2021, RoPE): queries and keys are turned by angles that grow with their place, so that their products
/// depend on the distance between them.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace bigdna::model {

/// Cosines and sines [n, head size / 2], fp32, of places first .. first + n - 1. Pair f of a head, its numbers f and f + head size / 2,
/// turns by theta^(-2f / head size) from one place to the next.
struct Rotation {
  at::Tensor cosine, sine;
};
Rotation make_rotation(int64_t first, int64_t n, int64_t head_size, double theta, const at::Device& device);

/// Queries, keys and values, [batch, n, heads, head size] each, of qkv [batch, n, 3, heads, head size]: the first two turned.
std::array<at::Tensor, 3> rotate(const at::Tensor& qkv, const Rotation& rotation);

}  // namespace bigdna::model
