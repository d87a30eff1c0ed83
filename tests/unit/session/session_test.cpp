#include "session/session.h"

#include <ATen/ops/allclose.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "model/parameters.h"
#include "session/reader.h"
#include "session/small_model.h"

namespace bigdna::session {
namespace {

Placement placement(int threads) {
  Placement placement;
  placement.threads = threads;
  return placement;
}

/// Sequences of many lengths, in no order.
std::vector<corpus::Example> examples() {
  const SequenceReader reader(test::letters(), 64);
  std::vector<corpus::Example> all;
  for (int i = 0; i < 40; ++i)
    all.push_back(reader.example(test::random_bases(3 + i * 17 % 59, static_cast<uint64_t>(i))));
  return all;
}

TEST(Session, HiddenStatesComeInTheOrderOfTheExamples) {
  const auto config = test::small_promoter_model();
  const Session session(config, model::initialise(config, 1), placement(1));
  const auto all = examples();
  const auto together = session.hidden(all);
  ASSERT_EQ(together.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const auto alone = session.hidden({all[i]}).front();
    EXPECT_EQ(together[i].sizes(), (std::vector<int64_t>{static_cast<int64_t>(all[i].ids.size()), config.hidden}));
    EXPECT_TRUE(at::allclose(together[i], alone, 0, 1e-5)) << i;
  }
  const auto embeddings = session.hidden({all[0]}, 0).front();
  EXPECT_FALSE(at::allclose(embeddings, together[0], 0, 1e-3));  // not after the same layer
}

TEST(Session, MaskedScoresComeInTheOrderOfTheExamplesOnAnyThreads) {
  auto config = test::small_promoter_model();
  config.head = "pretraining";
  config.labels = 0;
  const auto parameters = model::initialise(config, 1);
  auto all = examples();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t at = 1 + i % 2; at + 1 < all[i].ids.size(); at += 3) {  // the last may have none
      all[i].masked.push_back(static_cast<int32_t>(at));
      all[i].masked_labels.push_back(all[i].ids[at]);
      all[i].ids[at] = 4;
    }
    all[i].targets = {static_cast<float>(i % 2)};
  }
  auto one = placement(1), two = placement(2), single = placement(1);
  one.batch_tokens = two.batch_tokens = 200;
  single.batch_tokens = 1;  // every example by itself
  const auto scores = Session(config, parameters, one).masked(all);
  const auto threads = Session(config, parameters, two).masked(all);
  const auto alone = Session(config, parameters, single).masked(all);
  EXPECT_EQ(scores.nats, threads.nats);
  EXPECT_EQ(scores.correct, threads.correct);
  EXPECT_EQ(scores.pairs, threads.pairs);
  EXPECT_EQ(scores.pairs.size(), all.size());
  EXPECT_EQ(scores.correct, alone.correct);
  EXPECT_EQ(scores.pairs, alone.pairs);
  ASSERT_EQ(scores.nats.size(), alone.nats.size());
  for (size_t i = 0; i < scores.nats.size(); ++i) EXPECT_NEAR(scores.nats[i], alone.nats[i], 1e-5);
  for (auto& example : all) example.targets.clear();
  EXPECT_TRUE(Session(config, parameters, one).masked(all).pairs.empty());
  EXPECT_TRUE(Session(config, parameters, one).masked({}).nats.empty());
}

TEST(Session, ValuesThatAreNotFiniteAreAnErrorThatNamesTheModel) {
  auto config = test::small_promoter_model();
  auto pretraining = config;
  pretraining.head = "pretraining";
  pretraining.labels = 0;
  auto all = examples();
  const auto error_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  for (const double value : {std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY), 3e38}) {
    for (const auto* of : {&config, &pretraining}) {
      auto parameters = model::initialise(*of, 1);
      parameters.at("bert.encoder.layer.0.output.dense.weight").fill_(value);
      const Session session(*of, parameters, placement(1), "folder");
      const std::string expected = "folder: the model gives values that are not finite numbers";
      EXPECT_TRUE(error_of([&] { session.hidden(all); }).starts_with(expected)) << value;
      EXPECT_TRUE(error_of([&] { session.text_means(all); }).starts_with(expected)) << value;
      if (of == &config) {
        EXPECT_TRUE(error_of([&] { session.logits(all); }).starts_with(expected)) << value;
        EXPECT_TRUE(error_of([&] { session.pooled(all); }).starts_with(expected)) << value;
      } else {
        auto masked = all;
        for (auto& example : masked) {
          example.masked = {1};
          example.masked_labels = {example.ids[1]};
        }
        EXPECT_TRUE(error_of([&] { session.masked(masked); }).starts_with(expected)) << value;
      }
    }
  }
  // only the head of next-sentence prediction, whose answers are comparisons
  auto parameters = model::initialise(pretraining, 1);
  parameters.at("cls.seq_relationship.weight").fill_(std::nan(""));
  for (auto& example : all) example.targets = {0};
  EXPECT_NE(error_of([&] { Session(pretraining, parameters, placement(1)).masked(all); }), "");
}

}  // namespace
}  // namespace bigdna::session
