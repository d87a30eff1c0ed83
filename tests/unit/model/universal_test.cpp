/// The Universal Transformer against a model whose layers are copies of one another, and adaptive computation time
/// against its equations, token by token.
#include <ATen/ops/dot.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/attention/side_loss.h"
#include "stacks_support.h"
#include "support.h"

namespace bigdna::model {
namespace {

/// The same without a stack: as many layers as are run.
model_folder::ModelConfig unrolled(const model_folder::ModelConfig& config) {
  auto plain = config;
  plain.layers = model_folder::layer_runs(config);
  plain.stack = {};
  plain.normed_input = false;  // layer 0 has a norm, because it sees what is not normed
  return plain;
}

/// Its weights: each layer a copy of the one that is repeated there.
Parameters copies(const model_folder::ModelConfig& config, const Parameters& parameters) {
  Parameters all;
  const std::string prefix(model_folder::architecture(config).layer);
  for (const auto& [name, shape] : model_folder::parameter_shapes(unrolled(config))) {
    std::string source = name;
    if (name.starts_with(prefix)) {
      const size_t dot = name.find('.', prefix.size());
      const int64_t layer = std::stoll(name.substr(prefix.size(), dot - prefix.size()));
      source = concat(prefix, layer % config.layers, name.substr(dot));
    }
    all[name] = parameters.at(source);
  }
  return all;
}

at::Tensor signal_of(int64_t step, const at::Tensor& x) {
  std::vector<double> values;
  const int64_t hidden = x.size(-1);
  for (int64_t i = 0; i < hidden; ++i) {
    const double angle = static_cast<double>(step) / std::pow(10'000, static_cast<double>(i / 2 * 2) / hidden);
    values.push_back(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
  return at::tensor(values, at::kDouble).to(x.scalar_type());
}

/// One step: the time signal and the layers, of the unrolled model.
at::Tensor step_of(const Pass& plain, const at::Tensor& x, int64_t step, int64_t layers) {
  at::Tensor next = x + signal_of(step + 1, x);
  for (int64_t i = 0; i < layers; ++i) next = plain.layer(next, step * layers + i);
  return next;
}

/// Graves 2016, Adaptive Computation Time: N(t), p and s of each token by itself. `steps`: how many each token took.
at::Tensor by_equations(const model_folder::ModelConfig& config, const Pass& pass, const Pass& plain,
                        std::vector<int64_t>& steps) {
  const auto setting = [&](const char* name) { return config.stack.at(name); };
  const auto most = static_cast<int64_t>(setting("steps"));
  const at::Tensor weight = pass.of_stack(config.layers - 1, "weight"),
                   offset = pass.of_stack(config.layers - 1, "offset");
  const at::Tensor embeddings = pass.embeddings();
  const auto batch = static_cast<int64_t>(pass.lengths().size()), n = embeddings.size(1);
  struct Token {
    at::Tensor state, sum, result;
    bool halted = false;
  };
  std::vector<Token> tokens;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t t = 0; t < n; ++t)
      tokens.push_back({embeddings[b][t], at::zeros({}, embeddings.options()), at::zeros_like(embeddings[b][t])});
  const auto states = [&](at::Tensor Token::*part) {
    std::vector<at::Tensor> rows;
    for (const auto& token : tokens) rows.push_back(token.*part);
    return at::stack(rows).view(embeddings.sizes());
  };
  at::Tensor cost = at::zeros({}, embeddings.options());
  for (int64_t step = 0; step < most; ++step) {
    const at::Tensor next = step_of(plain, states(&Token::state), step, config.layers);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t t = 0; t < pass.lengths()[static_cast<size_t>(b)]; ++t) {
        Token& token = tokens[static_cast<size_t>(b * n + t)];
        if (token.halted) continue;
        token.state = next[b][t];
        const at::Tensor h = at::sigmoid(at::dot(token.state, weight) + offset[0]);
        token.halted = step + 1 == most || (token.sum + h).item<double>() >= 1 - setting("epsilon");
        const at::Tensor p = token.halted ? 1 - token.sum : h;
        token.result = token.result + p * token.state;
        if (token.halted) {
          steps.push_back(step + 1);
          cost = cost + (static_cast<double>(step + 1) + p) / pass.lengths()[static_cast<size_t>(b)];
        }
        token.sum = token.sum + h;
      }
  }
  cost = cost * (setting("ponder") * pass.options().share / static_cast<double>(batch));
  return pass.options().training ? add_loss(states(&Token::result), cost) : states(&Token::result);
}

/// Makes tokens halt after different numbers of steps.
void spread(Parameters& parameters) {
  for (auto& [name, value] : parameters) {
    if (name.ends_with("universal.weight")) value = (value.detach() * 10).requires_grad_();
    if (name.ends_with("universal.offset")) value = (value.detach() - 4).requires_grad_();
  }
}

class Universal : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(Architectures, Universal, testing::Values(Architecture::bigbird, Architecture::modern));

// A number of steps without halting is a model with copied layers, bit for bit, and its gradients the sums of theirs.
TEST_P(Universal, FixedStepsAreCopiedLayers) {
  const std::vector<corpus::Example> examples{random_example(61, 1), random_example(20, 2)};
  const ForwardOptions options{.training = true, .dropout_seed = 3};
  for (const char* attention :
       {"blocks", "axial:from=0", "lsh:from=0,chunk=8,rounds=2", "performer:from=0,features=9"}) {
    auto config = with_stack("universal:halting=no,steps=3", GetParam(), attention);
    config.dropout = 0.1;
    const Outcome ours = outcome(config, examples, options);
    const Outcome theirs =
        outcome(config, examples, options, [&](const Pass&, const Parameters& parameters, const Batch& batch) {
          const auto plain =
              functions_of(config).pass(unrolled(config), copies(config, parameters), batch, options, nullptr);
          at::Tensor x = plain->embeddings();
          for (int64_t step = 0; step < 3; ++step) x = step_of(*plain, x, step, config.layers);
          return x;
        });
    EXPECT_EQ(max_difference(ours.states, theirs.states), 0) << attention;
    EXPECT_LT(difference(ours, theirs), 1e-5) << attention;
  }
}

TEST_P(Universal, TokensHaltAsTheEquationsSay) {
  const std::vector<corpus::Example> examples{random_example(41, 1), random_example(18, 2)};
  for (const char* stack : {"universal:steps=5,epsilon=0.4,ponder=0.5", "universal:steps=3", "universal:steps=9"}) {
    const auto config = with_stack(stack, GetParam());
    HaltingSteps counted;
    const ForwardOptions options{
        .backend = "dense", .training = true, .compute = at::kDouble, .share = 0.5, .halting = &counted};
    std::vector<int64_t> steps;
    const auto by_token = [&](const Pass& pass, const Parameters& parameters, const Batch& batch) {
      const auto plain =
          functions_of(config).pass(unrolled(config), copies(config, parameters), batch, options, nullptr);
      return by_equations(config, pass, *plain, steps);
    };
    const Outcome theirs = outcome(config, examples, options, by_token, spread),
                  ours = outcome(config, examples, options, {}, spread);
    EXPECT_EQ(steps.size(), 41u + 18u);
    EXPECT_GT(*std::ranges::max_element(steps), *std::ranges::min_element(steps)) << stack;
    EXPECT_LT(difference(ours, theirs), 1e-6) << stack;  // encode() gives fp32
    EXPECT_EQ(counted.tokens, std::ssize(steps));
    EXPECT_EQ(counted.sum, std::accumulate(steps.begin(), steps.end(), int64_t{0}));
    EXPECT_EQ(counted.most, *std::ranges::max_element(steps));
  }
}

// A token that runs longer than all others changes neither their steps nor a shorter sequence beside it.
TEST_P(Universal, SequencesHaltAlone) {
  const auto config = with_stack("universal:steps=9", GetParam());
  const auto states = [&](const std::vector<corpus::Example>& examples, int64_t length) {
    return outcome(config, examples, {}, {}, spread).states[0].narrow(0, 0, length);
  };
  for (const int64_t length : {1, 2, 18, 41})
    EXPECT_LT(max_difference(states({random_example(length, 2)}, length),
                             states({random_example(length, 2), random_example(128, 1)}, length)),
              5e-6)
        << length;
}

TEST_P(Universal, TheLossGetsThePonderCostOfItsShare) {
  const std::vector<corpus::Example> examples{random_example(41, 1)};
  const auto offset = [&](const std::string& ponder, double share, bool training) {
    const auto config = with_stack("universal:ponder=" + ponder, GetParam());
    const std::string name =
        concat(model_folder::architecture(config).layer, config.layers - 1, ".bigdna.universal.offset");
    return outcome(config, examples, {.training = training, .share = share}).gradients.at(name).item<double>();
  };
  const double none = offset("0", 1, true), whole = offset("1", 1, true), half = offset("1", 0.5, true);
  EXPECT_LT(whole, none);  // what is left for the last step falls where tokens are more inclined to halt
  EXPECT_NEAR(half - none, (whole - none) / 2, 1e-5);
  EXPECT_NEAR(offset("1", 1, false), none, 1e-6);
}

TEST_P(Universal, OneStepIsOneStepHoweverItEnds) {
  const std::vector<corpus::Example> examples{random_example(41, 1), random_example(18, 2)};
  const auto states = [&](const char* stack) {
    return outcome(with_stack(stack, GetParam()), examples, {}).states[0].narrow(0, 0, 41);
  };
  const at::Tensor one = states("universal:halting=no,steps=1");
  EXPECT_EQ(max_difference(states("universal:steps=1"), one), 0);
  EXPECT_EQ(max_difference(states("universal:steps=9,epsilon=1"), one), 0);
  EXPECT_GT(max_difference(states("universal:steps=9"), one), 1e-3);
}

TEST_P(Universal, LayersAreCountedByTheirRuns) {
  const auto config = with_stack("universal:steps=2,epsilon=0", GetParam());
  EXPECT_EQ(model_folder::layer_runs(config), 6);
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(41, 1)}, 4, 0, at::kCPU);
  const auto after = [&](int64_t layers) { return encode(config, parameters, batch, {.layers = layers}); };
  for (int64_t layers = 0; layers < 6; ++layers) EXPECT_GT(max_difference(after(layers), after(layers + 1)), 1e-4);
  EXPECT_EQ(max_difference(after(6), after(-1)), 0);
  EXPECT_EQ(max_difference(after(7), after(-1)), 0);
}

TEST(UniversalStack, HasTheWeightsOfItsLayersAlone) {
  for (const auto architecture : {Architecture::bigbird, Architecture::modern}) {
    const auto config = with_stack("universal:steps=7", architecture),
               fixed = with_stack("universal:halting=no", architecture), plain = with_stack("residual", architecture);
    const int64_t norm = architecture == Architecture::modern ? config.hidden : 0;  // of layer 0
    EXPECT_EQ(model_folder::parameter_count(fixed) - model_folder::parameter_count(plain), norm);
    EXPECT_EQ(model_folder::parameter_count(config) - model_folder::parameter_count(fixed), config.hidden + 1);
    const auto parameters = initialise(config, 5);
    const std::string unit = concat(model_folder::architecture(config).layer, config.layers - 1, ".bigdna.universal.");
    EXPECT_EQ(parameters.at(unit + "offset").item<double>(), 1);
    EXPECT_EQ(parameters.at(unit + "weight").numel(), config.hidden);
  }
}

TEST(UniversalStack, RefusesSettingsThatChangeNothing) {
  for (const char* setting : {"epsilon=0.2", "ponder=0"})
    EXPECT_NE(
        test::error_of([&] { with_stack(concat("universal:halting=no,", setting)); }).find("no effect with halting=no"),
        std::string::npos);
  EXPECT_EQ(test::error_of([] { with_stack("universal:halting=no,epsilon=0.01"); }), "");
}

// Layers with rows and layers with columns follow each other from step to step, too.
TEST(UniversalStack, AttentionsCountTheirLayersThroughTheSteps) {
  auto config = with_stack("universal:steps=3", Architecture::modern, "axial");
  const auto turns = [&] {
    std::vector<int64_t> found;
    for (int64_t run = 0; run < model_folder::layer_runs(config); ++run)
      if (model_folder::pattern_heads(config, run) < config.heads)
        found.push_back(model_folder::attention_turn(config, run));
    return found;
  };
  EXPECT_EQ(turns(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));  // two of three layers, three times
  config.layers = 2;
  EXPECT_EQ(turns(), (std::vector<int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace bigdna::model
