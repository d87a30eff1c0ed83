#include "session/classifier.h"

#include <gtest/gtest.h>

#include "genome/alphabet.h"
#include "model/parameters.h"
#include "session/small_model.h"

namespace bigdna::session {
namespace {

TEST(MakeExample, ClsSequenceSep) {
  const tokenizer::Encoder encoder(test::letters());
  std::atomic<int64_t> truncated{0};
  const auto example = make_example(encoder, "ACGT", 16, 0.5, truncated);
  EXPECT_EQ(example.ids, (std::vector<int32_t>{2, 5, 6, 7, 8, 3}));
  EXPECT_EQ(example.token_types.size(), 6u);
  EXPECT_EQ(truncated, 0);
}

TEST(MakeExample, CutsAroundItsAnchor) {
  const tokenizer::Encoder encoder(test::letters());
  std::atomic<int64_t> truncated{0};
  const auto bases = std::string(40, 'A') + "CCCCC" + "GGGGG" + std::string(40, 'T');
  const auto example = make_example(encoder, bases, 12, 0.5, truncated);
  EXPECT_EQ(example.ids, (std::vector<int32_t>{2, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 3}));
  EXPECT_EQ(truncated, 1);
  EXPECT_EQ(make_example(encoder, bases, 12, 0, truncated).ids,
            (std::vector<int32_t>{2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3}));
  EXPECT_EQ(make_example(encoder, bases, 12, 1, truncated).ids[1], 8);
}

TEST(MakeExample, ScalesAreTheTokensAroundTheAnchor) {
  const tokenizer::Encoder encoder(test::letters());
  std::atomic<int64_t> truncated{0};
  const auto ranges = [&](const std::string& bases, int64_t max_length, double anchor) {
    std::vector<std::pair<int, int>> all;
    for (const auto& [first, last] : make_example(encoder, bases, max_length, anchor, truncated).scales) all.emplace_back(first, last);
    return all;
  };
  using Ranges = std::vector<std::pair<int, int>>;
  // letters: base i is token i + 1
  EXPECT_EQ(ranges(std::string(2000, 'A'), 4000, 0.5), (Ranges{{501, 1501}, {901, 1101}}));
  EXPECT_EQ(ranges(std::string(2000, 'A'), 4000, 0), (Ranges{{1, 501}, {1, 101}}));
  EXPECT_EQ(ranges(std::string(2000, 'A'), 4000, 1), (Ranges{{1500, 2001}, {1900, 2001}}));
  EXPECT_EQ(ranges(std::string(2000, 'A'), 302, 0.5), (Ranges{{1, 301}, {51, 251}}));  // bases 850..1149 are kept
  EXPECT_EQ(ranges("ACG", 16, 0.5), (Ranges{{1, 4}, {1, 4}}));
  EXPECT_EQ(ranges("", 16, 0.5), (Ranges{{0, 2}, {0, 2}}));  // [CLS] [SEP]
}

TEST(MakeExample, ATokenThatReachesIntoAScaleIsPartOfIt) {
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  float score = 0;
  for (const char* piece : {"AA", "AAAA", "A", "C", "G", "T", "N"}) pieces.push_back({piece, --score, false});
  const tokenizer::Encoder encoder(tokenizer::Vocabulary(pieces, {}));
  std::atomic<int64_t> truncated{0};
  // tokens of 4 bases; the 200 bp around base 301 are 201..400: from the token 200..203 to the one 400..403
  const auto example = make_example(encoder, std::string(602, 'A'), 1000, 0.5, truncated);
  EXPECT_EQ(example.scales[1].first, 1 + 50);
  EXPECT_EQ(example.scales[1].last, 1 + 101);
}

TEST(CorrectForWeight, TakesTheOddsBack) {
  EXPECT_FLOAT_EQ(correct_for_weight(0.5f, 8), 1.f / 9);
  EXPECT_FLOAT_EQ(correct_for_weight(0.3f, 1), 0.3f);
  EXPECT_FLOAT_EQ(correct_for_weight(0, 8), 0);
  EXPECT_FLOAT_EQ(correct_for_weight(1, 8), 1);
}

TEST(Classifier, ScoresDoNotDependOnThreadsAndAverageBothStrands) {
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
  const Classifier one(config, test::letters(), options);
  options.threads = 2;
  const Classifier two(config, test::letters(), options);
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

TEST(Classifier, AverageReadsBothStrandsAtTheSameSite) {
  auto config = test::small_promoter_model();
  config.pool = "scales";
  config.max_length = 1600;
  const auto parameters = model::initialise(config, 1);
  const std::vector<std::string> bases{test::random_bases(1500, 1)}, reverse{genome::reverse_complement(bases[0])};
  RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  options.anchor = 0.8;
  const Classifier classifier(config, test::letters(), options);
  options.anchor = 0.2;
  const Classifier mirrored(config, test::letters(), options);
  const float forward = classifier.score(parameters, bases, Strands::forward)[0];
  const float backward = mirrored.score(parameters, reverse, Strands::forward)[0];
  EXPECT_NEAR(classifier.score(parameters, bases, Strands::average)[0], (forward + backward) / 2, 1e-6);
  EXPECT_GT(std::abs(classifier.score(parameters, reverse, Strands::forward)[0] - backward), 1e-6);
}

}  // namespace
}  // namespace bigdna::session
