#include "mlm/decode.h"

#include <gtest/gtest.h>

#include "tokenizer/encoder.h"

namespace bigdna::mlm {
namespace {

using tokenizer::Vocabulary;

Vocabulary vocabulary(const std::vector<std::string>& texts, tokenizer::TextRules rules = {}) {
  std::vector<tokenizer::Piece> pieces;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
  float score = 0;
  for (const auto& text : texts) pieces.push_back({text, score--, false});
  return {std::move(pieces), tokenizer::SpecialTokens(), {}, std::move(rules)};
}

const std::vector<std::string> kBases{"A", "C", "G", "T", "AC", "ACAC"};

std::vector<uint16_t> tokens_of(const std::string& bases, const Vocabulary& vocabulary) {
  const auto ids = tokenizer::Encoder(vocabulary).encode(bases).ids;
  return {ids.begin(), ids.end()};
}

/// The text that comes back, which has the same tokens.
std::string there_and_back(const std::string& bases, const Vocabulary& vocabulary) {
  const auto tokens = tokens_of(bases, vocabulary);
  const auto text = decode(tokens, static_cast<int64_t>(bases.size()), vocabulary);
  EXPECT_TRUE(text.has_value()) << bases;
  EXPECT_EQ(tokens_of(text.value_or(""), vocabulary), tokens) << bases;
  return text.value_or("");
}

TEST(Decode, OneUnknownStretchIsKnownExactly) {
  for (const std::string bases : {"ACACGT", "ACNNNNAC", "NNNACG", "ACGNN", "NNNN", ""})
    EXPECT_EQ(there_and_back(bases, vocabulary(kBases)), bases);
}

TEST(Decode, SeveralShareWhatIsLeftAndNeverJoinTheirSides) {
  EXPECT_EQ(there_and_back("ACNACNAC", vocabulary(kBases)), "ACNACNAC");
  EXPECT_EQ(there_and_back("ACNACNNNNAC", vocabulary(kBases)), "ACNNACNNNAC");
  EXPECT_EQ(there_and_back("NNNNNNACGN", vocabulary(kBases)), "NNNACGNNNN");
}

TEST(Decode, UnknownBasesAreNoPieceForN) {
  EXPECT_EQ(there_and_back("AATAANAATT", vocabulary({"A", "N", "AA"})), "AA?AANAA??");
}

TEST(Decode, EachUnknownBaseOfItsOwn) {
  EXPECT_EQ(there_and_back("ACNNACNC", vocabulary(kBases, {.fuse_unknown = false})), "ACNNACNC");
}

TEST(Decode, RunsOfNThatHaveATokenAreAtLeastAsLong) {
  auto texts = kBases;
  texts.push_back("-");
  const auto with_runs = vocabulary(texts, {.fuse_unknown = false, .long_n = 4, .long_n_token = 11});
  EXPECT_EQ(there_and_back("ACNNACNNNNNNNACNC", with_runs), "ACNNACNNNNNNNACNC");
  EXPECT_EQ(there_and_back("ACNNNNACNNNNNNNNA", with_runs), "ACNNNNNNACNNNNNNA");
}

TEST(Decode, APrefixIsNoBase) {
  for (const bool known : {true, false}) {
    auto texts = kBases;
    if (known) texts.insert(texts.end(), {"\u2581", "\u2581AC"});
    for (const std::string bases : {"ACGT", "GACAC", "NNAC"})
      EXPECT_EQ(there_and_back(bases, vocabulary(texts, {.dummy_prefix = true})), bases);
  }
}

TEST(Decode, TokensOfAnotherLengthAreRefused) {
  const auto tokens = tokens_of("ACGNACG", vocabulary(kBases));
  EXPECT_FALSE(decode(tokens, 6, vocabulary(kBases)));
  EXPECT_TRUE(decode(tokens, 8, vocabulary(kBases)));
  EXPECT_FALSE(decode(tokens_of("ACG", vocabulary(kBases)), 4, vocabulary(kBases)));
}

}  // namespace
}  // namespace bigdna::mlm
