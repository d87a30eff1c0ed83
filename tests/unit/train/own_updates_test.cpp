/// How the optimiser treats the parameters that attentions add (model_folder::Update).
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "train/optimiser.h"

namespace bigdna::train {
namespace {

const std::string kCentroids = "bert.encoder.layer.1.bigdna.routing.centroids",
                  kSpan = "bert.encoder.layer.1.bigdna.span.span", kOffset = "model.layers.1.bigdna.span.offset",
                  kDirection = "model.layers.1.bigdna.span.direction";

model::Parameters with_gradient(const std::string& name, const at::Tensor& value, const at::Tensor& gradient) {
  model::Parameters parameters{{name, value.clone().requires_grad_(true)}};
  parameters.at(name).mutable_grad() = gradient;
  return parameters;
}

TEST(OwnUpdates, CentroidsAreMovingAveragesOfLengthOne) {
  const auto parameters =
      with_gradient(kCentroids, at::tensor({0.6F, 0.8F}).view({1, 1, 2}), at::tensor({0.1F, -0.2F}).view({1, 1, 2}));
  AdamW optimiser(parameters);
  EXPECT_EQ(gradient_norm(parameters), 0);  // which so does not clip the others
  optimiser.update(parameters, 0.5, {}, 1000);
  const at::Tensor moved = at::tensor({0.5F, 1.0F}), expected = moved / at::linalg_vector_norm(moved);
  EXPECT_LT((parameters.at(kCentroids).flatten() - expected).abs().max().item<double>(), 1e-6);
}

TEST(OwnUpdates, SpansStayBetweenZeroAndOneAndDoNotDecay) {
  for (const double sign : {1.0, -1.0}) {
    const auto parameters = with_gradient(kSpan, at::full({2}, 0.5), at::full({2}, sign));
    AdamW optimiser(parameters);
    optimiser.update(parameters, 10, {}, 0);  // AdamW's first step is the rate
    EXPECT_EQ(parameters.at(kSpan).max().item<double>(), sign > 0 ? 0 : 1);
    EXPECT_EQ(parameters.at(kSpan).min().item<double>(), sign > 0 ? 0 : 1);
  }
  EXPECT_FALSE(decays(kSpan));
  EXPECT_FALSE(decays(kOffset));
  EXPECT_TRUE(decays(kDirection));
}

}  // namespace
}  // namespace bigdna::train
