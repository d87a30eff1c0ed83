#include "tokenizer/encoder.h"

#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <set>

#include "base/rng.h"
#include "io/lines.h"
#include "support.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {
namespace {

std::string random_text(Rng& rng, std::string_view letters, size_t length) {
  std::string text;
  while (text.size() < length) {
    if (rng.below(30) == 0)
      text += std::string(rng.below(40), letters[rng.below(letters.size())]);
    else
      text += letters[rng.below(letters.size())];
  }
  text.resize(length);
  return text;
}

/// Trained on texts with repeats, so that long pieces and pieces with N arise.
Vocabulary trained(std::string_view letters, int64_t size, int max_length = 16) {
  Rng rng(5);
  std::vector<std::string> sentences;
  for (int i = 0; i < 400; ++i) {
    std::string text = random_text(rng, letters, 300);
    if (i > 0) text += sentences[rng.below(sentences.size())].substr(rng.below(200), 100);
    sentences.push_back(text);
  }
  size_t i = 0;
  return train_bpe(
      [&]() -> std::optional<std::string_view> {
        if (i == sentences.size()) return std::nullopt;
        return sentences[i++];
      },
      {.vocab_size = size, .max_piece_length = max_length});
}

const std::vector<Piece> kSpecial{
    {"[PAD]", 0, true}, {"[UNK]", 0, true}, {"[CLS]", 0, true}, {"[SEP]", 0, true}, {"[MASK]", 0, true}};

/// Pieces and scores by chance: unreachable pieces, merges out of order, equal scores. Real ones never are so
/// bad.
Vocabulary wild(uint64_t seed, std::string_view letters, size_t count, bool equal_scores) {
  Rng rng(seed);
  std::vector<Piece> pieces = kSpecial;
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const char c : letters) texts.emplace_back(1, c), known.insert(texts.back());
  for (size_t tries = 0; texts.size() < count && tries < 10 * count; ++tries) {
    const std::string joined = texts[rng.below(texts.size())] + texts[rng.below(texts.size())];
    if (joined.size() <= 16 && known.insert(joined).second) texts.push_back(joined);
  }
  for (const std::string& text : texts)
    pieces.push_back({text, -static_cast<float>(equal_scores ? rng.below(5) : rng.below(1 << 20)), false});
  return Vocabulary(std::move(pieces), {});
}

class Reference {  // the SentencePiece library
 public:
  explicit Reference(const Vocabulary& vocabulary) {
    test::TempDir dir;
    vocabulary.save_model(dir / "m.model");
    EXPECT_TRUE(processor_.Load(dir / "m.model").ok());
  }
  std::vector<TokenId> encode(const std::string& text) const {
    std::vector<int> ids;
    EXPECT_TRUE(processor_.Encode(text, &ids).ok());
    return {ids.begin(), ids.end()};
  }

 private:
  sentencepiece::SentencePieceProcessor processor_;
};

void expect_sound(const Encoder& encoder, const std::string& text) {
  const Encoding encoding = encoder.encode(text);
  ASSERT_EQ(encoding.begins.size(), encoding.ids.size() + 1);
  ASSERT_EQ(encoding.begins.back(), static_cast<int64_t>(text.size()));
  if (!text.empty()) {
    ASSERT_EQ(encoding.begins.front(), 0);
  }
  for (size_t i = 0; i < encoding.size(); ++i) {
    const auto begin = static_cast<size_t>(encoding.begins[i]), end = static_cast<size_t>(encoding.begins[i + 1]);
    if (encoder.vocabulary().is_special(encoding.ids[i])) continue;
    ASSERT_EQ(text.substr(begin, end - begin), encoder.vocabulary().piece(encoding.ids[i]).text);
  }
  std::vector<TokenId> ids{-7};
  encoder.encode_ids(text, ids);
  ids.erase(ids.begin());
  ASSERT_EQ(ids, encoding.ids);
}

std::vector<std::string> texts() {
  Rng rng(9);
  std::vector<std::string> texts{"", "A", "C", "G", "T", "N", "NN", "ANA"};
  for (const char* unit : {"A", "N", "AC", "ACG", "AAAN", "TTAGGG", "CA"})
    for (const size_t length : {1, 2, 3, 5, 15, 16, 17, 31, 33, 100, 1000, 2999}) {
      std::string text;
      while (text.size() < length) text += unit;
      texts.push_back(text.substr(0, length));
    }
  for (int i = 0; i < 600; ++i)
    texts.push_back(random_text(rng, i % 2 ? "ACGT" : "ACGTN", rng.below(i % 10 ? 300 : 5001)));
  return texts;
}

TEST(Encoder, GivesSentencePiecesIdsOfTextWithBlanks) {
  const Vocabulary vocabulary = trained("ACGT ", 200);
  const Reference reference(vocabulary);
  test::TempDir dir;
  vocabulary.save_tokenizer_json(dir / "tokenizer.json");
  const Encoder encoder{Vocabulary(vocabulary)}, read{Vocabulary::load(dir / "tokenizer.json")};
  Rng rng(11);
  for (int i = 0; i < 200; ++i) {
    const std::string text = random_text(rng, "ACGT ", 1 + rng.below(100));
    ASSERT_EQ(encoder.encode(text).ids, reference.encode(text)) << text;
    ASSERT_EQ(encoder.encode(text).ids, read.encode(text).ids) << text;
  }
}

TEST(Encoder, GivesSentencePiecesIds) {
  const auto all = texts();
  const Vocabulary vocabularies[] = {trained("ACGT", 300), trained("ACGTN", 300),      trained("ACGTN", 3000),
                                     trained("ACG", 64),   trained("ACGTN", 2000, 40), trained("AB", 100)};
  for (const Vocabulary& vocabulary : vocabularies) {
    const Encoder encoder{Vocabulary(vocabulary)};
    const Reference reference(vocabulary);
    for (const std::string& text : all) {
      ASSERT_EQ(encoder.encode(text).ids, reference.encode(text)) << text;
      expect_sound(encoder, text);
    }
  }
}

TEST(Encoder, GivesSentencePiecesIdsForWildVocabularies) {
  const auto all = texts();
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Vocabulary vocabulary = wild(seed, seed % 3 ? "ACGT" : "ACGTN", 40 + 150 * seed, seed % 4 == 3);
    const Encoder encoder{Vocabulary(vocabulary)};
    const Reference reference(vocabulary);
    for (size_t i = seed; i < all.size(); i += 6)
      ASSERT_EQ(encoder.encode(all[i]).ids, reference.encode(all[i])) << seed << " " << all[i];
  }
}

TEST(Encoder, ExplicitMergesGiveWhatTheHeapGives) {
  const auto all = texts();
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Vocabulary base = wild(100 + seed, "ACGT", 200, false);
    Rng rng(seed);
    std::vector<Merge> merges;  // not every split, in any order
    for (const Piece& piece : base.pieces())
      for (size_t cut = 1; !piece.special && cut < piece.text.size(); ++cut) {
        const Merge merge{base.find(piece.text.substr(0, cut)), base.find(piece.text.substr(cut))};
        if (merge[0] >= 0 && merge[1] >= 0 && rng.below(3)) merges.push_back(merge);
      }
    rng.shuffle(merges);
    const Vocabulary vocabulary(base.pieces(), {}, merges, {.fuse_unknown = seed % 2 == 0});
    const Encoder encoder{Vocabulary(vocabulary)};
    const MergeTable table(vocabulary);
    for (size_t i = seed; i < all.size(); i += 6) {
      std::vector<TokenId> symbols, expected;
      for (const char c : all[i]) symbols.push_back(vocabulary.find(std::string(1, c)));
      for (const TokenId token : table.bpe(symbols))
        if (token >= 0 || seed % 2 || expected.empty() || expected.back() != 1)
          expected.push_back(token < 0 ? 1 : token);
      ASSERT_EQ(encoder.encode(all[i]).ids, expected) << seed << " " << all[i];
      expect_sound(encoder, all[i]);
    }
  }
}

TEST(Encoder, UnknownCharacters) {
  Vocabulary vocabulary = trained("ACGT", 100);
  const Encoder encoder{Vocabulary(vocabulary)};
  const Encoding encoding = encoder.encode("ACNNNT\u00e9\u20acN");
  EXPECT_EQ(encoding.ids.back(), 1);
  EXPECT_EQ(std::count(encoding.ids.begin(), encoding.ids.end(), 1), 2);
  EXPECT_EQ(encoding.begins.back(), 12);
  EXPECT_EQ(encoding.ids, Reference(vocabulary).encode("ACNNNT\u00e9\u20acN"));
  const Encoder each(Vocabulary(vocabulary.pieces(), {}, {}, {.fuse_unknown = false}));
  const auto ids = each.encode("ANNNA\u20ac").ids;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1), 4);
}

TEST(Encoder, LongRunsOfNAsOneToken) {  // GENA-LM
  std::vector<Piece> pieces = kSpecial;
  pieces.push_back({"-", 0, true});
  for (const char* text : {"AC", "N", "A", "C"}) pieces.push_back({text, -static_cast<float>(pieces.size()), false});
  const Encoder encoder(Vocabulary(pieces, {}, {}, {.long_n = 10, .long_n_token = 5}));
  const std::string nine(9, 'N'), ten(10, 'N');
  EXPECT_EQ(encoder.encode(ten).ids, (std::vector<TokenId>{5}));
  const Encoding encoding = encoder.encode("AC" + ten + ten + "A" + nine + "C");
  EXPECT_EQ(encoding.ids, (std::vector<TokenId>{6, 5, 8, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9}));
  EXPECT_EQ(encoding.begins[1], 2);
  EXPECT_EQ(encoding.begins[2], 22);
}

TEST(Encoder, DummyPrefix) {
  std::vector<Piece> pieces = kSpecial;
  for (const char* text : {"\u2581A", "AC", "\u2581", "A", "C"})
    pieces.push_back({text, -static_cast<float>(pieces.size()), false});
  const Vocabulary vocabulary(pieces, {}, {}, {.dummy_prefix = true});
  const Encoder encoder{Vocabulary(vocabulary)};
  for (const std::string text : {"", "A", "C", "AC", "CAC", "NAC"})
    EXPECT_EQ(encoder.encode(text).ids, Reference(vocabulary).encode(text)) << text;
  EXPECT_EQ(encoder.encode("CAC").begins, (std::vector<int64_t>{0, 0, 1, 3}));
  EXPECT_EQ(encoder.encode("ACC").begins, (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST(Encoder, SeveralThreadsForOneSequence) {
  Rng rng(8);
  const std::string with_n = random_text(rng, "ACGTN", 2'500'000);
  const std::string bases = random_text(rng, "ACGT", 2'500'000);
  std::string repeat;  // of a period that the cuts are no multiple of
  while (repeat.size() < 2'300'000) repeat += "AACCCTG";
  const std::vector<std::string> texts{
      with_n,
      bases + std::string(2'200'000, 'N') + bases,
      bases.substr(0, 1'000'000) + std::string(1'600'000, 'A') + bases.substr(1'000'000),
      repeat + bases.substr(0, 700'000) + repeat,
      std::string(2'500'000, 'N'),
  };
  std::vector<Encoder> encoders;
  encoders.emplace_back(trained("ACGTN", 400));
  encoders.emplace_back(trained("ACGT", 400));
  std::vector<Piece> pieces = trained("ACGTN", 300).pieces();
  pieces.push_back({"-", 0, true});
  const auto last = static_cast<TokenId>(pieces.size() - 1);
  encoders.emplace_back(Vocabulary(pieces, {}, {}, {.long_n = 10, .long_n_token = last}));
  for (const Encoder& encoder : encoders) {
    for (const std::string& text : texts) {
      const Encoding one = encoder.encode(text), three = encoder.encode(text, 3);
      ASSERT_TRUE(one.ids == three.ids && one.begins == three.begins) << text.size();
    }
  }
}

TEST(Encoder, RealSequenceWithN) {
  BIGDNA_REAL_DATA(path, "genomes/hg38.chr1_first1Mb.fa.gz");
  io::LineReader reader(path);
  std::string bases;
  while (const auto line = reader.next())
    if (line->front() != '>') bases += *line;
  for (char& base : bases) base = static_cast<char>(std::toupper(base));
  size_t at = 0;
  const Vocabulary vocabulary = train_bpe(
      [&]() -> std::optional<std::string_view> {
        if (at >= bases.size()) return std::nullopt;
        const size_t from = std::exchange(at, at + 750);
        return std::string_view(bases).substr(from, 750);
      },
      {.vocab_size = 4096, .threads = 2});
  const Encoder encoder{Vocabulary(vocabulary)};
  const Reference reference(vocabulary);
  for (const size_t length : {size_t{750}, size_t{30000}, bases.size()}) {
    for (size_t from = 0; from < bases.size(); from += 20 * length) {
      const std::string text = bases.substr(from, length);
      ASSERT_EQ(encoder.encode(text).ids, reference.encode(text)) << from;
    }
  }
}

}  // namespace
}  // namespace bigdna::tokenizer
