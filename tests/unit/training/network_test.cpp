// Networks on bases against their definition in PyTorch's terms: Conv1d, MaxPool1d, LayerNorm over channels, GELU.
#include "model/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool1d.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/rng.h"
#include "support.h"

namespace bigdna::model {
namespace {

model_folder::NetworkConfig small_config() {
  model_folder::NetworkConfig config;
  config.stages = {{6, 5, 2}, {9, 3, 5}};
  config.dilations = {1, 2};
  config.window = 160;
  config.labels = 3;
  config.dropout = 0;
  return config;
}

at::Tensor random_codes(int64_t size, int64_t length, uint64_t seed) {
  Rng rng(seed);
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < size * length; ++i) codes.push_back(static_cast<int64_t>(rng.below(20) ? rng.below(4) : 4));
  return at::tensor(codes).view({size, length});
}

/// Weights large enough that every part matters.
Parameters random_parameters(const model_folder::NetworkConfig& config) {
  auto parameters = initialise(config, 1);
  uint64_t seed = 2;
  for (auto& [name, value] : parameters) {
    Rng rng(++seed);
    auto* data = value.mutable_data_ptr<float>();
    for (int64_t i = 0; i < value.numel(); ++i) data[i] += static_cast<float>(rng.normal() * 0.3);
  }
  return parameters;
}

/// [batch, channels, positions] throughout, in double.
at::Tensor by_definition(const model_folder::NetworkConfig& config, const Parameters& parameters,
                         const std::string& prefix, const at::Tensor& codes) {
  const auto own = [&](const std::string& name) { return parameters.at(prefix + name).to(at::kDouble); };
  const auto normed = [&](const std::string& name, const at::Tensor& x) {
    const at::Tensor rows = x.transpose(1, 2);
    return at::gelu(at::layer_norm(rows, {rows.size(2)}, own(name + ".weight"), own(name + ".bias"), 1e-5), "tanh")
        .transpose(1, 2);
  };
  at::Tensor x = at::one_hot(codes, 5).narrow(2, 0, 4).to(at::kDouble).transpose(1, 2);
  for (size_t i = 0; i < config.stages.size(); ++i) {
    const std::string name = concat("stages.", i);
    const auto& stage = config.stages[i];
    x = at::conv1d(x, own(name + ".weight"), own(name + ".bias"), 1, stage.width / 2);
    x = at::gelu(
        at::max_pool1d(x, stage.pool) * own(name + ".norm.weight").unsqueeze(1) + own(name + ".norm.bias").unsqueeze(1),
        "tanh");
  }
  for (size_t i = 0; i < config.dilations.size(); ++i) {
    const std::string name = concat("tower.", i, ".");
    const int64_t dilation = config.dilations[i];
    const at::Tensor inner = at::gelu(at::conv1d(normed(name + "norm", x), own(name + "dilated.weight"),
                                                 own(name + "dilated.bias"), 1, dilation, dilation),
                                      "tanh");
    x = x + at::linear(inner.transpose(1, 2), own(name + "output.weight"), own(name + "output.bias")).transpose(1, 2);
  }
  return at::linear(normed("norm", x).transpose(1, 2), own("head.weight"), own("head.bias"));
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

TEST(ProfileNetwork, EqualsItsDefinition) {
  const auto config = small_config();
  const auto parameters = random_parameters(config);
  const auto codes = random_codes(2, 160, 1);
  const auto expected = by_definition(config, parameters, "networks.0.", codes);
  const auto logits = network_logits(config, parameters, 0, codes, {});
  ASSERT_EQ(logits.sizes(), (at::IntArrayRef{2, 16, 3}));
  EXPECT_LT(largest_difference(logits, expected), 2e-5);
  ForwardOptions half;
  half.compute = at::kBFloat16;
  EXPECT_LT(largest_difference(network_logits(config, parameters, 0, codes, half), expected), 0.15);
}

TEST(ProfileNetwork, PooledItReadsTheLargestAndTheMeanState) {
  auto config = small_config();
  config.pooled = true;
  EXPECT_EQ(config.context(), config.window);
  auto parameters = random_parameters(config);
  const auto codes = random_codes(2, 160, 1);
  // With a head that picks one number each, the answers are the means and maxima of the bins' own normed states.
  const int64_t hidden = config.hidden();
  auto bins = config;
  bins.pooled = false;
  auto states = parameters;
  at::Tensor pick = parameters.at("networks.0.head.weight");
  ASSERT_EQ(pick.sizes(), (at::IntArrayRef{3, 2 * hidden}));
  pick.zero_();
  pick[0][4] = 1, pick[1][hidden + 4] = 1, pick[2][hidden + 7] = 2;
  states.at("networks.0.head.weight") = at::zeros({3, hidden});
  states.at("networks.0.head.weight")[0][4] = 1;
  states.at("networks.0.head.weight")[2][7] = 1;
  parameters.at("networks.0.head.bias").zero_();
  states.at("networks.0.head.bias") = at::zeros({3});
  const auto of_bins = network_logits(bins, states, 0, codes, {}),
             pooled = network_logits(config, parameters, 0, codes, {});
  ASSERT_EQ(pooled.sizes(), (at::IntArrayRef{2, 1, 3}));
  EXPECT_LT(largest_difference(pooled.select(2, 0).select(1, 0), of_bins.select(2, 0).amax(1)), 1e-6);
  EXPECT_LT(largest_difference(pooled.select(2, 1).select(1, 0), of_bins.select(2, 0).mean(1)), 1e-6);
  EXPECT_LT(largest_difference(pooled.select(2, 2).select(1, 0), 2 * of_bins.select(2, 2).mean(1)), 1e-6);
  // What a changed stretch gives is what the whole changed sequence gives.
  const auto changed = random_codes(2, 160, 2);
  const auto tower =
      tower_states(config, parameters, 0, bin_states(config, parameters, 0, codes.narrow(0, 0, 1), {}), {});
  const auto other = bin_states(config, parameters, 0, changed.narrow(0, 0, 1), {});
  EXPECT_LT(largest_difference(altered_logits(config, parameters, 0, tower, other, 0, 0, {}),
                               network_logits(config, parameters, 0, changed.narrow(0, 0, 1), {}).select(1, 0)),
            1e-5);
}

// PMA by its equation, over the normed states that the head of a network of bins reads.
TEST(ProfileNetwork, SeedsReadStatesInAnyOrder) {
  auto config = small_config();
  config.stages = {{6, 5, 2}, {8, 3, 5}};
  config.pooled = true, config.seeds = 3, config.heads = 2;
  model_folder::check(config);
  EXPECT_EQ(model_folder::network_config_from_json(model_folder::to_json(config), "config.json"), config);
  const auto parameters = random_parameters(config);
  const auto own = [&](const std::string& name) { return parameters.at("networks.0." + name).to(at::kDouble); };
  const auto linear = [&](const std::string& name, const at::Tensor& x) {
    return at::linear(x, own("pool." + name + ".weight"), own("pool." + name + ".bias"));
  };
  const auto normed = [&](const std::string& name, const at::Tensor& x) {
    return at::layer_norm(x, {x.size(1)}, own("pool." + name + ".weight"), own("pool." + name + ".bias"));
  };
  const at::Tensor states = at::linspace(-2, 2, 2 * 16 * 8).sin().view({2, 16, 8}).to(at::kFloat);
  const at::Tensor x =
      at::gelu(at::layer_norm(states.to(at::kDouble), {8}, own("norm.weight"), own("norm.bias")), "tanh");
  const at::Tensor logits = logits_of_tower(config, parameters, 0, states, {});
  ASSERT_EQ(logits.sizes(), (at::IntArrayRef{2, 1, 3}));
  for (int64_t row = 0; row < 2; ++row) {
    const at::Tensor z = at::relu(linear("states", x[row])), seeds = own("pool.seeds"), q = linear("query", seeds),
                     k = linear("key", z), v = linear("value", z);
    std::vector<at::Tensor> heads;
    for (int64_t head = 0; head < 2; ++head) {
      const auto of_head = [&](const at::Tensor& y) { return y.narrow(1, 4 * head, 4); };
      heads.push_back(at::matmul(at::softmax(at::matmul(of_head(q), of_head(k).t()) / 2.0, 1), of_head(v)));
    }
    const at::Tensor read = normed("norm", seeds + linear("output", at::cat(heads, 1)));
    const at::Tensor pooled = normed("last_norm", read + at::relu(linear("rows", read)));
    const at::Tensor expected = at::linear(pooled.view({1, 24}), own("head.weight"), own("head.bias"));
    EXPECT_LT(largest_difference(logits[row], expected), 1e-4);
  }
  EXPECT_LT(largest_difference(logits, logits_of_tower(config, parameters, 0, states.flip(1), {})), 1e-5);
}

TEST(ProfileNetwork, GradientsEqualThoseOfTheDefinition) {
  const auto config = small_config();
  const auto codes = random_codes(2, 160, 1);
  auto parameters = random_parameters(config), twins = parameters;
  for (auto& [name, value] : parameters) value = value.detach().clone().requires_grad_();
  for (auto& [name, value] : twins) value = value.detach().clone().requires_grad_();
  const auto weigh = [](const at::Tensor& logits) { return (logits.to(at::kDouble) * logits.to(at::kDouble)).sum(); };
  weigh(network_logits(config, parameters, 0, codes, {})).backward();
  weigh(by_definition(config, twins, "networks.0.", codes)).backward();
  for (const auto& [name, value] : parameters) {
    const at::Tensor expected = twins.at(name).grad();
    const double scale = expected.abs().max().item<double>();
    EXPECT_LT(largest_difference(value.grad(), expected), 1e-4 * scale + 1e-5) << name;
  }
}

TEST(ProfileNetwork, StandardisedStagesHaveMeanZeroAndVarianceOne) {
  model_folder::NetworkConfig config;
  config.stages = {{12, 15, 4}, {16, 5, 5}, {20, 5, 10}};
  config.labels = 3;
  const auto parameters = random_parameters(config);
  const std::string prefix = model_folder::network_prefix(0);
  const at::Tensor codes = random_codes(2, 2000, 1);
  standardise(config, parameters, 0, codes);
  at::Tensor x = at::one_hot(codes, 5).narrow(2, 0, 4).to(at::kDouble).transpose(1, 2);
  for (size_t i = 0; i < config.stages.size(); ++i) {
    const auto own = [&](const char* name) {
      return parameters.at(concat(prefix, "stages.", i, ".", name)).to(at::kDouble);
    };
    x = at::conv1d(x, own("weight"), own("bias"), 1, config.stages[i].width / 2);
    x = at::max_pool1d(x, config.stages[i].pool) * own("norm.weight").unsqueeze(1) + own("norm.bias").unsqueeze(1);
    EXPECT_LT(x.mean(at::IntArrayRef{0, 2}).abs().max().item<double>(), 1e-4) << i;
    EXPECT_LT((x.square().mean(at::IntArrayRef{0, 2}) - 1).abs().max().item<double>(), 0.01) << i;
    x = at::gelu(x, "tanh");
  }
}

TEST(ProfileNetwork, ABinDependsOnNothingBeyondItsReach) {
  c10::NoGradGuard no_grad;
  const auto config = small_config();
  const auto parameters = random_parameters(config);
  const auto codes = random_codes(1, 400, 3);
  const auto whole = network_logits(config, parameters, 0, codes, {});
  const int64_t reach = config.reach() / config.bin();
  const auto part = network_logits(config, parameters, 0, codes.narrow(1, 100, 160), {});
  for (int64_t bin = reach; bin < 16 - reach; ++bin)
    EXPECT_LT(largest_difference(part.select(1, bin), whole.select(1, 10 + bin)), 1e-5) << bin;
}

TEST(ProfileNetwork, SeveralNetworksGiveTheMeanOfTheirLogits) {
  c10::NoGradGuard no_grad;
  auto config = small_config();
  config.networks = 3;
  const auto parameters = random_parameters(config);
  const auto codes = random_codes(1, 160, 4);
  at::Tensor sum = network_logits(config, parameters, 0, codes, {});
  for (int64_t i = 1; i < 3; ++i) sum = sum + network_logits(config, parameters, i, codes, {});
  EXPECT_LT(largest_difference(mean_logits(config, parameters, codes, {}), sum / 3), 1e-6);
  auto one = config;
  one.networks = 1;
  EXPECT_TRUE(
      initialise(config, 7).at("networks.2.head.weight").equal(initialise(one, 9).at("networks.0.head.weight")));
}

TEST(ProfileNetwork, LayersOfAttentionMixDistantBins) {
  c10::NoGradGuard no_grad;
  auto config = small_config();
  config.layers = 1, config.heads = 1, config.ffn = 16;
  config.stages[1].filters = 8;
  config.pattern.name = "full", config.pattern.block = 4;
  const auto parameters = random_parameters(config);
  auto codes = random_codes(1, 160, 5);
  const auto before = network_logits(config, parameters, 0, codes, {});
  codes.narrow(1, 0, 10).fill_(0);
  const auto after = network_logits(config, parameters, 0, codes, {});
  EXPECT_GT(largest_difference(before.select(1, 15), after.select(1, 15)), 1e-4);
}

// States grow to hundreds in training. Were they not normalised, scores of millions would make one key of all.
TEST(ProfileNetwork, AttentionSpreadsOverLargeStates) {
  auto config = small_config();
  config.layers = 1, config.heads = 1, config.ffn = 16;
  config.stages[1].filters = 8;
  config.pattern.name = "full", config.pattern.block = 4;
  const auto largest_gradient = [&](double size) {
    auto parameters = random_parameters(config);
    c10::NoGradGuard no_grad;
    parameters.at("networks.0.stages.1.norm.weight").mul_(size);
    parameters.at("networks.0.stages.1.norm.bias").mul_(size);
    // of the layer the final norm sees only its own share, which has the states' size
    parameters.at("networks.0.model.layers.0.attn.Wo.weight").mul_(size);
    auto& weight = parameters.at("networks.0.model.layers.0.attn.Wqkv.weight");
    weight = weight.detach().requires_grad_(true);
    c10::AutoGradMode grad(true);
    network_logits(config, parameters, 0, random_codes(1, 160, 5), {}).select(2, 0).sum().backward();
    return weight.grad().narrow(0, 0, 8).abs().max().item<double>();  // of the queries
  };
  EXPECT_NEAR(largest_gradient(1e5), largest_gradient(100), 0.02);
}

TEST(ProfileNetwork, WeightsOfAnotherShapeAreNamed) {
  const auto config = small_config();
  const test::TempDir folder;
  auto parameters = initialise(config, 1);
  save_weights(parameters, folder / "model.safetensors");
  EXPECT_EQ(load_network_weights(config, folder / "model.safetensors").size(), parameters.size());
  parameters.erase("networks.0.norm.bias");
  save_weights(parameters, folder / "model.safetensors");
  EXPECT_NE(
      test::error_of([&] { load_network_weights(config, folder / "model.safetensors"); }).find("networks.0.norm.bias"),
      std::string::npos);
}

}  // namespace
}  // namespace bigdna::model
