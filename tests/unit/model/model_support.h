/// What the model tests share.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "base/rng.h"
#include "corpus/example.h"
#include "model_folder/config.h"

namespace bigdna::model {

/// Standard normal numbers, the same for the same seed.
inline at::Tensor random_tensor(at::IntArrayRef shape, uint64_t seed) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  Rng rng(seed, 17);
  for (int64_t i = 0; i < tensor.numel(); ++i) tensor.mutable_data_ptr<float>()[i] = static_cast<float>(rng.normal());
  return tensor;
}

inline double max_difference(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }
inline double max_difference(const at::Tensor& a, double b) { return (a - b).abs().max().item<double>(); }

/// A model small enough for tests.
inline model_folder::ModelConfig small_config(
    int64_t block = 4, model_folder::Architecture architecture = model_folder::Architecture::bigbird) {
  model_folder::ModelConfig config;
  config.architecture = architecture;
  config.layers = 2, config.heads = 2, config.hidden = 16, config.ffn = 32;
  config.max_length = 128, config.vocab_size = 37;
  config.pattern.block = block;
  return config;
}

/// An example of `length` random tokens, with every sixth one predicted.
inline corpus::Example random_example(int64_t length, uint64_t seed, int64_t vocab_size = 37) {
  corpus::Example example;
  Rng rng(seed, 23);
  for (int64_t i = 0; i < length; ++i) {
    example.ids.push_back(static_cast<int32_t>(5 + rng.below(static_cast<uint64_t>(vocab_size) - 5)));
    example.token_types.push_back(i > length / 2);
    if (i % 6 == 1) {
      example.masked.push_back(static_cast<int32_t>(i));
      example.masked_labels.push_back(static_cast<int32_t>(5 + rng.below(static_cast<uint64_t>(vocab_size) - 5)));
    }
  }
  example.targets = {static_cast<float>(seed % 2)};
  return example;
}

}  // namespace bigdna::model
