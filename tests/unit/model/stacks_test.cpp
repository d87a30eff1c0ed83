/// Stacks: reversible layers against their formula by autograd, which keeps everything.
#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "io/json.h"
#include "stacks_support.h"

namespace bigdna::model {
namespace {

model_folder::ModelConfig reversible(const std::string& attention = "blocks") {
  return with_stack("reversible", Architecture::modern, attention);
}

/// States [batch, n, hidden] by the formula, for a pass.
at::Tensor by_formula(const Pass& pass, int64_t layers) {
  const at::Tensor x = pass.embeddings();
  at::Tensor first = x, second = x;
  for (int64_t i = 0; i < layers; ++i) {
    first = first + pass.attention_branch(second, i);
    const at::Tensor rows = first.reshape({-1, first.size(-1)});
    std::vector<at::Tensor> chunks;
    for (int64_t begin = 0; begin < rows.size(0); begin += kFeedForwardChunk)
      chunks.push_back(pass.feed_forward_branch(
          rows.narrow(0, begin, std::min(kFeedForwardChunk, rows.size(0) - begin)), i, begin / kFeedForwardChunk));
    second = second + at::cat(chunks).view_as(second);
  }
  return first + second - x;
}

/// The outcome of the formula, whose gradients are autograd's.
Outcome expected(const model_folder::ModelConfig& config, const std::vector<corpus::Example>& examples,
                 const ForwardOptions& options) {
  return outcome(config, examples, options,
                 [&](const Pass& pass, const auto&...) { return by_formula(pass, config.layers); });
}

TEST(Reversible, IsItsFormulaAndItsGradientsAreAutogradsInDouble) {
  const auto config = reversible();
  const ForwardOptions options{.backend = "dense", .training = true, .compute = at::kDouble};
  const std::vector<corpus::Example> examples{random_example(61, 1), random_example(20, 2)};
  const Outcome reversed = outcome(config, examples, options), kept = expected(config, examples, options);
  EXPECT_GE(kept.gradients.size(), 3u * 6);     // of embeddings, and every layer
  EXPECT_LT(difference(reversed, kept), 1e-6);  // encode() gives fp32
}

TEST(Reversible, WithEveryAttentionDropoutAndLossesOfItsOwn) {
  for (const auto& attention : attention_variants()) {
    auto config = reversible(attention);
    if (config.attention.name == "longformer") config.pattern.name = "global-window";
    const ForwardOptions options{.training = true, .share = 0.5};
    const std::vector<corpus::Example> examples{random_example(90, 1), random_example(33, 2)};
    EXPECT_LT(difference(outcome(config, examples, options), expected(config, examples, options)), 1e-3) << attention;
  }
  auto config = reversible();
  config.dropout = 0.2, config.attention_dropout = 0.1;
  const ForwardOptions options{.training = true, .dropout_seed = 7};
  const std::vector<corpus::Example> examples{random_example(90, 1)};
  const Outcome reversed = outcome(config, examples, options);
  EXPECT_LT(difference(reversed, expected(config, examples, options)), 1e-3);
  config.dropout = 0;
  EXPECT_GT(max_difference(reversed.states, outcome(config, examples, options).states), 0.01);
}

// Subtraction finds the input of each layer again, as well as numbers of this size can be subtracted.
TEST(Reversible, InputsAreFoundAgain) {
  const auto config = reversible();
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(61, 1)}, 4, 0, at::kCPU);
  for (const auto& [type, most] : {std::pair{at::kFloat, 1e-6}, {at::kDouble, 1e-14}}) {
    Parameters cast;
    for (const auto& [name, value] : parameters) cast[name] = value.to(type);
    const auto pass = functions_of(config).pass(config, cast, batch, {.backend = "dense", .compute = type}, nullptr);
    const at::Tensor x = pass->embeddings();
    std::vector<at::Tensor> first{x}, second{x};
    const auto feed_forward = [&](const at::Tensor& at, int64_t i) {
      return pass->feed_forward_branch(at.reshape({-1, config.hidden}), i, 0).view_as(at);
    };
    for (int64_t i = 0; i < config.layers; ++i) {
      first.push_back(first.back() + pass->attention_branch(second.back(), i));
      second.push_back(second.back() + feed_forward(first.back(), i));
    }
    at::Tensor y1 = first.back(), y2 = second.back();
    EXPECT_GT(max_difference(y1, x), 1e-3);
    for (int64_t i = config.layers - 1; i >= 0; --i) {
      y2 = y2 - feed_forward(y1, i);
      y1 = y1 - pass->attention_branch(y2, i);
      EXPECT_LT(max_difference(y1, first[static_cast<size_t>(i)]), most * 10) << i;
      EXPECT_LT(max_difference(y2, second[static_cast<size_t>(i)]), most * 10) << i;
    }
  }
}

TEST(Reversible, FeedForwardChunksAreTheWhole) {
  auto config = reversible();
  config.pattern.name = "window", config.pattern.block = 64, config.layers = 2, config.max_length = 5120;
  config.dropout = 0.1;                                                  // whose masks differ by chunk
  const std::vector<corpus::Example> examples{random_example(5000, 1)};  // more than one chunk
  const Outcome chunks = outcome(config, examples, {.training = true});
  EXPECT_LT(difference(chunks, expected(config, examples, {.training = true})), 1e-3);
  // Without dropout the whole is the same row by row.
  const auto pass =
      functions_of(config).pass(config, initialise(config, 5), make_batch(examples, 64, 0, at::kCPU), {}, nullptr);
  const at::Tensor rows = random_tensor({5000, config.hidden}, 3);
  EXPECT_LT(max_difference(pass->feed_forward_branch(rows, 0, 0).narrow(0, 4096, 904),
                           pass->feed_forward_branch(rows.narrow(0, 4096, 904), 0, 1)),
            1e-6);
}

TEST(Reversible, IsTheSameOnAnyNumberOfThreadsAndBesideOthers) {
  const auto config = reversible("lsh:chunk=8,rounds=2");
  const std::vector<corpus::Example> examples{random_example(120, 1), random_example(33, 2)};
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Outcome one = outcome(config, examples, {.training = true});
  at::set_num_threads(2);
  const Outcome two = outcome(config, examples, {.training = true});
  at::set_num_threads(threads);
  EXPECT_EQ(max_difference(one.states, two.states), 0);
  const Outcome alone = outcome(config, {examples[1]}, {.training = true});
  EXPECT_LT(max_difference(alone.states[0].narrow(0, 0, 33), one.states[1].narrow(0, 0, 33)), 1e-5);
}

TEST(Reversible, Bf16IsNear) {
  const auto config = reversible();
  const std::vector<corpus::Example> examples{random_example(100, 1)};
  const Outcome wide = outcome(config, examples, {});
  const Outcome narrow = outcome(config, examples, {.compute = at::kBFloat16});
  EXPECT_LT(difference(narrow, wide), 0.1);
  EXPECT_GT(difference(narrow, wide), 0);
}

TEST(Reversible, PretrainingReadsRowsAndFewerLayersStopEarlier) {
  const auto config = reversible();
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(61, 1), random_example(20, 2)}, 4, 0, at::kCPU);
  const at::Tensor all = encode(config, parameters, batch, {});
  const auto rows = encode_pretraining(config, parameters, batch, {});
  EXPECT_EQ(max_difference(rows.masked, rows_at(all, batch.masked)), 0);
  auto shorter = config;
  shorter.layers = 1;
  EXPECT_GT(max_difference(encode(config, parameters, batch, {.layers = 1}), all), 1e-3);
  EXPECT_EQ(encode(config, parameters, batch, {.layers = 0}).sizes(), all.sizes());
}

// The embeddings and the first layer may be frozen: only what is above them gets gradients, which stay the same.
TEST(Reversible, FrozenLayersGetNoGradients) {
  const auto config = reversible();
  auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(61, 1)}, 4, 0, at::kCPU);
  const auto gradient_of = [&](bool frozen) {
    for (auto& [name, value] : parameters)
      value = value.detach().requires_grad_(!frozen || name.starts_with("model.layers.2"));
    const at::Tensor loss = encode(config, parameters, batch, {}).square().sum() * 1e-3;
    return torch::autograd::grad({loss}, {parameters.at("model.layers.2.mlp.Wi.weight")})[0];
  };
  EXPECT_EQ(max_difference(gradient_of(true), gradient_of(false)), 0);
}

TEST(Stacks, AreWrittenToConfigJsonAndRefusedWhereTheyDoNotFit) {
  const auto config = reversible("performer:features=16");
  const auto json = model_folder::to_json(config);
  EXPECT_EQ(json["model_type"], "bigdna");
  EXPECT_EQ(json["bigdna"]["stack"], "reversible");
  EXPECT_EQ(model_folder::from_json(io::parse_json(json.dump(), "config.json"), "config.json"), config);
  const auto plain = reversible();  // without another attention
  EXPECT_EQ(model_folder::to_json(plain)["model_type"], "bigdna");
  EXPECT_FALSE(model_folder::to_json(plain)["bigdna"].contains("attention"));
  EXPECT_EQ(model_folder::from_json(io::parse_json(model_folder::to_json(plain).dump(), "c"), "c"), plain);
  EXPECT_FALSE(model_folder::to_json(config_with("blocks"))["bigdna"].contains("stack"));
  auto bigbird = config_with("blocks");
  bigbird.stack = model_folder::stack_from("reversible");
  EXPECT_THROW(model_folder::check(bigbird), UsageError);
  EXPECT_THROW(model_folder::stack_from("towers"), UsageError);
  EXPECT_THROW(model_folder::check_recompute(plain), UsageError);
  model_folder::check_recompute(config_with("blocks"));
}

}  // namespace
}  // namespace bigdna::model
