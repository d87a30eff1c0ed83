/// Properties of every row of the table of stacks: gradients, padding, batch mates, threads, any length, saving,
/// recomputation, bf16.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "model/parallel.h"
#include "stacks_support.h"
#include "support.h"
#include "whole_model_support.h"

namespace bigdna::model {
namespace {

class EveryStack : public testing::TestWithParam<std::tuple<std::string, Architecture>> {
 protected:
  static model_folder::ModelConfig config(const std::string& attention = "blocks") {
    return with_stack(std::get<0>(GetParam()), std::get<1>(GetParam()), attention);
  }
};
INSTANTIATE_TEST_SUITE_P(Rows, EveryStack, testing::ValuesIn(stack_variants()), [](const auto& variant) {
  std::string name = std::get<0>(variant.param) + "_";
  name += model_folder::architecture(std::get<1>(variant.param)).name;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(Stacks, HaveNamesAndSettingsThatAreTheirOwn) {
  std::set<std::string_view> names;
  for (const auto& row : model_folder::attentions()) names.insert(row.name);  // own parameters are found by both
  for (const auto& row : model_folder::stacks()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const auto text : {row.summary, row.source, row.equation, row.oracle}) EXPECT_FALSE(text.empty()) << row.name;
    for (const auto& setting : row.settings)
      EXPECT_TRUE(setting.start >= setting.least && setting.start <= setting.most) << row.name << " " << setting.name;
    for (const auto& own : row.parameters)
      EXPECT_EQ(model_folder::own_parameter(concat("model.layers.7.bigdna.", row.name, ".", own.name)), &own);
    const auto chosen = model_folder::stack_from(row.name);
    EXPECT_EQ(model_folder::stack_from(model_folder::to_string(chosen)), chosen);
  }
  EXPECT_EQ(model_folder::to_string(model_folder::StackConfig()), "residual");
}

// In double precision, of what the layers give; encode() would round to single precision.
TEST_P(EveryStack, GradientsAgreeWithFiniteDifferences) {
  const auto c = config();
  Parameters parameters = moved_weights(c, at::kDouble);
  const Batch batch = make_batch({random_example(41, 1), random_example(18, 2)}, 4, 0, at::kCPU);
  const auto loss = [&] {
    const auto pass = functions_of(c).pass(c, parameters, batch, {.backend = "dense", .compute = at::kDouble}, nullptr);
    StackCall call{.pass = pass, .runs = model_folder::layer_runs(c), .parameters = {}, .recompute = false, .read = {}};
    for (int64_t i = 0; i < c.layers; ++i) {
      call.parameters.emplace_back();
      for (const auto& [name, value] : parameters)
        if (value.requires_grad() && name.starts_with(concat(model_folder::architecture(c).layer, i, ".")))
          call.parameters.back().push_back(value);
    }
    const at::Tensor states = pass->finish(run_stack(c, call, pass->embeddings()));
    at::Tensor sum = at::zeros({}, states.options());
    for (int64_t b = 0; b < 2; ++b) {
      const at::Tensor mine = states[b].narrow(0, 0, batch.lengths[static_cast<size_t>(b)]);
      sum = sum + (mine * random_tensor(mine.sizes(), 30).to(at::kDouble)).sum();
    }
    return sum;
  };
  loss().backward();
  const at::NoGradGuard guard;
  for (auto& [name, tensor] : parameters) {
    if (!name.starts_with(model_folder::architecture(c).encoder) || name.find("pooler") != name.npos) continue;
    ASSERT_TRUE(tensor.grad().defined()) << name;
    const at::Tensor direction = random_tensor(tensor.sizes(), 3).to(at::kDouble);
    const double step = 1e-6;
    const auto moved = [&](double by) {
      tensor.add_(direction, by);
      const double value = loss().item<double>();
      tensor.sub_(direction, by);
      return value;
    };
    const double numeric = (moved(step) - moved(-step)) / (2 * step),
                 analytic = (tensor.grad() * direction).sum().item<double>();
    EXPECT_NEAR(numeric, analytic, 2e-5 * (1 + std::abs(analytic))) << name;
  }
}

TEST_P(EveryStack, AnyLengthAloneAndBesideALongerOne) {
  for (const char* attention : {"blocks", "lsh:chunk=8,rounds=2"}) {
    const auto c = config(attention);
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
}

// In every stack: the states of a causal model are those of its first tokens alone, and what follows has no gradient.
TEST_P(EveryStack, CausalModelsReadNothingThatFollows) {
  auto c = config();
  c.head = "mlm";
  c.pattern.causal = true;
  model_folder::check(c);
  const auto parameters = moved_weights(c);
  const auto encoded = [&](const std::vector<corpus::Example>& examples) {
    return encode(c, parameters, make_batch(examples, c.pattern.block, c.pad_id, at::kCPU), {});
  };
  const auto whole = random_example(75, 1);
  const at::Tensor all = encoded({whole})[0];
  for (const int64_t length : {1, 2, 4, 5, 31, 64, 74}) {
    auto part = whole;
    part.ids.resize(static_cast<size_t>(length)), part.token_types.resize(static_cast<size_t>(length));
    EXPECT_LT(max_difference(encoded({part})[0].narrow(0, 0, length), all.narrow(0, 0, length)), 5e-6) << length;
    auto other = random_example(75, 2);
    std::copy_n(whole.ids.begin(), length, other.ids.begin());
    EXPECT_TRUE(encoded({other})[0].narrow(0, 0, length).equal(all.narrow(0, 0, length))) << length;
    EXPECT_FALSE(encoded({other})[0].narrow(0, length, 1).equal(all.narrow(0, length, 1))) << length;
  }
}

TEST_P(EveryStack, IsTheSameOnAnyThread) {
  const auto c = config();
  const std::vector<corpus::Example> examples{random_example(90, 1), random_example(33, 2)};
  const auto once = [&] {
    const OneThreadPerOperation single;
    return outcome(c, examples, {.training = true});
  };
  const Outcome expected = once();
  std::vector<int> equal(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < equal.size(); ++i)
    threads.emplace_back([&, i] {
      const Outcome actual = once();
      equal[i] =
          actual.states.equal(expected.states) && std::ranges::all_of(actual.gradients, [&](const auto& gradient) {
            return gradient.second.equal(expected.gradients.at(gradient.first));
          });
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(3, 1));
}

TEST_P(EveryStack, RecomputingChangesNoBitAndEveryOwnWeightHasAGradient) {
  auto c = config();
  c.dropout = c.attention_dropout = 0.1;
  const std::vector<corpus::Example> examples{random_example(90, 1), random_example(33, 2)};
  const Outcome kept = outcome(c, examples, {.training = true, .dropout_seed = 3}),
                again = outcome(c, examples, {.training = true, .dropout_seed = 3, .recompute = true});
  EXPECT_TRUE(kept.states.equal(again.states));
  expect_same_gradients_of_all(c, kept.gradients, again.gradients);
}

TEST_P(EveryStack, BfloatStaysNearSinglePrecision) { expect_near_in_bf16(config()); }

TEST_P(EveryStack, PretrainingReadsRows) {
  const auto c = config();
  const auto parameters = initialise(c, 5);
  const Batch batch = make_batch({random_example(61, 1), random_example(20, 2)}, 4, 0, at::kCPU);
  const at::Tensor all = encode(c, parameters, batch, {});
  const auto rows = encode_pretraining(c, parameters, batch, {});
  EXPECT_LT(max_difference(rows.masked, rows_at(all, batch.masked)), 2e-6);
}

TEST_P(EveryStack, SavesAndLoads) {
  const auto c = config();
  EXPECT_EQ(model_folder::to_json(c).at("model_type") == "bigdna", !model_folder::stack(c).plain);
  expect_saves_and_loads(c);
}

// The embeddings and the first layers may be frozen: only what is above them gets gradients, which stay the same.
TEST_P(EveryStack, FrozenLayersGetNoGradients) {
  const auto c = config();
  const std::string last = concat(model_folder::architecture(c).layer, c.layers - 1, ".");
  Parameters parameters = moved_weights(c);
  const Batch batch = make_batch({random_example(61, 1)}, 4, 0, at::kCPU);
  const auto gradients = [&](bool frozen) {
    std::vector<at::Tensor> leaves;
    for (auto& [name, value] : parameters) {
      value = value.detach().requires_grad_(!frozen || name.starts_with(last));
      if (name.starts_with(last)) leaves.push_back(value);
    }
    const at::Tensor loss = encode(c, parameters, batch, {.training = true}).square().sum() * 1e-3;
    return torch::autograd::grad({loss}, leaves);
  };
  const auto frozen = gradients(true), all = gradients(false);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(max_difference(frozen[i], all[i]), 0) << i;
}

}  // namespace
}  // namespace bigdna::model
