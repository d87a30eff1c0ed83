#include "mlm/passage_cut.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace bigdna::mlm {
namespace {

tokenizer::Vocabulary vocabulary(const std::vector<std::string>& longer) {
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  float score = 0;
  for (const char* text : {"A", "C", "G", "T", "N"}) pieces.push_back({text, score--, false});
  for (const auto& text : longer) pieces.push_back({text, score--, false});
  return {std::move(pieces), tokenizer::SpecialTokens()};
}

/// Pairs of letters; those of two equal ones only if asked for.
std::vector<std::string> pairs(bool equal) {
  std::vector<std::string> texts;
  for (const char a : std::string("ACGT"))
    for (const char b : std::string("ACGT"))
      if (equal || a != b) texts.push_back({a, b});
  return texts;
}

class PassageCutterTest : public ::testing::Test {
 protected:
  PassageCutterTest() {
    Rng random(3);
    for (int i = 0; i < 5000; ++i) stretch.bases += "ACGT"[random.below(4)];
    stretch.region = {"chr1", 1000, 6000};
    for (int64_t s = 0; s < 5000; s += 700) stretch.sentences.push_back(s);
  }

  std::vector<Passage> cut(const std::vector<PassageReader>& readers) const {
    return PassageCutter(readers, {stretch}).cut(stretch);
  }
  static std::vector<int64_t> tokens(const std::vector<Passage>& passages, const tokenizer::Vocabulary& vocabulary) {
    std::vector<int64_t> counts;
    for (const auto& passage : passages) counts.push_back(tokenise(passage, tokenizer::Encoder(vocabulary)).tokens());
    return counts;
  }

  const tokenizer::Vocabulary coarse = vocabulary(pairs(true)), fine = vocabulary(pairs(false)),
                              letters = vocabulary({});
  Passage stretch;
};

TEST_F(PassageCutterTest, PassagesFollowEachOtherAndAreAsLongAsTheContext) {
  const auto passages = cut({{&letters, 103, 103}});
  ASSERT_EQ(passages.size(), 50u);  // of 99 tokens: room for 100, less a hundredth
  for (size_t i = 0; i < passages.size(); ++i) {
    EXPECT_EQ(passages[i].region.start, 1000 + 99 * static_cast<int64_t>(i));
    EXPECT_EQ(passages[i].bases, stretch.bases.substr(99 * i, 99));
    EXPECT_EQ(passages[i].sentences.front(), 0);
  }
  // as many windows of the shortest context as cover the longest: four times 23, less one
  EXPECT_EQ(cut({{&letters, 103, 26}})[0].bases.size(), 91u);
  const auto whole = cut({{&letters, 10000, 10000}});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].bases, stretch.bases);
}

TEST_F(PassageCutterTest, PassagesFitTheVocabularyThatNeedsTheMostTokens) {
  const auto alone = tokens(cut({{&coarse, 64, 64}}), fine);
  EXPECT_GT(*std::ranges::max_element(alone), room(64));  // they would be cut into two windows
  const auto both = cut({{&coarse, 64, 64}, {&fine, 64, 64}});
  ASSERT_GT(both.size(), 20u);
  for (const auto* each : {&coarse, &fine}) EXPECT_LE(std::ranges::max(tokens(both, *each)), room(64));
  const auto finest = tokens(both, fine);
  EXPECT_GE(*std::ranges::min_element(finest), room(64) * 9 / 10);
}

TEST_F(PassageCutterTest, TheOrderOfVocabulariesDoesNotMatter) {
  const auto one = cut({{&coarse, 64, 16}, {&fine, 128, 64}}), other = cut({{&fine, 128, 64}, {&coarse, 64, 16}});
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].bases, other[i].bases);
  EXPECT_EQ(PassageCutter({{&coarse, 64, 16}, {&fine, 128, 64}}, {stretch}).tokens(),
            PassageCutter({{&fine, 128, 64}, {&coarse, 64, 16}}, {stretch}).tokens());
}

TEST_F(PassageCutterTest, AModelThatReadsFarFewerBasesGetsWholeWindowsOfThePassage) {
  const auto passages = cut({{&coarse, 128, 128}, {&letters, 64, 64}});  // a quarter of the bases
  const auto far = tokens(passages, coarse), near = tokens(passages, letters);
  EXPECT_LE(*std::ranges::max_element(far), room(128));
  EXPECT_LE(*std::ranges::max_element(near), 4 * room(64));
  EXPECT_GE(*std::ranges::min_element(far), room(128) * 8 / 10);
  EXPECT_GT(*std::ranges::min_element(near), 3 * room(64));
}

TEST_F(PassageCutterTest, SaysWhetherAStretchHoldsAWholePassage) {
  const PassageCutter cutter({{&letters, 103, 103}}, {});
  Passage part = stretch;
  part.sentences = {0};
  part.bases = stretch.bases.substr(0, 98);
  EXPECT_FALSE(cutter.fills(part));
  part.bases = stretch.bases.substr(0, 99);
  EXPECT_TRUE(cutter.fills(part));
  EXPECT_EQ(cutter.tokens_of(part), 99);
}

}  // namespace
}  // namespace bigdna::mlm
