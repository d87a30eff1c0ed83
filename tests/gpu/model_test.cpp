// The whole encoder, with every attention of the table, and networks on bases on a GPU against themselves on the CPU;
// dropout there.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "attentions_support.h"
#include "base/rng.h"
#include "model/dropout.h"
#include "model/encoder.h"
#include "model/fused_rows.h"
#include "model/network.h"

namespace bigdna::model {
namespace {

struct Result {
  at::Tensor hidden;
  Parameters gradients;
};

Result run(const model_folder::ModelConfig& config, const at::Device& device, const ForwardOptions& options) {
  Parameters parameters;
  for (const auto& [name, value] : initialise(config, 3)) parameters[name] = value.to(device).requires_grad_();
  Rng rng(5);
  std::vector<corpus::Example> examples(3);
  for (size_t i = 0; i < examples.size(); ++i) {
    for (int64_t j = 0; j < config.max_length - 40 * static_cast<int64_t>(i); ++j)
      examples[i].ids.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(config.vocab_size))));
    examples[i].token_types.assign(examples[i].ids.size(), 0);
    examples[i].masked = {3, 30};
    examples[i].masked_labels = {7, 8};
  }
  const Batch batch = make_batch(examples, config.pattern.block, config.pad_id, device);
  const at::Tensor hidden = encode(config, parameters, batch, options);
  mlm_logits(config, parameters, hidden, batch.masked, options).square().mean().backward();
  Result result{hidden.detach().select(0, 0).cpu(), {}};
  for (const auto& [name, value] : parameters)
    if (value.grad().defined()) result.gradients[name] = value.grad().cpu();
  return result;
}

double error(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).norm().item<double>() / (b.norm().item<double>() + 1e-12);
}

TEST(GpuModel, equals_the_cpu) {
  auto config = model_folder::config_of(model_folder::preset("tiny"), model_folder::Architecture::bigbird);
  config.max_length = 320;
  config.vocab_size = 500;
  const ForwardOptions plain;
  const Result cpu = run(config, at::kCPU, plain);
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    ForwardOptions options;
    options.compute = type;
    const Result gpu = run(config, at::Device(at::kCUDA, 0), options);
    EXPECT_LT(error(gpu.hidden, cpu.hidden), type == at::kFloat ? 1e-5 : 3e-2);
    ASSERT_EQ(gpu.gradients.size(), cpu.gradients.size());
    for (const auto& [name, gradient] : cpu.gradients) {
      if (gradient.norm().item<double>() < 1e-6) continue;  // a key's bias: 0 but for rounding
      EXPECT_LT(error(gpu.gradients.at(name), gradient), type == at::kFloat ? 1e-4 : 0.1) << name;
    }
  }
}

TEST(GpuModel, every_attention_equals_the_cpus) {
  std::vector<std::string> variants = attention_variants();
  variants.push_back("blocks");
  for (const auto architecture : {model_folder::Architecture::bigbird, model_folder::Architecture::modern})
    for (const std::string& variant : variants) {
      const char* name_of = architecture == model_folder::Architecture::modern ? "modern" : "bigbird";
      SCOPED_TRACE(variant + ", " + name_of);
      const auto config = config_with(variant, architecture);
      const Result cpu = run(config, at::kCPU, {}), gpu = run(config, at::Device(at::kCUDA, 0), {});
      const double hidden = error(gpu.hidden, cpu.hidden);
      double worst = 0;
      ASSERT_EQ(gpu.gradients.size(), cpu.gradients.size());
      for (const auto& [name, gradient] : cpu.gradients)
        if (gradient.norm().item<double>() >= 1e-6) worst = std::max(worst, error(gpu.gradients.at(name), gradient));
      std::printf("%-40s %-8s hidden %.1e, gradients %.1e\n", variant.c_str(), name_of, hidden, worst);
      EXPECT_LT(hidden, 1e-5);
      EXPECT_LT(worst, 1e-3);
    }
}

/// Logits and gradients of two networks for the same bases.
Result run_networks(const model_folder::NetworkConfig& config, const at::Device& device, at::ScalarType type) {
  Parameters parameters;
  for (const auto& [name, value] : initialise(config, 3))
    parameters[name] = (value + 0.05 * random_tensor(value.sizes(), 4)).to(device).requires_grad_();
  Rng rng(5);
  std::vector<int64_t> codes(static_cast<size_t>(2 * config.window));
  for (int64_t& code : codes) code = static_cast<int64_t>(rng.below(20) ? rng.below(4) : kUnknownBase);
  ForwardOptions options;
  options.compute = type;
  const at::Tensor logits =
      mean_logits(config, parameters, at::tensor(codes).view({2, config.window}).to(device), options);
  logits.square().mean().backward();
  Result result{logits.detach().cpu(), {}};
  for (const auto& [name, value] : parameters) result.gradients[name] = value.grad().cpu();
  return result;
}

TEST(GpuModel, networks_equal_the_cpus) {
  for (const int64_t layers : {0, 1}) {
    model_folder::NetworkConfig config;
    config.labels = 7;
    config.layers = layers;
    config.networks = 2;
    config.window = 8000;
    const Result cpu = run_networks(config, at::kCPU, at::kFloat);
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      const Result gpu = run_networks(config, at::Device(at::kCUDA, 0), type),
                   again = run_networks(config, at::Device(at::kCUDA, 0), type);
      const double logits = error(gpu.hidden, cpu.hidden);
      double worst = 0;
      bool same = at::equal(gpu.hidden, again.hidden);
      for (const auto& [name, gradient] : cpu.gradients) {
        if (gradient.norm().item<double>() >= 1e-6) worst = std::max(worst, error(gpu.gradients.at(name), gradient));
        same = same && at::equal(gpu.gradients.at(name), again.gradients.at(name));
      }
      std::printf("networks of %ld layers of attention, %s: logits %.1e, gradients %.1e, %s\n", layers,
                  at::toString(type), logits, worst, same ? "the same twice" : "NOT the same twice");
      EXPECT_LT(logits, type == at::kFloat ? 1e-4 : 3e-2);
      EXPECT_LT(worst, type == at::kFloat ? 1e-2 : 0.2);  // of two equal maxima the CPU's kernel keeps one
      EXPECT_TRUE(same);
    }
  }
}

TEST(GpuModel, training_repeats_with_its_seed) {
  auto config = model_folder::config_of(model_folder::preset("tiny"), model_folder::Architecture::bigbird);
  config.max_length = 320;
  config.vocab_size = 500;
  config.dropout = config.attention_dropout = 0.1;
  ForwardOptions options;
  options.training = true;
  options.compute = at::kBFloat16;
  options.dropout_seed = 11;
  const at::Device gpu(at::kCUDA, 0);
  at::globalContext().setDeterministicAlgorithms(false, false);  // as in bigdna
  const Result first = run(config, gpu, options), again = run(config, gpu, options);
  EXPECT_TRUE(at::equal(first.hidden, again.hidden));
  for (const auto& [name, gradient] : first.gradients)
    EXPECT_TRUE(at::equal(gradient, again.gradients.at(name))) << name;
  options.dropout_seed = 12;
  EXPECT_FALSE(at::equal(first.hidden, run(config, gpu, options).hidden));
  at::globalContext().setDeterministicAlgorithms(true, true);
}

/// bias_gelu and residual_norm on both devices, the same dropout seed and so the same mask: outputs and all gradients.
TEST(GpuModel, rows_equal_the_cpus) {
  const at::Device gpu(at::kCUDA, 0);
  for (const auto type : {at::kFloat, at::kBFloat16})
    for (const auto& [rows, columns] :
         {std::pair<int64_t, int64_t>{3, 8}, {70, 264}, {4096, 768}, {5000, 1024}, {33000, 8}}) {
      const std::vector<at::Tensor> inputs{at::randn({rows, columns}).to(type), at::randn({rows, columns}).to(type),
                                           at::randn({columns}), at::randn({columns}), at::randn({columns})};
      const at::Tensor weights = at::randn({rows, columns}).to(type);
      const auto run = [&](const at::Device& device) {
        std::vector<at::Tensor> leaves, results;
        for (const at::Tensor& x : inputs)
          leaves.push_back(x.to(device, /*non_blocking=*/false, /*copy=*/true).requires_grad_());
        EXPECT_TRUE(bias_gelu_serves(leaves[0], leaves[2]) && residual_norm_serves(leaves[0], leaves[2]));
        const at::Tensor out =
            residual_norm(bias_gelu(leaves[0], leaves[2]), leaves[2], leaves[1], leaves[3], leaves[4], 1e-5, 0.1, 9);
        out.backward(weights.to(device));
        results.push_back(out.detach().cpu());
        for (const at::Tensor& leaf : leaves) results.push_back(leaf.grad().cpu());
        return results;
      };
      const auto ours = run(gpu), again = run(gpu), expected = run(at::kCPU);
      for (size_t i = 0; i < ours.size(); ++i) {
        EXPECT_TRUE(at::equal(ours[i], again[i])) << "not the same twice: " << i;
        EXPECT_LT(error(ours[i].to(at::kFloat), expected[i].to(at::kFloat)), type == at::kFloat ? 1e-5 : 1e-2)
            << type << ' ' << rows << " x " << columns << ": " << i;
      }
    }
}

TEST(GpuModel, dropout_is_its_seeds) {
  const at::Tensor x = at::ones({1000, 1000}, at::device(at::Device(at::kCUDA, 0)));
  const at::Tensor a = model::dropout(x, 0.1, 7);
  EXPECT_NEAR(a.mean().item<double>(), 1, 0.003);
  EXPECT_NEAR(a.eq(0).to(at::kFloat).mean().item<double>(), 0.1, 0.002);
  EXPECT_TRUE(at::equal(a, model::dropout(x, 0.1, 7)));
  EXPECT_FALSE(at::equal(a, model::dropout(x, 0.1, 8)));
}

}  // namespace
}  // namespace bigdna::model
