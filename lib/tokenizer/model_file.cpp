/// SentencePiece's ModelProto, through the protobuf classes that SentencePiece itself carries.
#include <sentencepiece_model.pb.h>

#include <filesystem>

#include "base/error.h"
#include "io/output.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {

using sentencepiece::ModelProto;

std::string to_model_proto(const Vocabulary& vocabulary) {
  ModelProto model;
  for (const auto& piece : vocabulary.pieces()) {
    auto* entry = model.add_pieces();
    entry->set_piece(piece.text);
    entry->set_score(piece.score);
    if (piece.special) entry->set_type(ModelProto::SentencePiece::CONTROL);
  }
  const auto& special = vocabulary.special();
  if (special.unk >= 0) model.mutable_pieces(special.unk)->set_type(ModelProto::SentencePiece::UNKNOWN);
  auto* trainer = model.mutable_trainer_spec();
  trainer->set_model_type(sentencepiece::TrainerSpec::BPE);
  trainer->set_vocab_size(static_cast<int>(vocabulary.size()));
  trainer->set_character_coverage(1);
  trainer->set_unk_id(special.unk);
  trainer->set_pad_id(special.pad);
  trainer->set_bos_id(special.cls);
  trainer->set_eos_id(special.sep);
  auto name = [&](TokenId id) { return id >= 0 ? vocabulary.piece(id).text : std::string(); };
  trainer->set_unk_piece(name(special.unk));
  trainer->set_pad_piece(name(special.pad));
  trainer->set_bos_piece(name(special.cls));
  trainer->set_eos_piece(name(special.sep));
  if (special.mask >= 0) trainer->add_control_symbols(name(special.mask));
  auto* normalizer = model.mutable_normalizer_spec();
  normalizer->set_name("identity");
  normalizer->set_add_dummy_prefix(false);
  normalizer->set_remove_extra_whitespaces(false);
  normalizer->set_escape_whitespaces(false);
  return model.SerializeAsString();
}

Vocabulary from_model_proto(const std::string& bytes, const std::string& file) {
  ModelProto model;
  if (!model.ParseFromString(bytes) || model.pieces_size() == 0) fail(file, ": not a SentencePiece model");
  if (model.trainer_spec().model_type() != sentencepiece::TrainerSpec::BPE)
    fail(file, ": a SentencePiece model, but not of type BPE, which is what bigdna reads");
  std::vector<Piece> pieces;
  SpecialTokens special{-1, -1, -1, -1, -1};
  for (int i = 0; i < model.pieces_size(); ++i) {
    const auto& entry = model.pieces(i);
    const bool normal = entry.type() == ModelProto::SentencePiece::NORMAL;
    pieces.push_back({entry.piece(), entry.score(), !normal});
    if (entry.type() == ModelProto::SentencePiece::UNKNOWN) special.unk = i;
    if (entry.piece() == "[MASK]" || entry.piece() == "<mask>") special.mask = i;
  }
  const auto& trainer = model.trainer_spec();
  auto known = [&](int id) { return id >= 0 && id < model.pieces_size() ? id : -1; };
  special.pad = known(trainer.pad_id());
  special.cls = known(trainer.bos_id());
  special.sep = known(trainer.eos_id());
  return Vocabulary(std::move(pieces), special);
}

}  // namespace bigdna::tokenizer
