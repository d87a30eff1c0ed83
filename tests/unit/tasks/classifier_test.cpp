#include "tasks/classifier.h"

#include <gtest/gtest.h>

#include "genome/alphabet.h"
#include "model/parameters.h"
#include "tasks/small_model.h"

namespace bigdna::tasks {
namespace {

TEST(MakeExample, ClsSequenceSep) {
  const tokenizer::Encoder encoder(letters());
  std::atomic<int64_t> truncated{0};
  const auto example = make_example(encoder, "ACGT", 16, 0.5, truncated);
  EXPECT_EQ(example.ids, (std::vector<int32_t>{2, 5, 6, 7, 8, 3}));
  EXPECT_EQ(example.token_types.size(), 6u);
  EXPECT_EQ(truncated, 0);
}

TEST(MakeExample, CutsAroundItsAnchor) {
  const tokenizer::Encoder encoder(letters());
  std::atomic<int64_t> truncated{0};
  const auto bases = std::string(40, 'A') + "CCCCC" + "GGGGG" + std::string(40, 'T');
  const auto example = make_example(encoder, bases, 12, 0.5, truncated);
  EXPECT_EQ(example.ids, (std::vector<int32_t>{2, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 3}));
  EXPECT_EQ(truncated, 1);
  EXPECT_EQ(make_example(encoder, bases, 12, 0, truncated).ids,
            (std::vector<int32_t>{2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3}));
  EXPECT_EQ(make_example(encoder, bases, 12, 1, truncated).ids[1], 8);
}

TEST(CorrectForWeight, TakesTheOddsBack) {
  EXPECT_FLOAT_EQ(correct_for_weight(0.5f, 8), 1.f / 9);
  EXPECT_FLOAT_EQ(correct_for_weight(0.3f, 1), 0.3f);
  EXPECT_FLOAT_EQ(correct_for_weight(0, 8), 0);
  EXPECT_FLOAT_EQ(correct_for_weight(1, 8), 1);
}

TEST(Classifier, ScoresDoNotDependOnThreadsAndAverageBothStrands) {
  const auto config = small_promoter_model();
  const auto parameters = model::initialise(config, 1);
  std::vector<std::string> bases, reverse;
  for (int i = 0; i < 70; ++i) {
    bases.push_back(random_bases(5 + i * 3 % 50, static_cast<uint64_t>(i)));
    reverse.push_back(genome::reverse_complement(bases.back()));
  }
  RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const Classifier one(config, letters(), options);
  options.threads = 2;
  const Classifier two(config, letters(), options);
  const auto forward = one.score(parameters, bases, Strands::forward);
  EXPECT_EQ(forward, two.score(parameters, bases, Strands::forward));
  const auto backward = one.score(parameters, reverse, Strands::forward);
  const auto average = one.score(parameters, bases, Strands::average);
  ASSERT_EQ(average.size(), 70u);
  for (size_t i = 0; i < 70; ++i) EXPECT_NEAR(average[i], (forward[i] + backward[i]) / 2, 1e-6);
  // a sequence's score does not depend on what shares its batch
  for (size_t i = 0; i < 70; i += 23)
    EXPECT_NEAR(one.score(parameters, std::span(&bases[i], 1), Strands::forward)[0], forward[i], 1e-6);
}

}  // namespace
}  // namespace bigdna::tasks
