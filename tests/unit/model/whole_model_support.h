/// What must hold for a model with any attention and any stack.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/encoder.h"
#include "model_folder/own_parameter.h"
#include "model_support.h"
#include "support.h"

namespace bigdna::model {

/// Weights and configuration are what they were after they have been written and read, and so are the weights that a
/// row adds where the encoder alone is read.
inline void expect_saves_and_loads(const model_folder::ModelConfig& config) {
  const auto json = model_folder::to_json(config);
  EXPECT_EQ(model_folder::from_json(nlohmann::json::parse(json.dump()), "config.json"), config);
  const test::TempDir folder;
  const auto parameters = initialise(config, 5);
  const std::string path = folder.path() + "/model.safetensors";
  save_weights(parameters, path);
  const auto loaded = load_weights(config, path);
  ASSERT_EQ(loaded.size(), parameters.size());
  for (const auto& [name, value] : parameters) EXPECT_TRUE(value.equal(loaded.at(name))) << name;
  const auto encoder = load_encoder(config, path, 6, model_folder::Heads::ignored);
  for (const auto& [name, value] : parameters)
    if (model_folder::own_parameter(name)) {
      EXPECT_TRUE(value.equal(encoder.at(name))) << name;
    }
}

/// States in bf16 are near those in single precision.
inline void expect_near_in_bf16(const model_folder::ModelConfig& config) {
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
  const at::Tensor half = encode(config, parameters, batch, {.compute = at::kBFloat16}).narrow(1, 0, 60),
                   full = encode(config, parameters, batch, {}).narrow(1, 0, 60);
  EXPECT_LT((half - full).abs().mean().item<double>(), 0.02);
}

/// Recomputed layers give the same bits, and every weight that a row adds has a gradient.
inline void expect_same_gradients_of_all(const model_folder::ModelConfig& config, const Parameters& kept,
                                         const Parameters& again) {
  ASSERT_EQ(kept.size(), again.size());
  for (const auto& [name, gradient] : kept) EXPECT_TRUE(gradient.equal(again.at(name))) << name;
  for (const auto& [name, shape] : model_folder::parameter_shapes(config))
    if (model_folder::own_parameter(name)) {
      ASSERT_TRUE(kept.contains(name)) << name;
      EXPECT_GT(max_difference(kept.at(name), 0), 0) << name;
    }
}

}  // namespace bigdna::model
