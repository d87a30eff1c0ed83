#include "model/encoder.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include "base/error.h"
#include "model/attention/backend.h"
#include "model_folder/architecture.h"
#include "model_support.h"

namespace bigdna::model {
namespace {

TEST(BatchTest, PadsToWholeBlocks) {
  const Batch batch = make_batch({random_example(9, 1), random_example(14, 2)}, 4, 0, at::kCPU);
  EXPECT_EQ(batch.ids.sizes(), (std::vector<int64_t>{2, 16}));
  EXPECT_EQ(batch.tokens(), 23);
  EXPECT_EQ(batch.ids[0][9].item<int64_t>(), 0);
  EXPECT_EQ(batch.masked[0].item<int64_t>(), 1);
  EXPECT_EQ(batch.masked[2].item<int64_t>(), 16 + 1);  // the second sequence's first
  EXPECT_EQ(batch.targets.sizes(), (std::vector<int64_t>{2, 1}));
}

using model_folder::Architecture;

/// What holds for every architecture.
class EncodeAny : public testing::TestWithParam<Architecture> {
 protected:
  static model_folder::ModelConfig small_config(int64_t block = 4) { return model::small_config(block, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(architectures, EncodeAny, testing::Values(Architecture::bigbird, Architecture::modern),
                         [](const auto& architecture) {
                           return std::string(model_folder::architecture(architecture.param).name);
                         });

at::Tensor hidden_of(const model_folder::ModelConfig& config, const std::vector<corpus::Example>& examples,
                     const std::string& backend = "auto") {
  return encode(config, initialise(config, 5), make_batch(examples, config.pattern.block, config.pad_id, at::kCPU),
                {.backend = backend});
}

// Own modes: a sequence gives the same numbers alone and beside a longer one, which pads it.
TEST_P(EncodeAny, DoesNotDependOnPadding) {
  for (const auto& row : sparsity::patterns())
    for (const int64_t length : {1, 3, 17, 63, 64}) {
      auto config = small_config();
      config.pattern.name = row.name;
      const at::Tensor alone = hidden_of(config, {random_example(length, 1)})[0].narrow(0, 0, length);
      const at::Tensor padded =
          hidden_of(config, {random_example(length, 1), random_example(128, 2)})[0].narrow(0, 0, length);
      EXPECT_LT(max_difference(alone, padded), 1e-6) << row.name << " " << length;
    }
}

TEST_P(EncodeAny, BackendsAgree) {
  for (const int64_t head : {8, 32, 64}) {
    auto config = small_config();
    config.hidden = 2 * head;
    const std::vector<corpus::Example> examples{random_example(120, 1), random_example(31, 2)};
    const at::Tensor expected = hidden_of(config, examples, "dense");
    for (const auto& row : backends()) {
      const at::Tensor actual = hidden_of(config, examples, std::string(row.name));
      EXPECT_LT(max_difference(actual[0].narrow(0, 0, 120), expected[0].narrow(0, 0, 120)), 1e-5)
          << row.name << " " << head;
      EXPECT_LT(max_difference(actual[1].narrow(0, 0, 31), expected[1].narrow(0, 0, 31)), 1e-5)
          << row.name << " " << head;
    }
  }
}

// transformers gives the states between layers as they are, too.
TEST(Encode, ModernsLastNormFollowsTheLastLayerAlone) {
  auto config = small_config(4, Architecture::modern);
  auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(20, 1)}, 4, 0, at::kCPU);
  const at::Tensor inner = encode(config, parameters, batch, {.layers = 1}),
                   last = encode(config, parameters, batch, {});
  parameters["model.final_norm.weight"] = parameters["model.final_norm.weight"] * 2;
  EXPECT_EQ(max_difference(encode(config, parameters, batch, {.layers = 1}), inner), 0);
  EXPECT_LT(max_difference(encode(config, parameters, batch, {.layers = 2}), last * 2), 1e-6);
}

TEST(Encode, ModernSeesOrderAndNoTokenTypes) {
  auto config = small_config(4, Architecture::modern);
  config.pattern.name = "full";
  auto parameters = initialise(config, 5);
  for (auto& [name, value] : parameters)
    if (value.dim() == 2) value = value * 10;  // attention that is not nearly flat
  const auto here = random_example(40, 1);
  const auto states = [&](const corpus::Example& example) {
    return encode(config, parameters, make_batch({example}, 4, 0, at::kCPU), {})[0];
  };
  auto swapped = here;
  std::swap(swapped.ids[10], swapped.ids[20]);
  EXPECT_GT(max_difference(states(here)[30], states(swapped)[30]), 1e-4);  // without positions they would be equal
  auto types = here;
  for (auto& type : types.token_types) type = 1 - type;
  EXPECT_EQ(max_difference(states(here), states(types)), 0);
}

TEST(Encode, StopsAfterAsManyLayersAsAsked) {
  const auto config = small_config();
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(20, 1)}, 4, 0, at::kCPU);
  auto one_layer = config;
  one_layer.layers = 1;
  EXPECT_EQ(max_difference(encode(config, parameters, batch, {.layers = 1}), encode(one_layer, parameters, batch, {})),
            0);
}

TEST_P(EncodeAny, DropoutRepeatsWithItsSeed) {
  const auto config = small_config();
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
  const auto with_seed = [&](uint64_t seed) {
    return encode(config, parameters, batch, {.training = true, .dropout_seed = seed});
  };
  EXPECT_EQ(max_difference(with_seed(1), with_seed(1)), 0);
  EXPECT_GT(max_difference(with_seed(1), with_seed(2)), 0.01);
}

/// Gradients of a loss over what pretraining reads.
Parameters gradients(const model_folder::ModelConfig& config, const Batch& batch, const ForwardOptions& options,
                     bool cast_first = false) {
  Parameters parameters = initialise(config, 5), gradients;
  for (auto& [name, tensor] : parameters) tensor.requires_grad_(true);
  const Parameters used = cast_first ? cast_for(config, parameters, options.compute) : parameters;
  const auto rows = encode_pretraining(config, used, batch, options);
  const at::Tensor loss = mlm_scores(config, used, rows.masked, batch.masked_labels, options).nats.mean();
  loss.add(rows.first.pow(2).mean()).backward();
  for (const auto& [name, tensor] : parameters)
    if (tensor.grad().defined()) gradients[name] = tensor.grad();
  return gradients;
}

TEST_P(EncodeAny, RecomputingChangesNoBit) {
  auto config = small_config();
  config.dropout = config.attention_dropout = 0.2;
  const Batch batch = make_batch({random_example(60, 1), random_example(90, 2)}, 4, 0, at::kCPU);
  for (const auto compute : {at::kFloat, at::kBFloat16}) {
    ForwardOptions options{.training = true, .dropout_seed = 3, .compute = compute};
    const Parameters kept = gradients(config, batch, options);
    options.recompute = true;
    const Parameters again = gradients(config, batch, options);
    ASSERT_EQ(kept.size(), again.size());
    for (const auto& [name, gradient] : kept) EXPECT_TRUE(gradient.equal(again.at(name))) << name;
  }
}

bool has_node(const torch::autograd::Node* node, const std::string& name) {
  if (node->name().find(name) != std::string::npos) return true;
  for (const auto& edge : node->next_edges())
    if (edge.function && has_node(edge.function.get(), name)) return true;
  return false;
}

TEST_P(EncodeAny, LayersThatAreTrainedAreRecomputedBehindFrozenOnes) {
  const auto config = small_config();
  const Batch batch = make_batch({random_example(30, 1)}, 4, 0, at::kCPU);
  Parameters parameters = initialise(config, 5);
  const std::string last = concat(model_folder::architecture(config).layer, config.layers - 1, ".");
  for (auto& [name, tensor] : parameters) tensor.requires_grad_(name.starts_with(last));
  Parameters gradients[2];
  for (const bool recompute : {false, true}) {
    const at::Tensor hidden = encode(config, parameters, batch, {.recompute = recompute});
    EXPECT_EQ(has_node(hidden.grad_fn().get(), "Recomputed"), recompute);
    hidden.square().sum().backward();
    for (auto& [name, tensor] : parameters)
      if (tensor.grad().defined()) gradients[recompute][name] = tensor.grad().clone(), tensor.mutable_grad().reset();
  }
  ASSERT_GT(gradients[0].size(), 4);
  ASSERT_EQ(gradients[0].size(), gradients[1].size());
  for (const auto& [name, gradient] : gradients[0]) EXPECT_TRUE(gradient.equal(gradients[1].at(name))) << name;
}

// Pretraining computes only those rows that its heads read; their numbers and gradients are those of all rows.
TEST_P(EncodeAny, RowsThatPretrainingReads) {
  struct Case {
    std::string pattern;
    int64_t layers;
    at::ScalarType compute;
    double tolerance;
  };
  for (const auto& [pattern, layers, compute, tolerance] :
       {Case{"bigbird", 0, at::kFloat, 1e-5}, Case{"bigbird", -1, at::kFloat, 1e-5},
        Case{"bigbird-etc", 0, at::kFloat, 1e-5}, Case{"bigbird-etc", -1, at::kFloat, 1e-5},
        Case{"bigbird", -1, at::kBFloat16, 5e-3}}) {
    SCOPED_TRACE(pattern);
    auto config = small_config();
    config.pattern.name = pattern;
    const Batch batch = make_batch({random_example(60, 1), random_example(33, 2)}, 4, 0, at::kCPU);
    Parameters gradients[2];
    at::Tensor masked[2], first[2];
    for (const bool all : {false, true}) {
      Parameters parameters = initialise(config, 5);
      for (auto& [name, tensor] : parameters) tensor.requires_grad_(true);
      const ForwardOptions options{.compute = compute, .layers = layers};
      if (all) {
        const at::Tensor hidden = encode(config, parameters, batch, options);
        masked[1] = rows_at(hidden, batch.masked), first[1] = hidden.narrow(1, 0, 1);
      } else {
        const auto rows = encode_pretraining(config, parameters, batch, options);
        masked[0] = rows.masked, first[0] = rows.first;
      }
      const auto scores = mlm_scores(config, parameters, masked[all], batch.masked_labels, options);
      scores.nats.sum().add(nsp_logits(config, parameters, first[all]).square().sum()).backward();
      if (all) {
        const at::Tensor nats = at::cross_entropy_loss(
            mlm_logits(config, parameters, encode(config, parameters, batch, options), batch.masked, options),
            batch.masked_labels, {}, at::Reduction::None);
        EXPECT_LT(max_difference(scores.nats, nats), tolerance);
      }
      for (const auto& [name, tensor] : parameters)
        if (tensor.grad().defined()) gradients[all][name] = tensor.grad();
    }
    ASSERT_EQ(masked[0].sizes(), masked[1].sizes());
    ASSERT_EQ(first[0].sizes(), first[1].sizes());
    EXPECT_LT(max_difference(masked[0], masked[1]), tolerance);
    EXPECT_LT(max_difference(first[0], first[1]), tolerance);
    ASSERT_EQ(gradients[0].size(), gradients[1].size());
    for (const auto& [name, gradient] : gradients[1])
      EXPECT_LT(max_difference(gradients[0].at(name), gradient) / (1 + gradient.abs().max().item<double>()),
                10 * tolerance)
          << name;
  }
}

TEST_P(EncodeAny, CastingOnceChangesNoBit) {
  const auto config = small_config();
  const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
  const ForwardOptions options{.compute = at::kBFloat16};
  const Parameters each = gradients(config, batch, options), once = gradients(config, batch, options, true);
  for (const auto& [name, gradient] : each) EXPECT_TRUE(gradient.equal(once.at(name))) << name;
}

TEST_P(EncodeAny, BfloatGradientsStayNearSinglePrecision) {
  const auto config = small_config();
  const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
  const Parameters half = gradients(config, batch, {.compute = at::kBFloat16});
  for (const auto& [name, gradient] : gradients(config, batch, {})) {
    EXPECT_EQ(half.at(name).scalar_type(), at::kFloat);
    if (name.ends_with("key.bias")) continue;  // rounding alone: softmax is invariant to it
    const double norm = gradient.norm().item<double>();
    EXPECT_LT((half.at(name) - gradient).norm().item<double>(), 0.1 * norm + 1e-6) << name;
  }
}

TEST_P(EncodeAny, BfloatStaysNearSinglePrecision) {
  const auto config = small_config();
  const auto parameters = initialise(config, 5);
  const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
  const at::Tensor half = encode(config, parameters, batch, {.compute = at::kBFloat16});
  EXPECT_EQ(half.scalar_type(), at::kFloat);
  const double difference = max_difference(half, encode(config, parameters, batch, {}));
  EXPECT_LT(difference, 0.05);
  EXPECT_GT(difference, 0);
}

TEST_P(EncodeAny, RefusesWhatDoesNotFit) {
  auto config = small_config();
  const auto parameters = initialise(config, 5);
  EXPECT_THROW(encode(config, parameters, make_batch({random_example(129, 1)}, 4, 0, at::kCPU), {}), Error);
  EXPECT_THROW(encode(config, parameters, make_batch({random_example(20, 1, 100)}, 4, 0, at::kCPU), {}), Error);
}

// The last block's padding may reach past the last position.
TEST_P(EncodeAny, MaximumLengthNeedNotBeWholeBlocks) {
  auto config = small_config(16);
  config.max_length = 100;
  EXPECT_EQ(hidden_of(config, {random_example(100, 1)}).size(1), 112);
}

/// MLM and NSP loss, every parameter's gradient among them.
double loss_of(const model_folder::ModelConfig& config, const Parameters& parameters, const Batch& batch,
               const ForwardOptions& options, bool backward) {
  const at::Tensor hidden = encode(config, parameters, batch, options);
  const at::Tensor mlm =
      at::cross_entropy_loss(mlm_logits(config, parameters, hidden, batch.masked), batch.masked_labels);
  const at::Tensor nsp =
      at::cross_entropy_loss(nsp_logits(config, parameters, hidden), batch.targets.select(1, 0).to(at::kLong));
  const at::Tensor loss = mlm + nsp;
  if (backward) loss.backward();
  return loss.item<double>();
}

TEST_P(EncodeAny, PretrainingsGradientsAgreeWithFiniteDifferences) {
  const auto config = small_config();
  auto parameters = initialise(config, 5);
  for (auto& [name, value] : parameters) value = (value * 5 + 0.01).requires_grad_(true);  // away from a flat start
  for (auto& [name, value] : parameters) value = value.detach().requires_grad_(true);
  const Batch batch = make_batch({random_example(60, 1), random_example(33, 2)}, 4, 0, at::kCPU);
  const ForwardOptions options{.training = true, .dropout_seed = 4};  // the mask is the same each time
  loss_of(config, parameters, batch, options, true);
  for (const auto& [name, value] : parameters) {
    ASSERT_TRUE(value.grad().defined()) << name;
    const at::Tensor direction = random_tensor(value.sizes(), 3);
    const double step = 2e-3 / direction.norm().item<double>();
    const auto moved = [&](double by) {
      auto copy = parameters;
      copy[name] = value.detach() + direction * by;
      return loss_of(config, copy, batch, options, false);
    };
    const double numeric = (moved(step) - moved(-step)) / (2 * step),
                 analytic = (value.grad() * direction).sum().item<double>();
    EXPECT_NEAR(numeric, analytic, 0.02 * std::abs(analytic) + 0.01) << name;
  }
}

// Extra global tokens are learned, and every token sees them.
TEST_P(EncodeAny, ExtraGlobalTokens) {
  auto config = small_config();
  config.pattern.name = "bigbird-etc";
  auto parameters = initialise(config, 5);
  auto& global = parameters.at("bigdna.global_embeddings.weight");
  EXPECT_EQ(global.sizes(), (std::vector<int64_t>{8, 16}));
  const Batch batch = make_batch({random_example(70, 1)}, 4, 0, at::kCPU);
  const at::Tensor before = encode(config, parameters, batch, {});
  EXPECT_EQ(before.size(1), 72);
  global.requires_grad_(true);
  (encode(config, parameters, batch, {})[0][69] * random_tensor({16}, 2)).sum().backward();
  EXPECT_GT(max_difference(global.grad(), 0), 0);
}

TEST_P(EncodeAny, RefusesIdsOutsideTheVocabularyAndTooManyTokens) {
  const auto config = small_config();
  const auto parameters = initialise(config, 1);
  auto example = random_example(9, 1);
  example.ids[4] = static_cast<int32_t>(config.vocab_size);
  EXPECT_THROW(encode(config, parameters, make_batch({random_example(9, 1), example}, 4, 0, at::kCPU), {}), Error);
  EXPECT_THROW(encode(config, parameters, make_batch({random_example(config.max_length + 1, 1)}, 4, 0, at::kCPU), {}),
               Error);
}

TEST_P(EncodeAny, BothKindsOfTaskHead) {
  for (const std::string kind : {"classification", "linear"}) {
    auto config = small_config();
    config.head = "chromatin";
    config.head_kind = kind;
    config.labels = 7;
    const auto parameters = initialise(config, 1);
    EXPECT_EQ(parameters.count(concat(model_folder::architecture(config).task_dense, ".weight")),
              kind == "classification" ? 1u : 0u);
    const Batch batch = make_batch({random_example(20, 1), random_example(9, 2)}, 4, 0, at::kCPU);
    EXPECT_EQ(task_logits(config, parameters, encode(config, parameters, batch, {}), batch, {}).sizes(),
              (std::vector<int64_t>{2, 7}));
  }
}

TEST(TaskHead, MeanPoolingReadsEveryTokenAndNoPadding) {
  auto config = small_config();
  config.head = "promoter";
  config.labels = 1;
  config.pool = "mean";
  const auto parameters = initialise(config, 1);
  const auto logits = [&](const std::vector<corpus::Example>& examples) {
    const Batch batch = make_batch(examples, 4, 0, at::kCPU);
    return task_logits(config, parameters, encode(config, parameters, batch, {}), batch, {});
  };
  const auto alone = logits({random_example(9, 2)}), padded = logits({random_example(9, 2), random_example(20, 1)});
  EXPECT_LT(max_difference(alone, padded.narrow(0, 0, 1)), 1e-5);

  const Batch batch = make_batch({random_example(9, 2)}, 4, 0, at::kCPU);
  auto hidden = encode(config, parameters, batch, {}).detach().clone().requires_grad_(true);
  task_logits(config, parameters, hidden, batch, {}).sum().backward();
  for (int64_t token = 0; token < hidden.size(1); ++token)
    EXPECT_EQ(hidden.grad()[0][token].abs().sum().item<float>() > 0, token < 9) << token;
}

TEST(TaskHead, ScalesReadTheirTokens) {
  auto config = small_config();
  config.head = "promoter";
  config.labels = 1;
  config.pool = "scales";
  auto example = random_example(9, 2);
  example.scales = {{2, 6}, {4, 5}};
  const Batch batch = make_batch({example, example}, 4, 0, at::kCPU);
  const at::Tensor hidden = random_tensor({2, 12, config.hidden}, 3);
  const at::Tensor numbers = pooled(config, hidden, batch);
  ASSERT_EQ(numbers.sizes(), (std::vector<int64_t>{2, config.pooled_size()}));
  const auto part = [&](int64_t i) { return numbers[1].narrow(0, i * config.hidden, config.hidden); };
  EXPECT_LT(max_difference(part(0), hidden[1].narrow(0, 0, 9).mean(0)), 1e-6);
  EXPECT_LT(max_difference(part(1), hidden[1].narrow(0, 2, 4).mean(0)), 1e-6);
  EXPECT_LT(max_difference(part(2), hidden[1][4]), 1e-6);
  EXPECT_THROW(pooled(config, hidden, make_batch({random_example(9, 2), random_example(9, 2)}, 4, 0, at::kCPU)), Error);
}

}  // namespace
}  // namespace bigdna::model
