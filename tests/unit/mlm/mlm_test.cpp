#include "mlm/mlm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/parameters.h"
#include "mlm/pretrain.h"
#include "support.h"

namespace bigdna::mlm {
namespace {

std::shared_ptr<const tokenizer::Vocabulary> vocabulary() {
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  for (const char* text : {"A", "C", "G", "T", "N", "AC", "GT", "ACGT"}) pieces.push_back({text, 0, false});
  return std::make_shared<tokenizer::Vocabulary>(std::move(pieces), tokenizer::SpecialTokens());
}

/// [CLS] A C [MASK: AC] G [SEP] T N [MASK: N] [SEP]
corpus::Example example() {
  corpus::Example e;
  e.ids = {2, 5, 6, 4, 7, 3, 8, 9, 4, 3};
  e.token_types = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  e.masked = {3, 8};
  e.masked_labels = {10, 9};
  e.targets = {1};
  return e;
}

MlmModel tiny_model() {
  MlmModel model;
  model.vocabulary = vocabulary();
  model.config.layers = 1;
  model.config.heads = 2;
  model.config.hidden = 8;
  model.config.ffn = 16;
  model.config.max_length = 16;
  model.config.vocab_size = model.vocabulary->size();
  model.config.pattern.block = 4;
  return model;
}

TEST(Mlm, ScoresCountBasesAndLeaveNOut) {
  const MlmModel model = tiny_model();
  const auto parameters = model::initialise(model.config, 1);
  const MlmScore score = score_model(model, parameters, {example(), example()});
  EXPECT_EQ(score.masked, 4);
  EXPECT_EQ(score.pairs, 2);
  EXPECT_DOUBLE_EQ(score.bpc.bases, 4);      // AC twice
  EXPECT_DOUBLE_EQ(score.bpc.all_bases, 6);  // and N twice
  // An untrained model knows nothing: 13 pieces are about equally likely.
  EXPECT_NEAR(score.nats / 4, std::log(13), 0.2);
  EXPECT_NEAR(score.bpc.all_bits, score.nats / std::log(2), 1e-6);
}

TEST(Mlm, BatchingDoesNotChangeTheScore) {
  MlmModel model = tiny_model();
  const auto parameters = model::initialise(model.config, 2);
  corpus::Example shorter = example();
  shorter.ids.resize(5);
  shorter.token_types.resize(5);
  shorter.masked.resize(1);
  shorter.masked_labels.resize(1);
  const std::vector<corpus::Example> examples{example(), shorter, example()};
  const double together = score_model(model, parameters, examples).nats;
  model.placement.batch_tokens = 1;
  EXPECT_NEAR(score_model(model, parameters, examples).nats, together, 1e-4);
}

TEST(Mlm, BaselinesSeeNoMaskedNeighbour) {
  NgramTrainer trainer(13);
  trainer.add(std::vector<uint16_t>{5, 6, 10, 7, 8, 9, 9, 5, 6, 10, 7});
  const auto ngrams = trainer.finish();
  const BaselineScores scores = score_baselines(ngrams, *vocabulary(), {example()});
  EXPECT_NEAR(scores.unigram.bits, -std::log2(ngrams.unigram(10)), 1e-9);
  EXPECT_NEAR(scores.bigram.bits, -std::log2(ngrams.probabilities({5, 6, 7, NgramModel::kUnknown}, 10).bigram), 1e-9);
  EXPECT_NEAR(scores.trigram.bits, -std::log2(ngrams.probabilities({5, 6, 7, NgramModel::kUnknown}, 10).trigram), 1e-9);
  // The second masked token has [SEP] to its right: unknown.
  using Ngrams = NgramModel;
  EXPECT_NEAR(scores.bigram.all_bits - scores.bigram.bits,
              -std::log2(ngrams.probabilities({8, 9, Ngrams::kUnknown, Ngrams::kUnknown}, 9).bigram), 1e-9);
}

TEST(Mlm, OnlyHiddenTokensCount) {
  // The second token to be predicted stays in place, as BERT's masking leaves a tenth of them.
  corpus::Example kept = example();
  kept.ids[8] = 9;
  kept.masked_labels[1] = 10;  // AC: without N, so that both count the same
  const MlmModel model = tiny_model();
  const auto parameters = model::initialise(model.config, 1);
  const MlmScore score = score_model(model, parameters, {kept});
  EXPECT_EQ(score.masked, 1);
  EXPECT_DOUBLE_EQ(score.bpc.bases, 2);
  EXPECT_DOUBLE_EQ(score.bert.bases, 4);
  EXPECT_NEAR(score.bpc.bits, score.nats / std::log(2), 1e-6);
  EXPECT_GT(score.bert.bits, score.bpc.bits);
}

TEST(Mlm, ShufflingKeepsWhatIsHiddenAndSpecialInPlace) {
  corpus::Example long_example;
  long_example.ids.push_back(2);
  for (int i = 0; i < 60; ++i) {
    if (i % 7 == 3) {
      long_example.masked.push_back(static_cast<int32_t>(long_example.ids.size()));
      long_example.masked_labels.push_back(11);
      long_example.ids.push_back(4);
    } else {
      long_example.ids.push_back(5 + i % 8);
    }
  }
  long_example.ids.push_back(3);
  const auto mixed = shuffled(long_example, *vocabulary(), 1);
  EXPECT_EQ(mixed.ids.front(), 2);
  EXPECT_EQ(mixed.ids.back(), 3);
  for (const int32_t at : mixed.masked) EXPECT_EQ(mixed.ids[static_cast<size_t>(at)], 4);
  EXPECT_NE(mixed.ids, long_example.ids);
  EXPECT_EQ(mixed.ids, shuffled(long_example, *vocabulary(), 1).ids);
  auto before = long_example.ids, after = mixed.ids;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(before, after);
}

/// [CLS] A C AC G T N GT A ... [SEP], of which each token is predicted.
corpus::Example in_order(int64_t length) {
  corpus::Example e;
  e.ids.push_back(2);
  for (int64_t i = 0; i < length; ++i) e.ids.push_back(static_cast<int32_t>(5 + (i * i + i / 3) % 8));
  e.ids.push_back(3);
  e.token_types.assign(e.ids.size(), 0);
  corpus::predict_next_tokens(e, *vocabulary());
  return e;
}

MlmModel causal_model() {
  MlmModel model = tiny_model();
  model.config.layers = 2;
  model.config.max_length = 100;
  model.config.head = "mlm";
  model.config.pattern = {.name = "bigbird", .block = 4, .seed = 3, .causal = true};
  model_folder::check(model.config);
  return model;
}

// The likelihood of a record from one pass is the product of each token's probability behind what stands before it,
// which is read alone here.
TEST(Causal, ChainRule) {
  for (const auto architecture : {model_folder::Architecture::bigbird, model_folder::Architecture::modern}) {
    MlmModel model = causal_model();
    model.config.architecture = architecture;
    auto parameters = model::initialise(model.config, 4);
    for (auto& [name, value] : parameters)
      if (name.find("norm") == name.npos && name.find("LayerNorm") == name.npos) value.mul_(8);
    const session::Session session(model.config, parameters, model.placement);
    const auto whole = in_order(70);
    ASSERT_EQ(whole.masked.size(), 70u);
    const auto at_once = session.masked_nats({whole})[0];
    double sum = 0, steps = 0, spread = 0;
    for (size_t i = 0; i < at_once.size(); ++i) {
      auto part = whole;
      const auto last = static_cast<size_t>(whole.masked[i]);
      part.ids.resize(last + 1), part.token_types.resize(last + 1);
      part.masked = {whole.masked[i]}, part.masked_labels = {whole.masked_labels[i]};
      const double alone = session.masked_nats({part})[0][0];
      EXPECT_NEAR(alone, at_once[i], 2e-4) << i;
      sum += at_once[i], steps += alone, spread = std::max(spread, std::abs(alone - std::log(13)));
    }
    EXPECT_NEAR(sum, steps, 2e-3);
    EXPECT_GT(spread, 0.3);  // it says something
  }
}

TEST(Causal, EveryTokenCountsAndBaselinesSeeTheLeftAlone) {
  const MlmModel model = causal_model();
  const auto example = in_order(20);
  const MlmScore score = score_model(model, model::initialise(model.config, 1), {example});
  EXPECT_EQ(score.masked, 20);
  NgramTrainer trainer(13);
  trainer.add(std::vector<uint16_t>{5, 6, 10, 7, 8, 9, 9, 5, 6, 10, 7, 12, 11, 5, 6, 10});
  const auto ngrams = trainer.finish(Sides::left);
  const auto probabilities = baseline_probabilities(ngrams, *vocabulary(), example, /*causal=*/true);
  ASSERT_EQ(probabilities.size(), 20u);
  EXPECT_DOUBLE_EQ(probabilities[0].trigram, ngrams.unigram(example.ids[1]));  // behind [CLS]
  for (size_t i = 2; i < 20; ++i) {
    const NgramModel::Context context{.left2 = example.ids[i - 1], .left = example.ids[i]};
    EXPECT_DOUBLE_EQ(probabilities[i].trigram, ngrams.probabilities(context, example.ids[i + 1]).trigram);
  }
}

TEST(Causal, ShuffledPastHoldsNothingThatFollows) {
  const auto example = in_order(90);
  const auto mixed = shuffled_past(example, *vocabulary(), 1);
  EXPECT_EQ(mixed.masked, (std::vector<int32_t>{32, 64}));
  for (size_t i = 0; i < mixed.masked.size(); ++i) {
    const auto end = mixed.masked[i] + 1;
    EXPECT_EQ(mixed.masked_labels[i], example.ids[static_cast<size_t>(end)]);
    auto before = example.ids, after = mixed.ids;
    before.resize(static_cast<size_t>(end)), after.resize(static_cast<size_t>(end));
    EXPECT_NE(before, after);
    std::ranges::sort(before), std::ranges::sort(after);
    EXPECT_EQ(before, after);
  }
  EXPECT_EQ(shuffled_past(in_order(5), *vocabulary(), 1).masked, (std::vector<int32_t>{4}));
  EXPECT_EQ(shuffled_past(in_order(1), *vocabulary(), 1).masked.size(), 0u);
}

TEST(Mlm, TheTaskLearnsOneExampleByHeart) {
  const MlmModel model = tiny_model();
  train::TrainingTask task = mlm_training_task(model);
  task.example = [](int64_t) { return example(); };
  train::LoopOptions options;
  options.batch = 1;
  options.steps = 150;
  options.learning_rate = 0.02;
  options.checkpoint_every = 1000;
  const test::TempDir folder;
  const auto result = train::run(task, model::initialise(model.config, 3), options, folder.path(), at::kCPU);
  const MlmScore score = score_model(model, result.parameters, {example()});
  EXPECT_EQ(score.correct, 2);
  EXPECT_EQ(score.pairs_correct, 1);
  EXPECT_LT(score.nats, 0.5);
}

TEST(Pretrain, ASmallGenomeGetsASmallVocabulary) {
  EXPECT_EQ(vocabulary_for(4096, 50'000'000), 4096);
  EXPECT_EQ(vocabulary_for(32000, 12'000'000), 19968);
  EXPECT_EQ(vocabulary_for(4096, 1000), 64);
}

TEST(Pretrain, PresetsAndWhatFlagsChange) {
  PretrainOptions options;
  EXPECT_EQ(resolve(options, at::kCPU, at::kFloat).config.hidden, 192);  // mini on a CPU
  options.preset = "tiny";
  options.max_length = 256;
  options.batch = 4;
  const auto setup = resolve(options, at::kCPU, at::kFloat);
  EXPECT_EQ(setup.config.layers, 2);
  EXPECT_EQ(setup.config.max_length, 256);
  EXPECT_EQ(setup.config.architecture, model_folder::Architecture::modern);
  EXPECT_EQ(setup.config.pattern.block, 16);
  EXPECT_EQ(setup.train.batch, 4);
  EXPECT_EQ(setup.train.micro_batch, 4);
  EXPECT_EQ(setup.train.steps, 4000);
  EXPECT_EQ(setup.config.dropout, 0);
  EXPECT_EQ(setup.hiding, corpus::Hiding::all);
  options.architecture = model_folder::Architecture::bigbird;
  EXPECT_EQ(resolve(options, at::kCPU, at::kFloat).hiding, corpus::Hiding::bert);
  options.masking = corpus::Hiding::all;
  EXPECT_EQ(resolve(options, at::kCPU, at::kFloat).hiding, corpus::Hiding::all);
  options.masking.reset();
  EXPECT_EQ(resolve(options, at::kCPU, at::kFloat).config.architecture, model_folder::Architecture::bigbird);
  options.preset = "base";
  options.max_length.reset();
  options.batch.reset();
  options.architecture.reset();
  EXPECT_EQ(resolve(options, at::kCPU, at::kFloat).config.architecture, model_folder::Architecture::bigbird);
  EXPECT_LE(resolve(options, at::kCPU, at::kFloat).train.micro_batch, 2);
  EXPECT_EQ(resolve(options, at::kCPU, at::kFloat).config.dropout, 0.1);
  options = {};
  options.objective = corpus::Objective::next;
  const auto next = resolve(options, at::kCPU, at::kFloat);
  EXPECT_TRUE(next.config.is_causal());
  EXPECT_EQ(next.config.head, "mlm");
  EXPECT_EQ(next.mask_fraction, 1);
  EXPECT_EQ(next.config.pattern.global_blocks, sparsity::GlobalBlocks::first);
  options.heads = 7;
  EXPECT_THROW(resolve(options, at::kCPU, at::kFloat), UsageError);
}

}  // namespace
}  // namespace bigdna::mlm
