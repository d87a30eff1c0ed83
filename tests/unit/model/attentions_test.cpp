/// Properties of every row of the table of attentions: gradients, padding, batch mates, threads, any length, saving,
/// recomputation, bf16, and the claims that the row makes.
#include "model/attention/attentions.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "attentions_support.h"
#include "base/error.h"
#include "model/encoder.h"
#include "model/parallel.h"
#include "support.h"
#include "whole_model_support.h"

namespace bigdna::model {
namespace {

class EveryAttention : public testing::TestWithParam<std::string> {
 protected:
  static const model_folder::AttentionRow& row() {
    return model_folder::attention(GetParam().substr(0, GetParam().find(':')));
  }
};
/// Four sequences made of one.
at::Tensor four_of(const at::Tensor& x) { return at::stack({x, x.flip(-1), x + 0.5, x * 0.7}); }
INSTANTIATE_TEST_SUITE_P(Rows, EveryAttention, testing::ValuesIn(attention_variants()), [](const auto& variant) {
  std::string name = variant.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(Attentions, FunctionsAreInTheOrderOfTheTable) {
  const auto rows = model_folder::attentions();
  ASSERT_EQ(attention_runs().size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(attention_runs()[i].name, rows[i].name);
    EXPECT_EQ(attention_runs()[i].run == nullptr, i == 0);
  }
}

TEST_P(EveryAttention, GradientsAgreeWithFiniteDifferences) {
  for (const int64_t n : {1, 2, 7, 45}) {
    for (const int64_t layer : {1, 2}) {
      OneSequence one(GetParam(), n, layer);
      const at::Tensor weights = random_tensor(one.call.q.sizes(), 9).to(at::kDouble);
      Choices choices;
      one.call.choices = &choices;
      const auto loss = [&] { return (one.run() * weights).sum(); };
      auto leaves = one.leaves();
      for (auto& [name, tensor] : leaves) tensor.requires_grad_(true);
      loss().backward();
      choices.replay = true;
      const at::NoGradGuard guard;
      for (auto& [name, tensor] : leaves) {
        if (name == "states" && !tensor.grad().defined()) continue;  // most rows do not read them
        if (name == "k" && row().shares_queries) continue;
        const auto* own = model_folder::own_parameter(name);
        if (own && own->update == model_folder::Update::average) continue;  // no derivative: attention_traps_test.cpp
        ASSERT_TRUE(tensor.grad().defined()) << name;
        const at::Tensor direction = random_tensor(tensor.sizes(), 3).to(at::kDouble);
        const double step = 1e-6;
        const auto moved = [&](double by) {
          tensor.add_(direction, by);
          choices.next = 0;
          const double value = loss().item<double>();
          tensor.sub_(direction, by);
          return value;
        };
        const double numeric = (moved(step) - moved(-step)) / (2 * step),
                     analytic = (tensor.grad() * direction).sum().item<double>();
        EXPECT_NEAR(numeric, analytic, 1e-5 * (1 + std::abs(analytic))) << name << ", " << n << " tokens";
      }
    }
  }
}

TEST_P(EveryAttention, IsFullAttentionWhereItSaysSo) {
  if (row().dense_when.empty()) GTEST_SKIP() << "never full attention";
  for (const int64_t n : {1, 2, 33}) {
    std::string settings(row().dense_when);
    if (const size_t at = settings.find("{n}"); at != settings.npos) settings.replace(at, 3, std::to_string(n));
    OneSequence one(GetParam() + (GetParam().find(':') == std::string::npos ? ":" : ",") + settings, n, 1);
    prepare_for_dense(one);
    auto leaves = one.leaves();
    for (auto& [name, tensor] : leaves) tensor.requires_grad_(true);
    const at::Tensor weights = random_tensor(one.call.q.sizes(), 9).to(at::kDouble);
    const at::Tensor actual = one.run(), expected = dense_oracle(one);
    EXPECT_LT(max_difference(actual, expected), 1e-9) << n;
    std::vector<at::Tensor> gradients[2];
    for (const bool dense : {false, true}) {
      (((dense ? expected : actual) * weights).sum()).backward();
      for (const char* name : {"q", "k", "v"}) {
        at::Tensor& leaf = leaves.at(name);
        if (!leaf.grad().defined()) continue;
        gradients[dense].push_back(leaf.grad().clone());
        leaf.mutable_grad().reset();
      }
    }
    ASSERT_EQ(gradients[0].size(), gradients[1].size());
    for (size_t i = 0; i < gradients[0].size(); ++i)
      EXPECT_LT(max_difference(gradients[0][i], gradients[1][i]), 1e-9) << n << " " << i;
  }
}

TEST_P(EveryAttention, IsEquivariantIfItSaysSo) {
  OneSequence one(GetParam(), 40, 1);
  const at::Tensor before = one.run();
  const at::Tensor order = at::arange(40).mul(7).remainder(40);
  for (auto* x : {&one.call.q, &one.call.k, &one.call.v}) *x = x->index_select(1, order);
  one.call.states = one.call.states.index_select(1, order);
  const double difference = max_difference(one.run(), before.index_select(1, order));
  EXPECT_EQ(difference < 1e-9, row().equivariant) << difference;
  EXPECT_TRUE(row().equivariant || difference > 1e-6) << difference;
}

TEST_P(EveryAttention, ReadsNothingThatFollowsIfItCanBeCausal) {
  auto pattern = small_config().pattern;
  pattern.name = "window", pattern.causal = true;
  if (!row().not_causal.empty()) {
    auto config = config_with(GetParam());
    config.pattern = pattern;
    config.head = "mlm";
    try {
      model_folder::check_attention(config);
      FAIL() << GetParam();
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(row().not_causal), std::string::npos) << error.what();
    }
    return;
  }
  OneSequence one(GetParam(), 45, 1, 512, pattern);
  auto leaves = one.leaves();
  for (auto& [name, tensor] : leaves) tensor.requires_grad_(true);
  const at::Tensor out = one.run();
  for (int64_t i = 0; i < 44; ++i) {
    for (auto& [name, tensor] : leaves) tensor.mutable_grad().reset();
    out.select(1, i).sum().backward({}, /*retain_graph=*/true);
    for (const char* name : {"q", "k", "v", "states"}) {
      const auto& gradient = leaves.at(name).grad();
      if (!gradient.defined()) continue;
      EXPECT_EQ(max_difference(gradient.narrow(1, i + 1, 44 - i), 0), 0) << name << " " << i;
    }
    EXPECT_GT(leaves.at("v").grad().abs().sum().item<double>(), 0);
  }
}

TEST_P(EveryAttention, ReadsNoFartherThanItSays) {
  if (row().follows_pattern) GTEST_SKIP() << "reads what the pattern says";
  constexpr int64_t kTokens = 200;
  OneSequence one(GetParam(), kTokens, 1);
  for (auto& [name, value] : one.parameters)  // as at the start, or the longest
    if (const auto* own = model_folder::own_parameter(name); own->start == model_folder::Start::constant)
      value.fill_(own->update == model_folder::Update::clamped ? 1 : own->scale(one.config));
  one.call.v.requires_grad_(true);
  const at::Tensor out = one.run();
  int64_t farthest = 0;
  for (int64_t i = 0; i < kTokens; i += 9) {
    one.call.v.mutable_grad().reset();
    out.select(1, i).sum().backward({}, /*retain_graph=*/true);
    const at::Tensor read = one.call.v.grad().abs().amax({0, 2});
    for (int64_t j = 0; j < kTokens; ++j)
      if (read[j].item<double>() > 0) farthest = std::max(farthest, std::abs(i - j));
  }
  const double reach = row().reach ? row().reach(one.config, kTokens, 1) : kTokens - 1;
  EXPECT_LE(static_cast<double>(farthest), reach);
  EXPECT_GE(static_cast<double>(farthest), 0.3 * reach);  // dynamic spans are what a token's state makes them
}

TEST_P(EveryAttention, CostGrowsAsItSays) {
  model_folder::ModelConfig config;
  config.max_length = 1 << 20;
  config.attention = model_folder::attention_from(row().name, config.heads);
  const double growth = row().pairs(config, 1 << 18) / row().pairs(config, 1 << 16);
  EXPECT_EQ(growth < 1.01, row().linear) << growth;
  EXPECT_GE(growth, 0.99);
}

TEST_P(EveryAttention, HasWeightsForAnyLengthIfItSaysSo) {
  auto config = config_with(GetParam());
  const auto shapes = model_folder::parameter_shapes(config);
  config.architecture = model_folder::Architecture::modern;  // bigbird's own positions are weights
  const auto modern = model_folder::parameter_shapes(config);
  config.max_length *= 2;
  EXPECT_EQ(model_folder::parameter_shapes(config) == modern, row().any_length);
  for (const auto& own : row().parameters)
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string name =
          concat("bert.encoder.layer.", layer, ".", model_folder::own_prefix(row().name), own.name);
      EXPECT_EQ(shapes.contains(name), layer >= 1 && !own.shape(config).empty()) << name;
      EXPECT_EQ(model_folder::own_parameter(name), &own);
    }
}

// Bit for bit, among sequences of the same length and of others.
TEST_P(EveryAttention, DependsNeitherOnPaddingNorOnBatchMates) {
  const OneSequence one(GetParam(), 64, 1);
  const std::vector<int64_t> lengths{64, 37, 1, 37};
  const at::Tensor q = four_of(one.call.q).to(at::kFloat), k = four_of(one.call.k).to(at::kFloat),
                   v = four_of(one.call.v).to(at::kFloat), states = four_of(one.call.states[0]).to(at::kFloat);
  const at::Tensor together = run_attention(one.call, q, k, v, states, lengths);
  for (int64_t b = 0; b < 4; ++b) {
    const int64_t length = lengths[static_cast<size_t>(b)];
    const auto alone_of = [&](const at::Tensor& x, int64_t dim) { return x.narrow(0, b, 1).narrow(dim, 0, length); };
    const at::Tensor alone =
        run_attention(one.call, alone_of(q, 2), alone_of(k, 2), alone_of(v, 2), alone_of(states, 1), {length});
    EXPECT_TRUE(together.narrow(0, b, 1).narrow(2, 0, length).equal(alone)) << b;
    EXPECT_EQ(together[b].narrow(1, length, 64 - length).abs().sum().item<double>(), 0);
  }
}

// With the losses that rows add by themselves.
TEST_P(EveryAttention, GradientsOfABatchAreTheSumsOfItsSequences) {
  OneSequence one(GetParam(), 30, 1);
  one.call.training = true;
  one.call.share = 0.25;
  auto leaves = one.leaves();
  for (auto& [name, tensor] : leaves) tensor.requires_grad_(true);
  const auto gradients = [&](const std::vector<std::pair<int64_t, std::vector<int64_t>>>& batches) {
    for (const auto& [first, lengths] : batches) {
      const auto part = [&](const at::Tensor& x) { return four_of(x).narrow(0, first, std::ssize(lengths)); };
      const at::Tensor out = run_attention(one.call, part(one.call.q), part(one.call.k), part(one.call.v),
                                           part(one.call.states[0]), lengths);
      (out * out).sum().backward();
    }
    std::map<std::string, at::Tensor> all;
    for (auto& [name, tensor] : leaves) {
      all[name] = tensor.grad().defined() ? tensor.grad().clone() : at::Tensor();
      tensor.mutable_grad().reset();
    }
    return all;
  };
  const auto together = gradients({{0, {30, 30, 21, 30}}}),
             alone = gradients({{0, {30}}, {1, {30}}, {2, {21}}, {3, {30}}});
  for (const auto& [name, gradient] : alone) {
    ASSERT_EQ(gradient.defined(), together.at(name).defined()) << name;
    if (!gradient.defined()) continue;
    EXPECT_LT(max_difference(gradient, together.at(name)), 1e-9) << name;
    EXPECT_GT(gradient.abs().max().item<double>(), 1e-9) << name;
  }
  EXPECT_TRUE(alone.at("q").defined() && alone.at("v").defined());
}

TEST_P(EveryAttention, IsTheSameOnAnyThread) {
  const auto gradient = [&] {
    const OneThreadPerOperation single;
    OneSequence one(GetParam(), 300, 1);
    one.call.q.requires_grad_(true);
    const at::Tensor out = one.run();
    (out * out).sum().backward();
    return std::pair(out.detach(), one.call.q.grad().clone());
  };
  const auto expected = gradient();
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (size_t i = 0; i < equal.size(); ++i)
    threads.emplace_back([&, i] {
      const auto actual = gradient();
      equal[i] = actual.first.equal(expected.first) && actual.second.equal(expected.second);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 1));
}

// The whole encoder, both architectures.
class EncodeWithAttention : public testing::TestWithParam<std::tuple<std::string, model_folder::Architecture>> {
 protected:
  static model_folder::ModelConfig config() { return config_with(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Rows, EncodeWithAttention,
                         testing::Combine(testing::ValuesIn(attention_variants()),
                                          testing::Values(model_folder::Architecture::bigbird,
                                                          model_folder::Architecture::modern)));

TEST_P(EncodeWithAttention, AnyLengthAloneAndBesideALongerOne) {
  const auto c = config();
  const auto parameters = initialise(c, 5);
  const auto encoded = [&](const std::vector<corpus::Example>& examples) {
    return encode(c, parameters, make_batch(examples, c.pattern.block, c.pad_id, at::kCPU), {});
  };
  for (int64_t length = 1; length <= 128; length += length < 20 ? 1 : 27) {
    const at::Tensor alone = encoded({random_example(length, 1)})[0].narrow(0, 0, length);
    const at::Tensor beside = encoded({random_example(length, 1), random_example(128, 2)})[0].narrow(0, 0, length);
    EXPECT_LT(max_difference(alone, beside), 2e-6) << length;
    EXPECT_TRUE(alone.isfinite().all().item<bool>());
  }
}

/// Gradients of the MLM loss.
Parameters gradients_of(const model_folder::ModelConfig& c, const ForwardOptions& options) {
  Parameters parameters = initialise(c, 5), gradients;
  for (auto& [name, tensor] : parameters) tensor.requires_grad_(true);
  const Batch batch = make_batch({random_example(60, 1), random_example(90, 2)}, 4, 0, at::kCPU);
  const Parameters used = cast_for(c, parameters, options.compute);
  const auto rows = encode_pretraining(c, used, batch, options);
  mlm_scores(c, used, rows.masked, batch.masked_labels, options).nats.mean().backward();
  for (const auto& [name, tensor] : parameters)
    if (tensor.grad().defined()) gradients[name] = tensor.grad();
  return gradients;
}

TEST_P(EncodeWithAttention, RecomputingChangesNoBitAndEveryOwnWeightHasAGradient) {
  const auto c = config();
  ForwardOptions options{.training = true, .dropout_seed = 3};
  const Parameters kept = gradients_of(c, options);
  options.recompute = true;
  const Parameters again = gradients_of(c, options);
  expect_same_gradients_of_all(c, kept, again);
}

TEST_P(EncodeWithAttention, BfloatStaysNearSinglePrecision) { expect_near_in_bf16(config()); }

TEST_P(EncodeWithAttention, SavesAndLoads) {
  EXPECT_EQ(model_folder::to_json(config()).at("model_type"), "bigdna");
  expect_saves_and_loads(config());
}

// The local heads of a layer are what they are without the attention; layers before `from` too.
TEST_P(EncodeWithAttention, LayersBeforeItAreWhatTheyWere) {
  const auto c = config();
  auto plain = c;
  plain.attention = {};
  auto parameters = initialise(c, 5);
  const auto without = initialise(plain, 5);
  for (auto& [name, value] : parameters)  // some begin with what changes nothing
    if (model_folder::own_parameter(name)) value = value + 0.1 * random_tensor(value.sizes(), 7);
  const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
  EXPECT_TRUE(encode(c, parameters, batch, {.layers = 1}).equal(encode(plain, without, batch, {.layers = 1})));
  EXPECT_GT(max_difference(encode(c, parameters, batch, {.layers = 2}), encode(plain, without, batch, {.layers = 2})),
            1e-6);
}

}  // namespace
}  // namespace bigdna::model
