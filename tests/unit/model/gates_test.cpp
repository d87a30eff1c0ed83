/// GTrXL's gates against their equations, each matrix by itself.
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "stacks_support.h"
#include "support.h"

namespace bigdna::model {
namespace {

/// Parisotto et al. 2019: g(x, y).
at::Tensor gate(const Pass& pass, int64_t layer, const std::string& name, const at::Tensor& x, const at::Tensor& y) {
  const int64_t d = x.size(-1);
  const at::Tensor branch = pass.of_stack(layer, name + ".branch"), stream = pass.of_stack(layer, name + ".stream");
  const auto product = [](const at::Tensor& rows, const at::Tensor& matrix) { return at::matmul(rows, matrix.t()); };
  const at::Tensor w_r = branch.narrow(0, 0, d), w_z = branch.narrow(0, d, d), w_g = branch.narrow(0, 2 * d, d),
                   u_r = stream.narrow(0, 0, d), u_z = stream.narrow(0, d, d),
                   u_g = pass.of_stack(layer, name + ".candidate");
  const at::Tensor r = at::sigmoid(product(y, w_r) + product(x, u_r)),
                   z = at::sigmoid(product(y, w_z) + product(x, u_z) - pass.of_stack(layer, name + ".bias")),
                   h = at::tanh(product(y, w_g) + product(r * x, u_g));
  return (1 - z) * x + z * h;
}

at::Tensor by_equations(const Pass& pass, int64_t layers) {
  at::Tensor x = pass.embeddings();
  for (int64_t i = 0; i < layers; ++i) {
    x = gate(pass, i, "attention", x, at::relu(pass.attention_branch(x, i)));
    x = gate(pass, i, "feed_forward", x,
             at::relu(pass.feed_forward_branch(x.reshape({-1, x.size(-1)}), i, 0)).view_as(x));
  }
  return x;
}

Outcome expected(const model_folder::ModelConfig& config, const std::vector<corpus::Example>& examples,
                 const ForwardOptions& options) {
  return outcome(config, examples, options,
                 [&](const Pass& pass, const auto&...) { return by_equations(pass, config.layers); });
}

TEST(Gates, AreTheirEquationsOutputsAndGradients) {
  const auto config = with_stack("gated");
  const std::vector<corpus::Example> examples{random_example(61, 1), random_example(20, 2)};
  const ForwardOptions options{.backend = "dense", .training = true, .compute = at::kDouble};
  const Outcome ours = outcome(config, examples, options);
  EXPECT_EQ(ours.gradients.size(),
            2u + 3 * (6 + 8) - 1 + 1);  // of embeddings, layers (the first has no norm) and the last norm
  EXPECT_LT(difference(ours, expected(config, examples, options)), 1e-6);  // encode() gives fp32
}

TEST(Gates, WithOtherAttentionsExtraTokensAndDropout) {
  const std::vector<corpus::Example> examples{random_example(90, 1), random_example(33, 2)};
  for (const char* attention : {"lsh:chunk=8,rounds=2", "routing:clusters=4", "span:limit=40,ramp=6"}) {
    const auto config = with_stack("gated", Architecture::modern, attention);
    const ForwardOptions options{.training = true, .share = 0.5};
    EXPECT_LT(difference(outcome(config, examples, options), expected(config, examples, options)), 1e-3) << attention;
  }
  auto config = with_stack("gated");
  config.pattern.name = "bigbird-etc";
  config.dropout = 0.2, config.attention_dropout = 0.1;
  const ForwardOptions options{.training = true, .dropout_seed = 7};
  EXPECT_LT(difference(outcome(config, examples, options), expected(config, examples, options)), 1e-3);
}

// A closed gate passes on its input: nothing but the last norm is between the embeddings and the states.
TEST(Gates, PassOnTheEmbeddingsWhereTheyAreClosed) {
  const std::vector<corpus::Example> examples{random_example(61, 1)};
  const auto at_start = [&](const std::string& stack) {
    const auto config = with_stack(stack);
    const Batch batch = make_batch(examples, config.pattern.block, config.pad_id, at::kCPU);
    const auto parameters = initialise(config, 5);
    const at::Tensor embeddings = encode(config, parameters, batch, {.layers = 0}),
                     normed = functions_of(config).pass(config, parameters, batch, {}, nullptr)->finish(embeddings);
    return max_difference(encode(config, parameters, batch, {}), normed);
  };
  EXPECT_EQ(at_start("gated:bias=100"), 0);
  const double near = at_start("gated:bias=5"), open = at_start("gated:bias=0");
  EXPECT_GT(near, 0);
  EXPECT_LT(near, open / 3);
}

TEST(Gates, HaveWeightsAndSettingsAndRefuseWhatDoesNotFit) {
  const auto config = with_stack("gated:bias=1.5"), plain = with_stack("residual");
  EXPECT_EQ(model_folder::parameter_count(config) - model_folder::parameter_count(plain),
            config.layers * (12 * config.hidden * config.hidden + 2 * config.hidden));
  EXPECT_EQ(max_difference(initialise(config, 5).at("model.layers.2.bigdna.gated.attention.bias"), 1.5), 0);
  const auto error = [](const std::function<void()>& run) { return test::error_of(run); };
  EXPECT_EQ(error([] { model_folder::stack_from("gated:bias=-1"); }),
            "stack gated: bias is -1; it must be a number from 0 to 100");
  EXPECT_EQ(error([] { model_folder::stack_from("gated:gate=highway"); }),
            "stack gated has no setting gate (it has bias)");
  EXPECT_EQ(error([] { model_folder::stack_from("residual:bias=1"); }), "stack residual has no setting bias");
  EXPECT_NE(error([] { with_stack("gated", Architecture::bigbird); }).find("stack gated: needs an architecture"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::model
