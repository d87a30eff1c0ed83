#include "mlm/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "dna.h"
#include "model/parameters.h"
#include "support.h"

namespace bigdna::mlm {
namespace {

tokenizer::Vocabulary vocabulary() { return test::vocabulary_of({"A", "C", "G", "T", "N", "AC", "GT", "ACGT"}); }

/// Ten tokens of a passage, those at 1, 4 and 8 masked; sentences begin at 0, 3 and 7.
MaskedPassage masked_passage() {
  MaskedPassage passage;
  passage.tokens.ids = {5, 4, 7, 8, 4, 6, 7, 8, 4, 6};
  passage.tokens.masked = {1, 4, 8};
  passage.tokens.masked_labels = {10, 5, 11};
  passage.sentence_tokens = {0, 3, 7};
  return passage;
}

TEST(MlmWindows, OneWindowHoldsAll) {
  const auto one = windows(masked_passage(), 13, tokenizer::SpecialTokens(), false);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].ids, (std::vector<int32_t>{2, 5, 4, 7, 8, 4, 6, 7, 8, 4, 6, 3}));
  EXPECT_EQ(one[0].masked, (std::vector<int32_t>{2, 5, 9}));
  EXPECT_EQ(one[0].masked_labels, (std::vector<int32_t>{10, 5, 11}));
  EXPECT_TRUE(one[0].targets.empty());
}

TEST(MlmWindows, PairsAreCutAtTheSentenceNearestToTheMiddle) {
  const auto one = windows(masked_passage(), 13, tokenizer::SpecialTokens(), true);
  ASSERT_EQ(one.size(), 1u);
  // 3 and 7 are as near: the first
  EXPECT_EQ(one[0].ids, (std::vector<int32_t>{2, 5, 4, 7, 3, 8, 4, 6, 7, 8, 4, 6, 3}));
  EXPECT_EQ(one[0].token_types, (std::vector<uint8_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(one[0].masked, (std::vector<int32_t>{2, 6, 10}));
  EXPECT_EQ(one[0].targets, (std::vector<float>{0}));
}

TEST(MlmWindows, ShorterOnesAreOfOneSizeAndKeepEveryMaskedToken) {
  const auto two = windows(masked_passage(), 8, tokenizer::SpecialTokens(), false);  // 10 tokens in two times 5
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].ids, (std::vector<int32_t>{2, 5, 4, 7, 8, 4, 3}));
  EXPECT_EQ(two[0].masked, (std::vector<int32_t>{2, 5}));
  EXPECT_EQ(two[1].ids, (std::vector<int32_t>{2, 6, 7, 8, 4, 6, 3}));
  EXPECT_EQ(two[1].masked, (std::vector<int32_t>{4}));
  // of four, one shows no masked token
  EXPECT_EQ(windows(masked_passage(), 6, tokenizer::SpecialTokens(), false).size(), 3u);
  EXPECT_THROW(windows(masked_passage(), 4, tokenizer::SpecialTokens(), false), UsageError);
}

/// A run small enough to know: weights of zero, so that each of the 13 pieces has p = 1/13 and each masked token costs
/// log2 13 bits.
class MlmEvaluationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string line;
    Rng random(5);
    for (int i = 0; i < 24000; ++i) line += "ACGT"[random.below(4)];
    for (int i = 1000; i < 2000; ++i) line[static_cast<size_t>(i)] |= 0x20;
    io::write_file(folder_ / "genome.fa", ">chr1\n" + line + "\n");
    write_model("long", 64, 0);
    write_model("short", 16, 0);
    write_model("random", 64, 1);
  }

  void write_model(const std::string& name, int64_t positions, double scale, int64_t types = 2) {
    model_folder::ModelConfig config;
    config.token_types = types;
    config.layers = 1;
    config.heads = 2;
    config.hidden = 8;
    config.ffn = 16;
    config.max_length = positions;
    config.vocab_size = 13;
    config.pattern.block = 4;
    auto parameters = model::initialise(config, 1);
    for (auto& [key, tensor] : parameters) tensor.mul_(scale);
    std::filesystem::create_directories(folder_ / name);
    model::save_weights(parameters, folder_ / name + "/model.safetensors");
    io::Manifest manifest;
    manifest.kind = "model";
    manifest.details = {{"training_intervals", {{"chr1", 12000, 24000}}}, {"held_out_intervals", {{"chr1", 0, 12000}}}};
    model_folder::write_model_folder(folder_ / name, config, vocabulary(), manifest);
  }

  MlmEvaluation evaluate(const std::vector<std::string>& names) {
    options.passages.data = folder_ / "genome.fa";
    std::vector<model_folder::ModelFolder> models;
    for (const auto& name : names) models.push_back(model_folder::ModelFolder::open(folder_ / name));
    return evaluate_mlm(models, session::Placement(), options);
  }

  test::TempDir folder_;
  MlmEvaluationOptions options;
};

TEST_F(MlmEvaluationTest, UniformModelsCostTheLogarithmOfTheVocabulary) {
  options.contexts = {16, 64};
  const auto evaluation = evaluate({"long", "short"});
  // long at 64 and 16, short at 16, both shuffled, three models of n-grams, copies and copies elsewhere
  ASSERT_EQ(evaluation.scorers.size(), 10u);
  EXPECT_EQ(evaluation.scorers[0].context, 64);
  EXPECT_EQ(evaluation.scorers[1].context, 16);
  EXPECT_EQ(evaluation.scorers[2].context, 16);
  EXPECT_GT(evaluation.scorers[1].windows, 3 * evaluation.scorers[0].windows);
  MlmScore first;
  for (const auto& block : evaluation.scorers[0].blocks) first.add(block.all());
  for (size_t i = 0; i < 3; ++i) {
    MlmScore sum;
    for (const auto& block : evaluation.scorers[i].blocks) sum.add(block.all());
    EXPECT_EQ(sum.masked, first.masked);  // the same masked tokens
    EXPECT_EQ(sum.bpc.bases, first.bpc.bases);
    EXPECT_NEAR(sum.bpc.bits, static_cast<double>(sum.masked) * std::log2(13), 1e-3 * sum.bpc.bits);
    EXPECT_NEAR(sum.perplexity(), 13, 1e-3);
  }
  for (const auto& difference : differences(evaluation, options)) {
    if (difference.a >= 3 || difference.b >= 3) continue;
    EXPECT_NEAR(difference.bpc.value, 0, 1e-5);
    EXPECT_NEAR(difference.bpc.low, 0, 1e-5);
    EXPECT_NEAR(difference.bpc.high, 0, 1e-5);
  }
}

TEST_F(MlmEvaluationTest, RepeatsAreTheLowerCaseAndPartsSumToTheWhole) {
  const auto evaluation = evaluate({"long"});
  ASSERT_TRUE(evaluation.repeats);
  MlmScore unique, repeats;
  for (const auto& block : evaluation.scorers[0].blocks) {
    unique.add(block.unique);
    repeats.add(block.repeats);
  }
  EXPECT_NEAR(repeats.bpc.bases / (unique.bpc.bases + repeats.bpc.bases), 1.0 / 12, 0.03);
  const auto json = tables(evaluation, options).json;
  EXPECT_EQ(json["scores"][0]["masked"].get<int64_t>(),
            json["scores"][1]["masked"].get<int64_t>() + json["scores"][2]["masked"].get<int64_t>());
  EXPECT_EQ(json["scores"][2]["sequence"], "repeats");
}

TEST_F(MlmEvaluationTest, DifferencesArePaired) {
  const auto evaluation = evaluate({"long", "random"});
  const auto all = differences(evaluation, options);
  const auto same =
      std::find_if(all.begin(), all.end(), [](const auto& d) { return d.a == 1 && d.b == 0 && d.sequence == "all"; });
  ASSERT_NE(same, all.end());
  const auto json = tables(evaluation, options).json;
  // scores: three lines (all, unique, repeats) of each scorer
  EXPECT_NEAR(same->bpc.value, json["scores"][3]["bpc"].get<double>() - json["scores"][0]["bpc"].get<double>(), 1e-12);
  EXPECT_LT(same->bpc.low, same->bpc.value);
  EXPECT_GT(same->bpc.high, same->bpc.value);
}

TEST_F(MlmEvaluationTest, EachModelIsComparedWithItsOwnShuffledContext) {
  const auto evaluation = evaluate({"long", "random"});
  std::vector<std::string> against;  // of "random", number 1
  for (const auto& d : differences(evaluation, options))
    if (d.sequence == "all" && d.a == 1) against.push_back(evaluation.scorers[d.b].name);
  EXPECT_EQ(
      std::count_if(against.begin(), against.end(), [](const auto& name) { return name.starts_with("shuffled:"); }), 1);
  const auto json = tables(evaluation, options).json;
  for (const auto& row : json["scores"]) {
    const bool model_as_a_whole = !row["context"].is_null() && row["sequence"] == "all";
    EXPECT_EQ(row["bpc_bert"].is_number(), model_as_a_whole);
    EXPECT_EQ(row["bpc_paper_style"].is_number(), model_as_a_whole);
  }
  // All tokens cost the uniform model the same, hidden, shuffled or left in place.
  EXPECT_NEAR(json["scores"][0]["bpc_bert"].get<double>(), json["scores"][0]["bpc"].get<double>(), 1e-4);
}

TEST_F(MlmEvaluationTest, AModelOfOneTokenTypeScoresPairs) {
  write_model("one_type", 64, 1, 1);
  const auto evaluation = evaluate({"one_type"});
  EXPECT_GT(evaluation.scorers[0].pairs, 0);
  const auto text = io::read_file(folder_ / "one_type/tokenizer_config.json");
  EXPECT_EQ(text.find("token_type_ids"), std::string::npos);  // transformers' pairs would have a second type
  EXPECT_NE(io::read_file(folder_ / "random/tokenizer_config.json").find("token_type_ids"), std::string::npos);
}

TEST_F(MlmEvaluationTest, ContigsChooseWhatIsScoredAndNotWhatIsCounted) {
  io::write_file(folder_ / "genome.fa", io::read_file(folder_ / "genome.fa") + ">chr2_alt\n" + std::string(4000, 'A') +
                                            std::string(4000, 'C') + "\n");
  std::vector<model_folder::ModelFolder> models{model_folder::ModelFolder::open(folder_ / "random")};
  models[0].manifest.details["held_out_intervals"] = {{"chr1", 0, 12000}, {"chr2_alt", 0, 4000}};
  models[0].manifest.details["training_intervals"] = {{"chr1", 12000, 24000}, {"chr2_alt", 4000, 8000}};
  options.passages.data = folder_ / "genome.fa";
  const auto of = [&](const std::string& contigs) {
    options.passages.contigs = contigs;
    return evaluate_mlm(models, session::Placement(), options);
  };
  const auto all = of("all"), primary = of("primary"), alt = of("chr2_alt");
  EXPECT_EQ(primary.bases + alt.bases, all.bases);
  EXPECT_GT(alt.bases, 3000);
  EXPECT_EQ(all.ngrams, primary.ngrams);
  EXPECT_EQ(all.ngrams, alt.ngrams);
  EXPECT_THROW(of("chr3"), Error);
}

TEST_F(MlmEvaluationTest, Refusals) {
  options.contexts = {128};
  EXPECT_THROW(evaluate({"long"}), UsageError);
  options.contexts = {64};
  EXPECT_THROW(evaluate({"long", "short"}), UsageError);  // short has 16 positions
}

}  // namespace
}  // namespace bigdna::mlm
