// ln p of middles given both flanks: against sums over all middles, and against logits read one position at a time.
#include "session/gap_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "base/threads.h"
#include "model/parameters.h"
#include "session/small_model.h"

namespace bigdna::session {
namespace {

model_folder::ModelConfig config_of(int64_t vocab_size, bool bidirectional_flanks, double gaps) {
  auto config = test::small_promoter_model();
  config.architecture = model_folder::Architecture::modern;
  config.head = "mlm";
  config.labels = 0;
  config.layers = 2;
  config.vocab_size = vocab_size;
  config.pattern = {.name = "full", .block = 8, .global_blocks = sparsity::GlobalBlocks::first, .causal = true};
  config.initializer_range = 0.5;
  config.gaps = gaps;
  config.bidirectional_flanks = bidirectional_flanks;
  return config;
}

/// letters() and the pairs AC, GT and CA, which BPE merges in this order.
tokenizer::Vocabulary pairs() {
  auto pieces = test::letters().pieces();
  for (const char* pair : {"AC", "GT", "CA"}) pieces.push_back({pair, -static_cast<float>(pieces.size()), false});
  return tokenizer::Vocabulary(pieces, {});
}

struct Small {
  Small(tokenizer::Vocabulary of, bool bidirectional_flanks, double gaps = 0.5)
      : vocabulary(std::move(of)), config(config_of(vocabulary.size(), bidirectional_flanks, gaps)) {}
  tokenizer::Vocabulary vocabulary;
  model_folder::ModelConfig config;
  model::Parameters parameters = model::initialise(config, 4);
  Session session{config, parameters, Placement()};
  tokenizer::Encoder encoder{vocabulary};
  GapModel model{session, encoder, "small"};

  /// ln p of what follows these ids, the first `prefix` of which are flanks, over the whole vocabulary.
  std::vector<double> behind(std::vector<int32_t> ids, size_t prefix) const {
    corpus::Example example;
    example.prefix = static_cast<int32_t>(prefix);
    example.masked = {static_cast<int32_t>(ids.size()) - 1};
    example.masked_labels = {0};
    example.ids = std::move(ids);
    example.token_types.assign(example.ids.size(), 0);
    const auto logits = session.masked_logits({example}).front();
    double total = 0;
    for (const double logit : logits) total += std::exp(logit);
    std::vector<double> log_p;
    for (const double logit : logits) log_p.push_back(logit - std::log(total));
    return log_p;
  }
};

const std::string kLeft = "ACGTTGCA", kRight = "GGCATTAC";

/// By whether tokens of the flanks attend to each other in both directions.
class GapModelReads : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Flanks, GapModelReads, testing::Bool(),
                         [](const auto& info) { return info.param ? "InBothDirections" : "InOneDirection"; });

TEST_P(GapModelReads, ProbabilitiesOfOneBaseAndOfItsEndSumToThoseOfAllTokens) {
  const Small small(test::letters(), GetParam());
  const std::vector<std::string> bases{"A", "C", "G", "T"};
  double sum = 0, of_length = 0;
  for (const auto& score : small.model.scores(kLeft, kRight, bases)) {
    sum += std::exp(score.with_end);
    of_length += std::exp(score.of_length);
  }
  EXPECT_NEAR(of_length, 1, 1e-5);  // the length is given
  EXPECT_LT(sum, 1);
  EXPECT_GT(sum, 0);
  // by hand: each first token, and then [SEP] or anything else
  std::vector<int32_t> prefix{2};
  for (const auto id : small.encoder.encode(kLeft).ids) prefix.push_back(id);
  prefix.push_back(4);
  for (const auto id : small.encoder.encode(kRight).ids) prefix.push_back(id);
  prefix.push_back(3);
  const auto first = small.behind(prefix, prefix.size());
  double by_hand = 0, everything = 0;
  for (int32_t id = 0; id < 10; ++id) {
    auto with = prefix;
    with.push_back(id);
    const auto second = small.behind(with, prefix.size());
    for (int32_t next = 0; next < 10; ++next) {
      const double p = std::exp(first[static_cast<size_t>(id)] + second[static_cast<size_t>(next)]);
      everything += p;
      if (id >= 5 && id < 9 && next == 3) by_hand += p;
    }
  }
  EXPECT_NEAR(everything, 1, 1e-5);
  EXPECT_NEAR(sum, by_hand, 1e-6);
}

TEST_P(GapModelReads, ScoresAreStepwiseLogits) {
  const Small small(pairs(), GetParam());
  const std::string middle = "ACGTTAC";
  const auto score = small.model.scores(kLeft, kRight, std::span(&middle, 1)).front();
  const auto tokens = small.encoder.encode(middle).ids;
  ASSERT_LT(tokens.size(), middle.size());
  std::vector<int32_t> ids{2};
  for (const auto id : small.encoder.encode(kLeft).ids) ids.push_back(id);
  ids.push_back(4);
  for (const auto id : small.encoder.encode(kRight).ids) ids.push_back(id);
  ids.push_back(3);
  const size_t prefix = ids.size();
  double with_end = 0, of_length = 0;
  int64_t rest = std::ssize(middle);
  for (const auto id : tokens) {
    const auto log_p = small.behind(ids, prefix);
    with_end += log_p[static_cast<size_t>(id)];
    double fits = 0;  // A, C, G, T, and pairs where two bases are left; no N, nothing special
    for (int32_t other = 5; other < 13; ++other)
      if (other != 9 && (other < 9 || rest >= 2)) fits += std::exp(log_p[static_cast<size_t>(other)]);
    of_length += log_p[static_cast<size_t>(id)] - std::log(fits);
    rest -= small.vocabulary.bases(id);
    ids.push_back(id);
  }
  with_end += small.behind(ids, prefix)[3];
  EXPECT_NEAR(score.with_end, with_end, 1e-4);
  EXPECT_NEAR(score.of_length, of_length, 1e-4);
}

TEST_P(GapModelReads, BothFlanksCountAndEachIsReadFromItsBorder) {
  const Small small(test::letters(), GetParam());
  const std::string middle = "ACG";
  const auto score = [&](const std::string& left, const std::string& right) {
    return small.model.scores(left, right, std::span(&middle, 1)).front().with_end;
  };
  EXPECT_NE(score(kLeft, kRight), score(kLeft, "T" + kRight));
  EXPECT_NE(score(kLeft, kRight), score(kLeft + "T", kRight));
  EXPECT_TRUE(std::isfinite(score("", "")));
  // 64 tokens: four special ones, three of the middle, and 28 or 29 on each side
  const std::string far = test::random_bases(200, 1), other = test::random_bases(200, 2);
  const std::string near = test::random_bases(40, 3);
  EXPECT_EQ(score(far + near, near + far), score(other + near, near + other));
  EXPECT_EQ(score(far + near, "AC"), score(far + near, "AC"));
  EXPECT_NE(score(far + near, "AC"), score(other + near, "AC"));  // the other flank leaves room
}

TEST_P(GapModelReads, WhatHasNoScoreIsNaN) {
  const Small small(test::letters(), GetParam());
  const std::vector<std::string> middles{"", "ANC", std::string(61, 'A'), "A"};
  const auto scores = small.model.scores(kLeft, kRight, middles);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(scores[i].with_end)) << i;
    EXPECT_TRUE(std::isnan(scores[i].of_length)) << i;
  }
  EXPECT_TRUE(std::isfinite(scores[3].with_end));
  EXPECT_TRUE(std::isnan(small.model.left_alone(kLeft, "N")));
}

TEST_P(GapModelReads, LeftAloneIsTheRatioOfTwoLikelihoods) {
  const Small small(pairs(), GetParam());
  const auto ln_p = [&](const std::string& bases) {
    std::vector<int32_t> ids{2};
    double sum = 0;
    for (const auto id : small.encoder.encode(bases).ids) {
      sum += small.behind(ids, 0)[static_cast<size_t>(id)];
      ids.push_back(id);
    }
    return sum;
  };
  const std::string left = "ACGTTGA", middle = "CTTG";  // the border lies within AC
  EXPECT_NEAR(small.model.left_alone(left, middle), ln_p(left + middle) - ln_p(left), 1e-4);
  EXPECT_NEAR(small.model.left_alone("", middle), ln_p(middle), 1e-4);
  const std::string far = test::random_bases(300, 1);
  EXPECT_TRUE(std::isfinite(small.model.left_alone(far, middle)));
}

TEST_P(GapModelReads, DrawsHaveTheLengthAndTheProbabilityThatScoresGiveThem) {
  const Small small(test::letters(), GetParam()), merged(pairs(), GetParam());
  for (const int64_t bases : {1, 2, 7, 30}) {
    for (const double temperature : {0.0, 1.0, 2.0}) {
      Rng rng(1, static_cast<uint64_t>(bases));
      const auto drawn = small.model.draw(kLeft, kRight, bases, temperature, rng);
      ASSERT_EQ(std::ssize(drawn.bases), bases);
      EXPECT_NEAR(drawn.nats, small.model.scores(kLeft, kRight, std::span(&drawn.bases, 1)).front().of_length, 1e-4);
      ASSERT_EQ(std::ssize(merged.model.draw(kLeft, kRight, bases, temperature, rng).bases), bases);
    }
  }
  Rng rng(1);
  EXPECT_EQ(std::ssize(small.model.draw(kLeft, kRight, GapModel::longest(small.config), 1, rng).bases), 58);
}

TEST_P(GapModelReads, DrawsByItsProbabilities) {
  const Small small(test::letters(), GetParam());
  const std::vector<std::string> bases{"A", "C", "G", "T"};
  const auto scores = small.model.scores(kLeft, kRight, bases);
  std::map<std::string, int> counts;
  constexpr int kDraws = 1500;
  for (int i = 0; i < kDraws; ++i) {
    Rng rng(9, static_cast<uint64_t>(i));
    ++counts[small.model.draw(kLeft, kRight, 1, 1, rng).bases];
  }
  size_t best = 0;
  for (size_t i = 0; i < bases.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(counts[bases[i]]) / kDraws, std::exp(scores[i].of_length), 0.06) << bases[i];
    if (scores[i].of_length > scores[best].of_length) best = i;
  }
  Rng rng(1);
  EXPECT_EQ(small.model.draw(kLeft, kRight, 1, 0, rng).bases, bases[best]);
}

TEST_P(GapModelReads, IsTheSameOnAnyNumberOfThreads) {
  const Small small(test::letters(), GetParam());
  std::vector<double> one(40), two(40);
  const auto score = [&](int64_t i) {
    const std::string middle = test::random_bases(1 + i % 7, static_cast<uint64_t>(i));
    return small.model.scores(kLeft, kRight, std::span(&middle, 1)).front().with_end;
  };
  for (int64_t i = 0; i < 40; ++i) one[static_cast<size_t>(i)] = score(i);
  parallel_for(40, 2, [&](int64_t i) { two[static_cast<size_t>(i)] = score(i); });
  EXPECT_EQ(one, two);
}

// The same weights read the same flanks otherwise; a sequence in plain order has none.
TEST(GapModelTest, DirectionsMatterToFlanksAlone) {
  const Small one(test::letters(), false), both(test::letters(), true);
  const std::string middle = "ACG";
  const auto score = [&](const Small& small) {
    return small.model.scores(kLeft, kRight, std::span(&middle, 1)).front().with_end;
  };
  EXPECT_GT(std::abs(score(one) - score(both)), 1e-3);
  EXPECT_EQ(one.model.left_alone(kLeft, middle), both.model.left_alone(kLeft, middle));
}

TEST(GapModelTest, RefusesModelsWithoutGapsAndVocabulariesWithoutBases) {
  EXPECT_THROW(Small(test::letters(), false, 0), Error);
  auto pieces = test::letters().pieces();
  pieces[7].text = "GG";
  EXPECT_THROW(Small(tokenizer::Vocabulary(pieces, {}), false), Error);
}

}  // namespace
}  // namespace bigdna::session
