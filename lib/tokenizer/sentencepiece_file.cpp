#include <sentencepiece_model.pb.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/utf8.h"
#include "io/output.h"
#include "tokenizer/charsmap.h"
#include "tokenizer/files.h"
#include "tokenizer/sentencepiece_normaliser.h"

namespace bigdna::tokenizer {
namespace {

using Proto = sentencepiece::ModelProto;
using ProtoPiece = sentencepiece::ModelProto::SentencePiece;

TokenId id_of_name(const std::vector<Piece>& pieces, std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].special && pieces[i].text == name) return static_cast<TokenId>(i);
  return -1;
}

void refuse_unsupported(const std::string& path, const Proto& proto) {
  const auto& trainer = proto.trainer_spec();
  const auto& normaliser = proto.normalizer_spec();
  if (trainer.model_type() != sentencepiece::TrainerSpec::BPE)
    fail(path, ": a SentencePiece model of another type than BPE (", trainer.ModelType_Name(trainer.model_type()), ")");
  if (trainer.byte_fallback()) fail(path, ": byte fallback is not supported");
  if (trainer.treat_whitespace_as_suffix()) fail(path, ": whitespace as a suffix is not supported");
  // Case folding and custom rules may change bases; the named Unicode forms leave letters of ASCII as they are.
  const std::string& name = normaliser.name();
  if (!normaliser.precompiled_charsmap().empty() && name != "identity" && name != "nfkc" && name != "nmt_nfkc" &&
      name != kNucleotides)
    fail(path, ": the normalisation '", name, "' is not supported");
  if (const auto fault = fault_of_charsmap(normaliser.precompiled_charsmap()); !fault.empty())
    fail(path, ": damaged: the normaliser: ", fault);
}

void check_piece(const std::string& path, const ProtoPiece& piece) {
  if (piece.piece().empty()) fail(path, ": damaged: it has a piece without text");
  if (!is_utf8(piece.piece())) fail(path, ": damaged: it has a piece that is not UTF-8");
  if (!std::isfinite(piece.score())) fail(path, ": damaged: the score of '", piece.piece(), "' is not a number");
  if (piece.type() == ProtoPiece::UNUSED || piece.type() == ProtoPiece::BYTE)
    fail(path, ": the piece '", piece.piece(), "' is of type UNUSED or BYTE, which is not supported");
  // A user-defined symbol would be cut out of the text before any merge.
  if (piece.type() == ProtoPiece::USER_DEFINED && piece.piece().find_first_not_of("ACGTN") == std::string::npos)
    fail(path, ": the user-defined symbol '", piece.piece(), "' could match DNA sequence, which is not supported");
}

/// What the model's normaliser does to text.
TextRules rules_of(const std::string& path, const Proto& proto) {
  const auto& normaliser = proto.normalizer_spec();
  TextRules rules;
  rules.dummy_prefix = normaliser.add_dummy_prefix();
  const bool blanks_stay =
      !rules.dummy_prefix && !normaliser.remove_extra_whitespaces() && !normaliser.escape_whitespaces();
  const bool escapes_nothing = std::ranges::none_of(
      proto.pieces(), [](const ProtoPiece& piece) { return piece.piece().find("\u2581") != std::string::npos; });
  if (normaliser.precompiled_charsmap().empty() &&
      (blanks_stay || (escapes_nothing && !rules.dummy_prefix && !normaliser.remove_extra_whitespaces())))
    return rules;
  const SentencePieceNormaliser text(normaliser.SerializeAsString());
  if (normaliser.name() == kNucleotides) rules.letters = text.changed_letters();
  if (rules.letters.empty()) rules.normaliser = normaliser.SerializeAsString();
  for (const char base : {'A', 'C', 'G', 'T', 'N'})
    if (rules.letters.contains(base) || !text(std::string(1, base)).text.ends_with(base))
      fail(path, ": its normalisation changes ", base, ", which is not supported");
  return rules;
}

}  // namespace

SpecialTokens special_by_name(const std::vector<Piece>& pieces) {
  return {.pad = id_of_name(pieces, {"[PAD]", "<pad>"}),
          .unk = id_of_name(pieces, {"[UNK]", "<unk>"}),
          .cls = id_of_name(pieces, {"[CLS]", "<cls>", "<s>"}),
          .sep = id_of_name(pieces, {"[SEP]", "<sep>", "</s>"}),
          .mask = id_of_name(pieces, {"[MASK]", "<mask>"})};
}

Vocabulary parse_sentencepiece_model(const std::string& path, const std::string& content) {
  Proto proto;
  if (content.empty() || !proto.ParseFromString(content) || proto.pieces_size() == 0)
    fail(path, ": not a SentencePiece model or tokenizer.json");
  refuse_unsupported(path, proto);
  std::vector<Piece> pieces;
  TokenId unknown = -1;
  for (const auto& piece : proto.pieces()) {
    check_piece(path, piece);
    if (piece.type() == ProtoPiece::UNKNOWN) {
      if (unknown >= 0) fail(path, ": damaged: it has two pieces of type UNKNOWN");
      unknown = static_cast<TokenId>(pieces.size());
    }
    pieces.push_back({piece.piece(), piece.score(), piece.type() != ProtoPiece::NORMAL});
  }
  if (unknown < 0) fail(path, ": it has no piece of type UNKNOWN, without which no text can be tokenised");
  SpecialTokens special = special_by_name(pieces);
  special.unk = unknown;
  return Vocabulary(std::move(pieces), special, {}, rules_of(path, proto));
}

bool Vocabulary::fits_sentencepiece() const {
  return merges_.empty() && rules_.long_n == 0 && rules_.fuse_unknown && !rules_.changes_text();
}

void Vocabulary::save_model(const std::string& path) const {
  if (!fits_sentencepiece())
    fail(path,
         ": a SentencePiece model cannot hold this vocabulary (explicit merges, rules for runs of N or for text, or "
         "one [UNK] "
         "per character)");
  Proto proto;
  size_t longest = 1;
  for (TokenId id = 0; id < size(); ++id) {
    const Piece& piece = pieces_[static_cast<size_t>(id)];
    ProtoPiece* out = proto.add_pieces();
    out->set_piece(piece.text);
    out->set_score(piece.score);
    out->set_type(!piece.special ? ProtoPiece::NORMAL : id == special_.unk ? ProtoPiece::UNKNOWN : ProtoPiece::CONTROL);
    if (!piece.special) longest = std::max(longest, piece.text.size());
  }
  auto* trainer = proto.mutable_trainer_spec();
  trainer->set_model_type(sentencepiece::TrainerSpec::BPE);
  trainer->set_vocab_size(static_cast<int32_t>(size()));
  trainer->set_character_coverage(1);
  trainer->set_max_sentencepiece_length(static_cast<int32_t>(longest));
  const auto name_of = [&](TokenId id) { return id < 0 ? std::string() : piece(id).text; };
  trainer->set_pad_id(special_.pad);
  trainer->set_unk_id(special_.unk);
  trainer->set_bos_id(special_.cls);
  trainer->set_eos_id(special_.sep);
  if (special_.pad >= 0) trainer->set_pad_piece(name_of(special_.pad));
  if (special_.unk >= 0) trainer->set_unk_piece(name_of(special_.unk));
  if (special_.cls >= 0) trainer->set_bos_piece(name_of(special_.cls));
  if (special_.sep >= 0) trainer->set_eos_piece(name_of(special_.sep));
  if (special_.mask >= 0) trainer->add_control_symbols(name_of(special_.mask));
  auto* normaliser = proto.mutable_normalizer_spec();
  if (!rules_.normaliser.empty()) {
    if (!normaliser->ParseFromString(rules_.normaliser)) fail("internal error: a normaliser that cannot be read");
    io::write_file(path, proto.SerializeAsString());
    return;
  }
  if (rules_.letters.empty())
    normaliser->set_name("identity");
  else
    normaliser->MergeFromString(normaliser_of(rules_.letters, path));
  normaliser->set_add_dummy_prefix(rules_.dummy_prefix);
  normaliser->set_remove_extra_whitespaces(false);
  if (std::ranges::any_of(pieces_, [](const Piece& piece) { return piece.text.find(' ') != std::string::npos; }))
    normaliser->set_escape_whitespaces(false);  // otherwise the library looks for "\u2581" where these have a blank
  io::write_file(path, proto.SerializeAsString());
}

void Vocabulary::save_text(const std::string& path) const {
  std::string text;
  for (const Piece& piece : pieces_) text += concat(piece.text, '\t', piece.score, '\n');
  io::write_file(path, text);
}

}  // namespace bigdna::tokenizer
