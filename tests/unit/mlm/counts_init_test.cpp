#include "mlm/counts_init.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/rng.h"
#include "corpus/examples.h"
#include "mlm/mlm.h"
#include "model_folder/architecture.h"

namespace bigdna::mlm {
namespace {

constexpr int kPieces = 40, kSpecial = 5;

std::shared_ptr<const tokenizer::Vocabulary> vocabulary() {
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  for (int i = 0; i < kPieces; ++i) {
    std::string text = "ACG";
    for (int x = i; x > 0; x /= 4) text += "ACGT"[x % 4];
    pieces.push_back({text + "T", 0, false});
  }
  return std::make_shared<tokenizer::Vocabulary>(std::move(pieces), tokenizer::SpecialTokens());
}

/// Half of the tokens follow from the one before.
std::vector<uint16_t> chain(size_t length, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint16_t> tokens{kSpecial};
  while (tokens.size() < length) {
    const auto last = tokens.back() - kSpecial;
    tokens.push_back(static_cast<uint16_t>(
        kSpecial + (rng.below(2) ? (7 * last + 3) % kPieces : static_cast<int>(rng.below(kPieces)))));
  }
  return tokens;
}

NgramModel counts() {
  NgramTrainer trainer(kPieces + kSpecial);
  for (uint64_t i = 0; i < 60; ++i) trainer.add(chain(2000, i));
  return trainer.finish();
}

using model_folder::Architecture;

MlmModel model_of(Architecture architecture, int64_t hidden, int64_t heads, int64_t layers = 2) {
  MlmModel model;
  model.config.architecture = architecture;
  model.vocabulary = vocabulary();
  model.config.layers = layers;
  model.config.heads = heads;
  model.config.hidden = hidden;
  model.config.ffn = 2 * hidden;
  model.config.max_length = 256;
  model.config.vocab_size = model.vocabulary->size();
  model.config.pattern.block = 16;
  model.config.dropout = model.config.attention_dropout = 0;
  return model;
}

/// Chains that the counts have not seen, a seventh of the tokens hidden.
std::vector<corpus::Example> examples() {
  const corpus::Masker masker(*vocabulary(), 0.15, corpus::Hiding::all);
  std::vector<corpus::Example> examples;
  for (uint64_t i = 0; i < 20; ++i) {
    corpus::Example example;
    example.ids = {2};
    for (const uint16_t token : chain(250, 1000 + i)) example.ids.push_back(token);
    example.ids.push_back(3);
    example.token_types.assign(example.ids.size(), 0);
    Rng rng(1, i);
    masker(example, rng);
    examples.push_back(std::move(example));
  }
  return examples;
}

class CountsInit : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(architectures, CountsInit, testing::Values(Architecture::bigbird, Architecture::modern),
                         [](const auto& architecture) {
                           return std::string(model_folder::architecture(architecture.param).name);
                         });

TEST_P(CountsInit, PredictsFromItsNeighboursBeforeAnyTraining) {
  const auto ngrams = counts();
  for (const auto& [hidden, heads] : {std::pair(64, 2), {96, 4}, {64, 8}, {64, 1}}) {
    const MlmModel model = model_of(GetParam(), hidden, heads);
    const auto parameters = initialise_from_counts(model.config, ngrams, 1, 2);
    const double bpc = score_model(model, parameters, examples()).bpc.value();
    const double unigram = score_baselines(ngrams, *model.vocabulary, examples()).unigram.value();
    const double without = score_model(model, parameters, shuffled(examples(), *model.vocabulary, 1)).bpc.value();
    EXPECT_LT(bpc, unigram - 0.1) << hidden << " " << heads;
    EXPECT_GT(without, unigram) << hidden << " " << heads;  // it trusts its neighbours, which say nothing now
    EXPECT_GT(score_model(model, model::initialise(model.config, 1), examples()).bpc.value(), unigram - 0.02);
  }
}

TEST_P(CountsInit, CausalModelsPredictFromTheTokenBefore) {
  const auto ngrams = counts();
  std::vector<corpus::Example> all = examples();
  for (size_t i = 0; i < all.size(); ++i) {
    std::copy_n(chain(250, 1000 + i).begin(), 250, all[i].ids.begin() + 1);
    all[i].masked.clear(), all[i].masked_labels.clear();
    corpus::predict_next_tokens(all[i], *vocabulary());
  }
  for (const auto& [hidden, heads] : {std::pair(64, 2), {96, 4}, {64, 1}}) {
    MlmModel model = model_of(GetParam(), hidden, heads);
    model.config.head = "mlm", model.config.pattern.causal = true;
    const auto parameters = initialise_from_counts(model.config, ngrams, 1, 2);
    const auto baselines = score_baselines(ngrams, *model.vocabulary, all, /*causal=*/true);
    const double bpc = score_model(model, parameters, all).bpc.value();
    EXPECT_LT(bpc, baselines.unigram.value() - 0.1) << hidden << " " << heads;
    EXPECT_GT(bpc, baselines.bigram.value() - 0.01) << hidden << " " << heads;  // all that it has been given
    const auto mixed = shuffled_past(all, *vocabulary(), 1);
    EXPECT_GT(score_model(model, parameters, mixed).bpc.value(), baselines.unigram.value());
  }
}

TEST_P(CountsInit, IsTheSameForAnyNumberOfThreads) {
  const MlmModel model = model_of(GetParam(), 64, 2);
  const auto ngrams = counts();
  const auto one = initialise_from_counts(model.config, ngrams, 7, 1),
             two = initialise_from_counts(model.config, ngrams, 7, 2);
  ASSERT_EQ(one.size(), two.size());
  for (const auto& [name, value] : one) EXPECT_TRUE(value.equal(two.at(name))) << name;
  const std::string words(model_folder::architecture(model.config).words);
  EXPECT_FALSE(one.at(words).equal(initialise_from_counts(model.config, ngrams, 8, 1).at(words)));
}

TEST_P(CountsInit, HasTheParametersOfARandomStart) {
  const MlmModel model = model_of(GetParam(), 64, 4, 3);
  const auto parameters = initialise_from_counts(model.config, counts(), 1, 1);
  const auto random = model::initialise(model.config, 1);
  ASSERT_EQ(parameters.size(), random.size());
  for (const auto& [name, value] : random) EXPECT_EQ(parameters.at(name).sizes(), value.sizes()) << name;
}

TEST(CountsInitRoom, RefusesWhatHasNoRoom) {
  EXPECT_THROW(initialise_from_counts(model_of(Architecture::bigbird, 4, 4).config, counts(), 1, 1), UsageError);
  EXPECT_THROW(initialise_from_counts(model_of(Architecture::modern, 4, 1).config, counts(), 1, 1), UsageError);
}

}  // namespace
}  // namespace bigdna::mlm
