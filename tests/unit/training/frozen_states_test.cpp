#include "training/frozen_states.h"

#include <gtest/gtest.h>

#include "training/finetune.h"
#include "models/encoder_term.h"
#include "rows/small_rows.h"
#include "genome/alphabet.h"
#include "model/parameters.h"

namespace bigdna::training {
namespace {

struct Fixture {
  explicit Fixture(int threads = 1) {
    config.head_kind = "linear";
    config.pool = "scales";
    run.device = "cpu";
    run.precision = "fp32";
    run.threads = threads;
    parameters = model::initialise(config, 1);
    data = rows::small_rows("promoter", 90, 1);
  }
  model_folder::ModelConfig config = test::small_promoter_model();
  session::RunOptions run;
  model::Parameters parameters;
  rows::TaskRows data;
};

TEST(FrozenStates, AreThoseOfTheSessionForEitherStrandAndAnyThreads) {
  for (const int threads : {1, 2}) {
    Fixture of(threads);
    const session::SequenceReader reader(test::letters(), of.config.max_length, 0.25);
    const session::Session session(of.config, of.parameters, session::Placement(of.run));
    FrozenStates states(reader, session, of.data);
    const std::vector<int64_t> rows{3, 7, 50};
    states.add(rows);
    states.add(rows, /*reversed=*/true);
    states.add({7, 8});
    EXPECT_EQ(states.of(rows), models::all_pooled(reader, session, of.data.bases_of(rows)));
    std::string bases = of.data.bases(7);
    genome::reverse_complement_in_place(bases);
    EXPECT_EQ(states.of(7, true), session.pooled({reader.example(bases, true)}));
    EXPECT_NE(states.of(7, true), states.of(7));
    EXPECT_NO_THROW(states.of(8));
    EXPECT_THROW(states.of(9), std::out_of_range);
  }
}

TEST(FrozenStates, GiveTheLossAndTheValidationThatTheEncoderGives) {
  Fixture of;
  of.config.dropout = of.config.attention_dropout = 0;
  const session::SequenceReader reader(test::letters(), of.config.max_length);
  const session::Placement placement(of.run);
  const session::Session session(of.config, of.parameters, placement);
  FrozenStates states(reader, session, of.data);
  states.add(of.data.of(dataset::Split::train));
  states.add(of.data.of(dataset::Split::validation));
  const FinetuneOptions options;
  FinetunePlan plan;
  plan.config = of.config;
  plan.weights = {1};
  plan.train.learning_rate = 1e-3;
  const auto with = finetune_task({plan.config, reader, placement, of.data, plan.weights, &states}, plan, options);
  const auto without = finetune_task({plan.config, reader, placement, of.data, plan.weights}, plan, options);
  EXPECT_EQ(with.evaluate(of.parameters), without.evaluate(of.parameters));

  const auto loss = [&](const train::TrainingTask& task, const model::Parameters& parameters) {
    std::vector<corpus::Example> examples;
    for (int64_t i = 0; i < 8; ++i) examples.push_back(task.example(i));
    const auto batch = model::make_batch(examples, of.config.pattern.block, of.config.pad_id, at::kCPU);
    return task.forward(parameters, batch, {8, 0}, 1).loss.item<float>();
  };
  EXPECT_NEAR(loss(with, of.parameters), loss(without, of.parameters), 1e-5);
  // could it have come out otherwise? Another encoder has another loss, but with states it is not run.
  const auto other = model::initialise(of.config, 2);
  auto mixed = other;
  for (auto& [name, value] : mixed)
    if (name.starts_with("classifier.")) value = of.parameters.at(name);
  EXPECT_GT(std::abs(loss(without, mixed) - loss(without, of.parameters)), 1e-4);
  EXPECT_NEAR(loss(with, mixed), loss(with, of.parameters), 1e-6);
}

TEST(FrozenStates, AreKeptUpToAGibibyte) {
  EXPECT_TRUE(FrozenStates::fit(1 << 18, 1 << 10));
  EXPECT_FALSE(FrozenStates::fit((1 << 18) + 1, 1 << 10));
}

}  // namespace
}  // namespace bigdna::training
