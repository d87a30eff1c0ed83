// What SentencePiece does to text around the merges: exactly the library's ids.
#include <gtest/gtest.h>
#include <sentencepiece_model.pb.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <limits>

#include "base/error.h"
#include "base/rng.h"
#include "io/output.h"
#include "support.h"
#include "tokenizer/encoder.h"
#include "tokenizer/sentencepiece_normaliser.h"

namespace bigdna::tokenizer {
namespace {

using sentencepiece::ModelProto;
using test::error_of;

ModelProto model(bool prefix, bool remove, bool escape, const std::string& rule, bool with_blanks) {
  ModelProto proto;
  proto.mutable_trainer_spec()->set_model_type(sentencepiece::TrainerSpec::BPE);
  *proto.mutable_normalizer_spec() = sentencepiece::SentencePieceTrainer::GetNormalizerSpec(rule);
  proto.mutable_normalizer_spec()->set_add_dummy_prefix(prefix);
  proto.mutable_normalizer_spec()->set_remove_extra_whitespaces(remove);
  proto.mutable_normalizer_spec()->set_escape_whitespaces(escape);
  const auto add = [&](const std::string& piece, ModelProto::SentencePiece::Type type) {
    auto* added = proto.add_pieces();
    added->set_piece(piece);
    added->set_type(type);
    added->set_score(-static_cast<float>(proto.pieces_size()));
  };
  add("<unk>", ModelProto::SentencePiece::UNKNOWN);
  add("<s>", ModelProto::SentencePiece::CONTROL);
  std::vector<std::string> pieces{"AC", "GT", "ACGT", "A", "C", "G", "T"};
  const std::string blank = escape ? "\u2581" : " ";
  if (with_blanks)
    for (const std::string& piece : {blank + "A", blank + "AC", "T" + blank, blank + blank, blank})
      pieces.push_back(piece);
  for (const auto& piece : pieces) add(piece, ModelProto::SentencePiece::NORMAL);
  return proto;
}

std::string load_error(const ModelProto& proto) {
  const test::TempDir dir;
  io::write_file(dir / "x.model", proto.SerializeAsString());
  return error_of([&] { Vocabulary::load(dir / "x.model"); });
}

const std::vector<std::string> kTexts{"ACGT",
                                      " ACGT",
                                      "ACGT ",
                                      "  AC  GT  ",
                                      "AC GT",
                                      "A C G T",
                                      "   ",
                                      " ",
                                      "AC\tGT",
                                      "\tACGT\t",
                                      "AC \t GT",
                                      "acgt",
                                      "ACNNGT",
                                      "AC\u3000GT",
                                      "\uFF21C",
                                      "\u2581"
                                      "AC",
                                      "AC \u2581 GT",
                                      "x yz",
                                      "A\u00A0G"};

void compare(const ModelProto& proto) {
  const test::TempDir dir;
  io::write_file(dir / "x.model", proto.SerializeAsString());
  Vocabulary vocabulary = Vocabulary::load(dir / "x.model");
  vocabulary.save_model(dir / "again.model");
  const Encoder encoder(std::move(vocabulary)), again(Vocabulary::load(dir / "again.model"));
  sentencepiece::SentencePieceProcessor library, library_again;
  ASSERT_TRUE(library.Load(dir / "x.model").ok());
  ASSERT_TRUE(library_again.Load(dir / "again.model").ok());
  std::vector<std::string> texts = kTexts;
  Rng rng(3);
  for (int i = 0; i < 100; ++i) {
    std::string text;
    for (uint64_t n = rng.below(12); n > 0; --n) text += "AACCGGTT   \tx"[rng.below(13)];
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    const auto encoding = encoder.encode_text(text, 1);
    const std::vector<int> expected = library.EncodeAsIds(text);
    EXPECT_EQ(std::vector<int>(encoding.ids.begin(), encoding.ids.end()), expected) << '"' << text << '"';
    EXPECT_EQ(again.encode_text(text, 1).ids, encoding.ids) << '"' << text << '"';
    EXPECT_EQ(library_again.EncodeAsIds(text), expected) << '"' << text << '"';
    EXPECT_TRUE(std::is_sorted(encoding.begins.begin(), encoding.begins.end()));
    EXPECT_EQ(encoding.begins.size(), encoding.size() + 1);
    EXPECT_EQ(encoding.begins.back(), static_cast<int64_t>(text.size()));
  }
  EXPECT_EQ(encoder.encode("ACGTACGT").ids, encoder.encode_text("ACGTACGT", 1).ids);
}

TEST(Normaliser, EveryChoiceGivesTheLibrarysIds) {
  for (const bool prefix : {false, true})
    for (const bool remove : {false, true})
      for (const bool escape : {false, true})
        for (const bool with_blanks : {false, true})
          for (const std::string rule : {"identity", "nmt_nfkc", "nfkc"}) {
            SCOPED_TRACE(concat(prefix, remove, escape, with_blanks, ' ', rule));
            compare(model(prefix, remove, escape, rule, with_blanks));
          }
}

TEST(Normaliser, LowerCaseGivesTheIdsOfUpperCaseInTheLibraryToo) {
  const test::TempDir dir;
  std::vector<Piece> pieces{{"[PAD]", 0, true}, {"[UNK]", 0, true}};
  for (const char* text : {"AC", "GT", "A", "C", "G", "T", "N"})
    pieces.push_back({text, -static_cast<float>(pieces.size()), false});
  const auto letters = letters_of_nucleotides(pieces);
  const Vocabulary vocabulary(std::move(pieces), {.cls = -1, .sep = -1, .mask = -1}, {}, {.letters = letters});
  vocabulary.save_model(dir / "dna.model");
  const Encoder encoder(vocabulary), read(Vocabulary::load(dir / "dna.model"));
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.Load(dir / "dna.model").ok());
  const std::vector<std::pair<std::string, std::string>> pairs{{"acGtnR", "ACGTNN"}, {"uUx", "TTN"}, {"a-c", "A-C"}};
  for (const auto& [text, upper] : pairs) {
    const auto ids = encoder.encode(upper).ids;
    EXPECT_EQ(encoder.encode_text(text, 1).ids, ids);
    EXPECT_EQ(read.encode_text(text, 1).ids, ids);
    EXPECT_EQ(library.EncodeAsIds(text), (std::vector<int>(ids.begin(), ids.end())));
  }
}

TEST(Normaliser, DamagedModelsAreRefused) {
  ModelProto proto = model(false, false, false, "identity", false);
  proto.mutable_pieces(0)->set_type(ModelProto::SentencePiece::CONTROL);
  EXPECT_NE(load_error(proto).find("x.model: it has no piece of type UNKNOWN"), std::string::npos);
  proto = model(false, false, false, "identity", false);
  proto.mutable_pieces(1)->set_type(ModelProto::SentencePiece::UNKNOWN);
  EXPECT_NE(load_error(proto).find("two pieces of type UNKNOWN"), std::string::npos);
  proto = model(false, false, false, "identity", false);
  proto.mutable_pieces(3)->set_piece("");
  EXPECT_NE(load_error(proto).find("a piece without text"), std::string::npos);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    proto = model(false, false, false, "identity", false);
    proto.mutable_pieces(3)->set_score(bad);
    EXPECT_NE(load_error(proto).find("the score of 'GT' is not a number"), std::string::npos);
  }
  proto = model(false, false, false, "identity", false);
  proto.mutable_normalizer_spec()->set_precompiled_charsmap("damaged");
  EXPECT_NE(load_error(proto), "");
  const test::TempDir dir;
  proto = model(false, false, false, "identity", false);
  ASSERT_TRUE(proto.mutable_normalizer_spec()->ParseFromString(normaliser_of({{'A', 'C'}}, dir / "m")));
  EXPECT_NE(load_error(proto).find("its normalisation changes A"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::tokenizer
