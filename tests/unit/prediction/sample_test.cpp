#include "prediction/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "base/error.h"
#include "model/parameters.h"
#include "session/session.h"
#include "session/small_model.h"

namespace bigdna::prediction {
namespace {

constexpr double kUnlikely3 = 25, kUnlikely15 = 45;  // chi-square of 3 and 15 degrees: once in 60 000 and 13 000 times

model_folder::ModelConfig causal_model() {
  auto config = test::small_promoter_model();
  config.architecture = model_folder::Architecture::modern;
  config.head = "mlm";
  config.labels = 0;
  config.pattern = {.name = "full", .block = 8, .global_blocks = sparsity::GlobalBlocks::first, .causal = true};
  config.initializer_range = 0.5;
  return config;
}

/// A small causal model of single bases.
struct Small {
  const tokenizer::Vocabulary vocabulary = test::letters();
  const model_folder::ModelConfig config = causal_model();
  const model::Parameters parameters = model::initialise(config, 4);
  const session::Decoder decoder{config, parameters, session::Placement()};
  const session::Session session{config, parameters, session::Placement()};
  const TokenDraw draw{vocabulary};

  std::vector<DrawnSequence> drawn(int64_t bases, int64_t first = 0, uint64_t seed = 7,
                                   std::vector<int32_t> prompt = {}) const {
    return draw_sequences(decoder, vocabulary, draw, prompt, bases, seed, first);
  }
  /// -log2 p of each of these tokens behind [CLS], in a pass over all of them.
  std::vector<double> bits(const std::vector<int32_t>& tokens) const {
    corpus::Example example;
    example.ids = {vocabulary.special().cls};
    example.ids.insert(example.ids.end(), tokens.begin(), tokens.end());
    example.token_types.assign(example.ids.size(), 0);
    example.masked.resize(tokens.size());
    std::iota(example.masked.begin(), example.masked.end(), 0);
    example.masked_labels = tokens;
    std::vector<double> all;
    const auto nats = session.masked_nats({example});
    for (const float of_token : nats.front()) all.push_back(of_token / std::numbers::ln2);
    return all;
  }
};

double sum(const std::vector<double>& values, size_t first = 0) {
  return std::accumulate(values.begin() + static_cast<int64_t>(first), values.end(), 0.0);
}

double chi_square(const std::map<int32_t, double>& counts, const std::map<int32_t, double>& shares) {
  double n = 0, total = 0, square = 0;
  for (const auto& [what, count] : counts) n += count;
  for (const auto& [what, share] : shares) total += share;
  for (const auto& [what, share] : shares) {
    const double expected = n * share / total, found = counts.contains(what) ? counts.at(what) : 0;
    square += (found - expected) * (found - expected) / expected;
  }
  return square;
}

TEST(TokenDraw, DrawsBasesAloneByTheirProbabilities) {
  const auto vocabulary = test::letters();
  const std::vector<float> logits{9, 9, 9, 9, 9, 0.1F, -1, 1, 0.5F, 4};  // five special tokens, A C G T, N
  const auto counts_of = [&](const TokenDraw& draw) {
    Rng rng(3);
    std::map<int32_t, double> counts;
    for (int i = 0; i < 100'000; ++i) ++counts[draw(logits, rng)];
    return counts;
  };
  const auto shares_at = [&](double temperature) {
    std::map<int32_t, double> shares;
    for (int32_t id = 5; id < 9; ++id) shares[id] = std::exp(logits[static_cast<size_t>(id)] / temperature);
    return shares;
  };
  for (const double temperature : {1.0, 0.5, 2.0}) {
    const auto counts = counts_of({vocabulary, temperature});
    EXPECT_EQ(counts.size(), 4u);
    EXPECT_LT(chi_square(counts, shares_at(temperature)), kUnlikely3) << temperature;
    EXPECT_GT(chi_square(counts, shares_at(1.1 * temperature)), kUnlikely3) << temperature;
  }
  const auto two = counts_of({vocabulary, 1, 2});
  EXPECT_EQ(two.size(), 2u);
  EXPECT_TRUE(two.contains(7) && two.contains(8));
  EXPECT_LT(chi_square(two, {{7, std::exp(1.0)}, {8, std::exp(0.5)}}), kUnlikely3);
  EXPECT_EQ(counts_of({vocabulary, 1, 1}).size(), 1u);
  EXPECT_EQ(counts_of({vocabulary, 1, 4}), counts_of(TokenDraw(vocabulary)));
}

TEST(TokenDraw, BitsAreOfTheWholeVocabulary) {
  const std::vector<float> logits{0, 0, 0, 0};
  EXPECT_NEAR(bits_of(logits, 2), 2, 1e-12);
  EXPECT_NEAR(bits_of(std::vector<float>{800, 0}, 0), 0, 1e-12);
}

TEST(TokenDraw, AVocabularyWithoutBasesIsAnError) {
  EXPECT_THROW(TokenDraw(tokenizer::Vocabulary({{"[UNK]", 0, true}, {"N", -1, false}}, {})), Error);
}

TEST(DrawnSequences, FirstTokensAreDrawnByTheModelsProbabilities) {
  const Small model;
  std::map<int32_t, double> pairs, shares, other;
  for (int32_t a = 5; a < 9; ++a) {
    std::map<int32_t, double> of_a;
    double total = 0;
    for (int32_t b = 5; b < 9; ++b) total += of_a[b] = std::exp2(-model.bits({a, b})[1]);
    for (int32_t b = 5; b < 9; ++b) {
      shares[10 * a + b] = std::exp2(-model.bits({a})[0]) * of_a[b] / total;
      other[10 * b + a] = shares[10 * a + b];  // in the other order
    }
  }
  for (int64_t first = 0; first < 8000; first += kDrawnTogether)
    for (const auto& one : model.drawn(2, first)) ++pairs[10 * one.tokens.at(0) + one.tokens.at(1)];
  EXPECT_LT(chi_square(pairs, shares), kUnlikely15);
  EXPECT_GT(chi_square(pairs, other), kUnlikely15);
}

TEST(DrawnSequences, HaveTheBitsThatAPassGivesThem) {
  const Small model;
  for (const auto& one : model.drawn(62)) {
    ASSERT_EQ(one.bases.size(), 62u);
    ASSERT_EQ(one.tokens.size(), 62u);
    for (size_t i = 0; i < one.bases.size(); ++i) EXPECT_EQ(one.bases[i], "ACGT"[one.tokens[i] - 5]);
    EXPECT_NEAR(one.bits, sum(model.bits(one.tokens)), 1e-3);
  }
}

TEST(DrawnSequences, FollowAPrompt) {
  const Small model;
  const std::vector<int32_t> prompt{5, 6, 9, 8, 8, 7};
  const auto drawn = model.drawn(20, 0, 7, prompt), alone = model.drawn(20);
  size_t changed = 0;
  for (size_t i = 0; i < drawn.size(); ++i) {
    auto whole = prompt;
    whole.insert(whole.end(), drawn[i].tokens.begin(), drawn[i].tokens.end());
    EXPECT_NEAR(drawn[i].bits, sum(model.bits(whole), prompt.size()), 1e-3);
    changed += drawn[i].bases != alone[i].bases;
  }
  EXPECT_GT(changed, 0u);
}

TEST(DrawnSequences, LongerThanTheModelReadsGoOnFromTheLastHalf) {
  const Small model;  // [CLS], 62 tokens, [SEP]
  const auto within = model.drawn(62), beyond = model.drawn(63), far = model.drawn(300);
  for (size_t i = 0; i < within.size(); ++i) {
    EXPECT_EQ(beyond[i].bases.substr(0, 62), within[i].bases);
    EXPECT_EQ(far[i].bases.substr(0, 63), beyond[i].bases);
    EXPECT_EQ(far[i].bases.size(), 300u);
    const std::vector<int32_t> last(beyond[i].tokens.begin() + 31, beyond[i].tokens.end());
    EXPECT_NEAR(beyond[i].bits - within[i].bits, model.bits(last).back(), 1e-3);
  }
}

TEST(DrawnSequences, FollowFromSeedAndNumber) {
  const Small model;
  const auto some = model.drawn(40), again = model.drawn(40), others = model.drawn(40, kDrawnTogether),
             seeded = model.drawn(40, 0, 8);
  std::map<std::string, int> different;
  for (size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].bases, again[i].bases);
    EXPECT_EQ(some[i].bits, again[i].bits);
    for (const auto* one : {&some[i], &others[i], &seeded[i]}) ++different[one->bases];
  }
  EXPECT_EQ(different.size(), 3 * some.size());
}

}  // namespace
}  // namespace bigdna::prediction
