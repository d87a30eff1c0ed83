#include "tokenizer/token_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dna.h"

namespace bigdna::tokenizer {
namespace {

Vocabulary vocabulary() { return test::vocabulary_of({"A", "C", "G", "T", "N", "AC", "GT", "AN", "ACGT", "TG"}); }

TEST(TokenTree, ATokenIsItsBasesAndAnEnd) {
  const auto with = vocabulary();
  const TokenTree tree(with);
  const auto& steps = tree.steps(with.find("ACGT"));
  ASSERT_EQ(steps.size(), 5U);
  for (int base = 0; base < 4; ++base) EXPECT_EQ(steps[static_cast<size_t>(base)].step, base);
  EXPECT_EQ(steps[4].step, TokenTree::kEnd);
  EXPECT_EQ(tree.nodes()[static_cast<size_t>(steps[4].node)].token, with.find("ACGT"));
  EXPECT_EQ(tree.nodes()[static_cast<size_t>(steps[2].node)].token, with.find("AC"));
  EXPECT_EQ(tree.nodes()[static_cast<size_t>(steps[3].node)].token, -1);  // ACG is no token
  EXPECT_TRUE(tree.steps(with.find("N")).empty() && tree.steps(with.find("AN")).empty() && tree.steps(2).empty());
}

TEST(TokenTree, ProbabilitiesOfStepsMultiplyToTheTokens) {
  const auto with = vocabulary();
  const TokenTree tree(with);
  std::vector<float> logits;
  double sum = 0;
  for (TokenId id = 0; id < with.size(); ++id) {
    logits.push_back(static_cast<float>(std::sin(3. * id)) + 2);
    sum += std::exp(logits.back());
  }
  for (const TokenId id : with.base_tokens()) {
    const auto prediction = tree.predict(logits, id);
    const auto& steps = tree.steps(id);
    ASSERT_EQ(prediction.steps.size(), steps.size());
    double bits = prediction.outside;
    for (size_t s = 0; s < steps.size(); ++s) {
      double of_all = 0;
      for (const float p : prediction.steps[s]) of_all += p;
      EXPECT_NEAR(of_all, 1, 1e-6);
      bits -= std::log2(prediction.steps[s][static_cast<size_t>(steps[s].step)]);
    }
    EXPECT_NEAR(bits, prediction.bits, 1e-5);
    EXPECT_NEAR(prediction.bits, std::log2(sum) - logits[static_cast<size_t>(id)] / std::log(2), 1e-5);
  }
}

TEST(TokenTree, TokensWithoutAnyProbabilityGiveNoNaN) {
  const auto with = vocabulary();
  const TokenTree tree(with);
  std::vector<float> logits(static_cast<size_t>(with.size()), -2000);
  logits[static_cast<size_t>(with.find("A"))] = 0;
  for (const auto& of_step : tree.predict(logits, with.find("TG")).steps)
    for (const float p : of_step) EXPECT_FALSE(std::isnan(p));
}

}  // namespace
}  // namespace bigdna::tokenizer
