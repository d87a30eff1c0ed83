#include "mlm/copies.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "genome/alphabet.h"

namespace bigdna::mlm {
namespace {

constexpr int32_t kMask = 4;

/// Pieces of one base, so that token and base are the same, and one of three.
const tokenizer::Vocabulary& vocabulary() {
  static const tokenizer::Vocabulary made = [] {
    std::vector<tokenizer::Piece> pieces;
    for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
    float score = 0;
    for (const char* text : {"A", "C", "G", "T", "N", "ACG", "CGT"}) pieces.push_back({text, score--, false});
    return tokenizer::Vocabulary{std::move(pieces), tokenizer::SpecialTokens()};
  }();
  return made;
}

std::string bases(size_t length, uint64_t seed) {
  Rng rng(seed);
  std::string text;
  for (size_t i = 0; i < length; ++i) text += genome::kBases[rng.below(4)];
  return text;
}

/// [CLS] bases [SEP], a token for each base, with the bases at `hidden` masked.
corpus::Example input(const std::string& text, const std::vector<size_t>& hidden) {
  corpus::Example example;
  example.ids = {2};
  for (const char base : text) example.ids.push_back(vocabulary().find(std::string(1, base)));
  example.ids.push_back(3);
  for (const size_t at : hidden) {
    example.masked.push_back(static_cast<int32_t>(at) + 1);
    example.masked_labels.push_back(example.ids[at + 1]);
    example.ids[at + 1] = kMask;
  }
  return example;
}

Copy copy_in(const std::string& text, const std::vector<size_t>& hidden) {
  return find_copies({input(text, hidden)}, 0, vocabulary(), 1).front();
}

TEST(Copies, OfTheSameStrandAndOfTheOther) {
  const std::string unit = bases(41, 1), before = bases(500, 2), after = bases(300, 3);
  const Copy direct = copy_in(before + unit + after + unit, {520});
  EXPECT_EQ(direct.token, vocabulary().find(unit.substr(20, 1)));
  EXPECT_EQ(direct.distance, 341);
  EXPECT_FALSE(direct.inverted);
  EXPECT_GE(direct.matched, 40u);
  const Copy inverted = copy_in(before + unit + after + genome::reverse_complement(unit), {520});
  EXPECT_EQ(inverted.token, vocabulary().find(unit.substr(20, 1)));  // as it reads on the token's own strand
  EXPECT_EQ(inverted.distance, 341);                                 // the base stands in the middle of the unit
  EXPECT_TRUE(inverted.inverted);
  EXPECT_FALSE(copy_in(before + unit + after, {520}).found());
}

TEST(Copies, TheNearestIsTakenOnEitherSide) {
  std::string left = bases(41, 1), right = left;
  left[20] = 'A', right[20] = 'G';
  std::string unit = left;
  unit[20] = 'T';
  EXPECT_EQ(copy_in(left + bases(100, 2) + unit + bases(50, 3) + right, {161}).token, vocabulary().find("G"));
  EXPECT_EQ(copy_in(left + bases(50, 2) + unit + bases(100, 3) + right, {111}).token, vocabulary().find("A"));
}

TEST(Copies, NothingHiddenIsRead) {
  const std::string unit = bases(41, 1), text = unit + bases(200, 2) + unit;
  EXPECT_TRUE(copy_in(text, {20}).found());
  EXPECT_FALSE(copy_in(text, {20, 261}).found());  // hidden in both copies
  // What is hidden may change without any effect.
  auto changed = input(text, {20});
  const Copy known = find_copies({changed}, 0, vocabulary(), 1).front();
  changed.masked_labels[0] = vocabulary().find("N");
  const Copy same = find_copies({changed}, 0, vocabulary(), 1).front();
  EXPECT_EQ(known.token, same.token);
  EXPECT_EQ(known.matched, same.matched);
}

TEST(Copies, TheGapsLengthIsThatOfThePieceBetweenBothSides) {
  // The token of three bases is hidden; its copy is written in tokens of one base.
  const std::string left = bases(20, 1), right = bases(20, 2);
  for (const bool reversed : {false, true}) {
    const std::string unit = left + "ACG" + right;
    auto example =
        input(left + "A" + right + bases(90, 3) + (reversed ? genome::reverse_complement(unit) : unit), {20});
    example.masked_labels[0] = vocabulary().find("ACG");
    const Copy copy = find_copies({example}, 0, vocabulary(), 1).front();
    EXPECT_EQ(copy.token, vocabulary().find("ACG"));
    EXPECT_EQ(copy.inverted, reversed);
    EXPECT_EQ(copy.distance, 133);  // 43 and 90, since the hidden token has three bases
  }
}

TEST(Copies, BothSidesMustAgree) {
  const std::string unit = bases(41, 1);
  std::string other = unit;
  other[23] = other[23] == 'A' ? 'C' : 'A';  // three bases after the gap: the left side alone is the same
  other[17] = other[17] == 'A' ? 'C' : 'A';
  EXPECT_FALSE(copy_in(unit + bases(90, 2) + other, {20}).found());
  // A side that cannot be read does not disagree: 20 bases on the other are enough, 12 are not.
  EXPECT_TRUE(copy_in(unit.substr(0, 21) + "N" + bases(90, 2) + unit.substr(0, 21) + bases(9, 4), {20}).found());
  EXPECT_FALSE(copy_in(unit.substr(8, 13) + "N" + bases(90, 2) + unit.substr(8, 13) + bases(9, 4), {12}).found());
}

TEST(Copies, AreFoundInAnotherInputAndOnAnyNumberOfThreads) {
  const std::string unit = bases(41, 1);
  const std::vector<corpus::Example> inputs{input(bases(50, 2) + unit, {70}), input(unit + bases(70, 3), {80, 90})};
  EXPECT_FALSE(find_copies(inputs, 0, vocabulary(), 1)[0].found());
  const auto elsewhere = find_copies(inputs, 1, vocabulary(), 2);
  ASSERT_EQ(elsewhere.size(), 3u);
  EXPECT_EQ(elsewhere[0].token, vocabulary().find(unit.substr(20, 1)));
  EXPECT_FALSE(elsewhere[1].found());
  const std::string many = bases(200, 5) + bases(200, 5) + bases(200, 5);
  const std::vector<corpus::Example> same(8, input(many, {20, 50, 90, 250, 290, 420, 470}));
  const auto one = find_copies(same, 0, vocabulary(), 1), four = find_copies(same, 0, vocabulary(), 4);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].distance, four[i].distance);
}

TEST(Copies, ConfidenceIsTheShareThatWasRight) {
  CopyConfidence confidence;
  const Copy weak{5, false, 100, 16}, strong{5, false, 100, 40};
  EXPECT_NEAR(confidence(strong), 0.05, 1e-12);  // nothing was counted
  for (int i = 0; i < 10'000; ++i) confidence.count(strong, i % 10 < 9 ? 5 : 6);
  for (int i = 0; i < 10'000; ++i) confidence.count(weak, i % 10 < 3 ? 5 : 6);
  confidence.count(Copy(), 5);
  EXPECT_NEAR(confidence(strong), 0.9, 0.01);
  EXPECT_NEAR(confidence(weak), 0.3, 0.01);
  EXPECT_EQ(confidence(Copy()), 0);
  EXPECT_NEAR(confidence({5, true, 100, 40}), 0.05, 1e-12);  // no tandem repeat: counted apart
  EXPECT_NEAR(confidence({5, false, 1000, 40}), 0.05, 1e-12);
  EXPECT_EQ(confidence.json().size(), 2u);
  EXPECT_EQ(confidence.json()[0]["right"], 3000);
}

TEST(Copies, Classes) {
  const auto name = [](const Copy& copy) {
    const auto& found = copy_classes()[copy_class(copy)];
    return found.copy + " " + found.distance;
  };
  EXPECT_EQ(name({}), "none NA");
  EXPECT_EQ(name({5, false, 999, 16}), "direct 0-1kb");
  EXPECT_EQ(name({5, false, 1000, 16}), "direct 1-4kb");
  EXPECT_EQ(name({5, true, 19'999, 16}), "inverted 4-20kb");
  EXPECT_EQ(name({5, true, 1'000'000, 16}), "inverted 20kb-");
}

}  // namespace
}  // namespace bigdna::mlm
