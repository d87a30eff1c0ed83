#include "models/task_details.h"

#include <gtest/gtest.h>

#include <cmath>

#include "genome/alphabet.h"
#include "model/parameters.h"
#include "session/small_model.h"

namespace bigdna::models {
namespace {

TEST(Answers, AWeightIsTakenBackFromTheOdds) {
  Answers answers;
  answers.weights = {8, 1};
  std::vector<double> given{0.5, 0.3, 0, 0, 1, 1};
  answers.correct(given, 2);
  const std::vector<double> expected{1. / 9, 0.3, 0, 0, 1, 1};
  for (size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(given[i], expected[i], 1e-15);
  // from a logit on: the odds of almost 1 keep their digits, which a float would have lost
  std::vector<double> almost{14, -14};
  answers.apply(almost, 2);
  answers.correct(almost, 2);
  EXPECT_NEAR((1 - almost[0]) / (8 * std::exp(-14)), 1, 1e-4);
  EXPECT_NEAR(almost[1] / std::exp(-14), 1, 1e-5);
}

TEST(Answers, APartCountsNoWeightsAndHasTheNumbersUnits) {
  std::vector<double> logits{0, 2};
  Answers answers;
  answers.weights = {8};
  answers.of_part(logits, 2);
  EXPECT_DOUBLE_EQ(logits[0], 0.5);
  EXPECT_DOUBLE_EQ(logits[1], 1 / (1 + std::exp(-2)));
  std::vector<double> numbers{0, 2, -1, 1};
  answers.link = Answers::Link::linear;
  answers.mean = {10, 20};
  answers.scale = {3, 5};
  answers.of_part(numbers, 2);
  EXPECT_EQ(numbers, (std::vector<double>{10, 30, 7, 25}));
}

TEST(TaskModel, ProbabilitiesAreTheSigmoidOfTheLogits) {
  const auto config = test::small_promoter_model();
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const session::Session session(config, model::initialise(config, 1), session::Placement(options));
  const session::SequenceReader reader(test::letters(), config.max_length);
  std::vector<std::string> bases;
  for (int i = 0; i < 40; ++i) bases.push_back(test::random_bases(3 + i * 17 % 59, static_cast<uint64_t>(i)));
  const auto logits = TaskModel(reader, session).all_logits(bases);
  const auto probabilities = TaskModel(reader, session).all_predictions(bases, session::Strands::forward);
  ASSERT_EQ(logits.size(), 40u);
  for (size_t i = 0; i < logits.size(); ++i)
    EXPECT_DOUBLE_EQ(probabilities[i], 1 / (1 + std::exp(-static_cast<double>(logits[i]))));
}

TEST(TaskModel, ScoresDoNotDependOnThreadsAndAverageBothStrands) {
  const auto config = test::small_promoter_model();
  const auto parameters = model::initialise(config, 1);
  std::vector<std::string> bases, reverse;
  for (int i = 0; i < 70; ++i) {
    bases.push_back(test::random_bases(5 + i * 3 % 50, static_cast<uint64_t>(i)));
    reverse.push_back(genome::reverse_complement(bases.back()));
  }
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const session::SequenceReader reader(test::letters(), config.max_length);
  const session::Session one(config, parameters, session::Placement(options));
  options.threads = 2;
  const session::Session two(config, parameters, session::Placement(options));
  const auto forward = TaskModel(reader, one).all_predictions(bases, session::Strands::forward);
  EXPECT_EQ(forward, TaskModel(reader, two).all_predictions(bases, session::Strands::forward));
  const auto backward = TaskModel(reader, one).all_predictions(reverse, session::Strands::forward);
  const auto average = TaskModel(reader, one).all_predictions(bases, session::Strands::average);
  ASSERT_EQ(average.size(), 70u);
  for (size_t i = 0; i < 70; ++i) EXPECT_NEAR(average[i], (forward[i] + backward[i]) / 2, 1e-6);
  // a sequence's score does not depend on what shares its batch
  for (size_t i = 0; i < 70; i += 23)
    EXPECT_NEAR(TaskModel(reader, one).all_predictions(std::span(&bases[i], 1), session::Strands::forward)[0],
                forward[i], 1e-6);
}

TEST(TaskModel, AverageReadsBothStrandsAtTheSameSite) {
  auto config = test::small_promoter_model();
  config.pool = "scales";
  config.max_length = 1600;
  const auto parameters = model::initialise(config, 1);
  const std::vector<std::string> bases{test::random_bases(1500, 1)}, reverse{genome::reverse_complement(bases[0])};
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const session::Session session(config, parameters, session::Placement(options));
  const session::SequenceReader reader(test::letters(), config.max_length, 0.8);
  const session::SequenceReader mirrored(test::letters(), config.max_length, 0.2);
  const double forward = TaskModel(reader, session).all_predictions(bases, session::Strands::forward)[0];
  const double backward = TaskModel(mirrored, session).all_predictions(reverse, session::Strands::forward)[0];
  EXPECT_NEAR(TaskModel(reader, session).all_predictions(bases, session::Strands::average)[0], (forward + backward) / 2,
              1e-6);
  EXPECT_GT(std::abs(TaskModel(reader, session).all_predictions(reverse, session::Strands::forward)[0] - backward),
            1e-6);
}

}  // namespace
}  // namespace bigdna::models
