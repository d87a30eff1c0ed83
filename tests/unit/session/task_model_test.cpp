#include "session/task_model.h"

#include <gtest/gtest.h>

#include "genome/alphabet.h"
#include "model/parameters.h"
#include "session/small_model.h"

namespace bigdna::session {
namespace {

TEST(CorrectForWeight, TakesTheOddsBack) {
  EXPECT_FLOAT_EQ(correct_for_weight(0.5f, 8), 1.f / 9);
  EXPECT_FLOAT_EQ(correct_for_weight(0.3f, 1), 0.3f);
  EXPECT_FLOAT_EQ(correct_for_weight(0, 8), 0);
  EXPECT_FLOAT_EQ(correct_for_weight(1, 8), 1);
}

TEST(TaskModel, ScoresDoNotDependOnThreadsAndAverageBothStrands) {
  const auto config = test::small_promoter_model();
  const auto parameters = model::initialise(config, 1);
  std::vector<std::string> bases, reverse;
  for (int i = 0; i < 70; ++i) {
    bases.push_back(test::random_bases(5 + i * 3 % 50, static_cast<uint64_t>(i)));
    reverse.push_back(genome::reverse_complement(bases.back()));
  }
  RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const SequenceReader reader(test::letters(), config.max_length);
  const Session one(config, parameters, Placement(options));
  options.threads = 2;
  const Session two(config, parameters, Placement(options));
  const auto forward = all_probabilities(reader, one, bases, Strands::forward);
  EXPECT_EQ(forward, all_probabilities(reader, two, bases, Strands::forward));
  const auto backward = all_probabilities(reader, one, reverse, Strands::forward);
  const auto average = all_probabilities(reader, one, bases, Strands::average);
  ASSERT_EQ(average.size(), 70u);
  for (size_t i = 0; i < 70; ++i) EXPECT_NEAR(average[i], (forward[i] + backward[i]) / 2, 1e-6);
  // a sequence's score does not depend on what shares its batch
  for (size_t i = 0; i < 70; i += 23)
    EXPECT_NEAR(all_probabilities(reader, one, std::span(&bases[i], 1), Strands::forward)[0], forward[i], 1e-6);
}

TEST(TaskModel, AverageReadsBothStrandsAtTheSameSite) {
  auto config = test::small_promoter_model();
  config.pool = "scales";
  config.max_length = 1600;
  const auto parameters = model::initialise(config, 1);
  const std::vector<std::string> bases{test::random_bases(1500, 1)}, reverse{genome::reverse_complement(bases[0])};
  RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const Session session(config, parameters, Placement(options));
  const SequenceReader reader(test::letters(), config.max_length, 0.8), mirrored(test::letters(), config.max_length, 0.2);
  const float forward = all_probabilities(reader, session, bases, Strands::forward)[0];
  const float backward = all_probabilities(mirrored, session, reverse, Strands::forward)[0];
  EXPECT_NEAR(all_probabilities(reader, session, bases, Strands::average)[0], (forward + backward) / 2, 1e-6);
  EXPECT_GT(std::abs(all_probabilities(reader, session, reverse, Strands::forward)[0] - backward), 1e-6);
}

}  // namespace
}  // namespace bigdna::session
