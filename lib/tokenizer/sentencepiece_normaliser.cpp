#include "tokenizer/sentencepiece_normaliser.h"

#include <sentencepiece_model.pb.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <cstdio>

#include "base/error.h"
#include "io/folder.h"
#include "io/output.h"
#include "io/temporary_file.h"

namespace bigdna::tokenizer {

SentencePieceNormaliser::SentencePieceNormaliser(const std::string& spec)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  sentencepiece::ModelProto proto;  // the least that the library loads
  proto.mutable_trainer_spec()->set_model_type(sentencepiece::TrainerSpec::BPE);
  proto.add_pieces()->set_piece("<unk>");
  proto.mutable_pieces(0)->set_type(sentencepiece::ModelProto::SentencePiece::UNKNOWN);
  proto.add_pieces()->set_piece("A");
  const bool parsed = proto.mutable_normalizer_spec()->ParseFromString(spec);
  const auto status = processor_->LoadFromSerializedProto(proto.SerializeAsString());
  if (!parsed || !status.ok()) fail("SentencePiece refuses the model's normaliser: ", status.ToString());
}
SentencePieceNormaliser::~SentencePieceNormaliser() = default;
SentencePieceNormaliser::SentencePieceNormaliser(SentencePieceNormaliser&&) noexcept = default;

SentencePieceNormaliser::Result SentencePieceNormaliser::operator()(std::string_view line) const {
  Result result;
  const auto status = processor_->Normalize(line, &result.text, &result.origins);
  if (!status.ok()) fail("SentencePiece: ", status.ToString());
  return result;
}

std::map<char, char> SentencePieceNormaliser::changed_letters() const {
  std::map<char, char> changed;
  for (char letter = '!'; letter < 127; ++letter)
    if (const auto text = (*this)(std::string(1, letter)).text; text.size() == 1 && text[0] != letter)
      changed.emplace(letter, text[0]);
  return changed;
}

std::string normaliser_of(const std::map<char, char>& letters, const std::string& path) {
  std::string rows;  // code points as hexadecimal numbers
  for (const auto& [from, to] : letters) {
    char row[32];
    std::snprintf(row, sizeof row, "%X\t%X\n", static_cast<unsigned char>(from), static_cast<unsigned char>(to));
    rows += row;
  }
  const std::string table = io::temporary_name(path + ".letters");
  io::write_file(table, rows);
  sentencepiece::NormalizerSpec spec;
  spec.set_normalization_rule_tsv(table);
  sentencepiece::TrainerSpec unused;
  sentencepiece::NormalizerSpec none;  // as the function demands, of which only the flag is wanted: no log on stderr
  (void)sentencepiece::SentencePieceTrainer::MergeSpecsFromArgs({{"minloglevel", "1"}}, &unused, &none, &none);
  const auto status = sentencepiece::SentencePieceTrainer::PopulateNormalizerSpec(&spec);
  io::remove_leftover(table);
  if (!status.ok()) fail(path, ": SentencePiece: ", status.ToString());
  spec.clear_normalization_rule_tsv();
  spec.set_name(kNucleotides);
  return spec.SerializeAsString();
}

}  // namespace bigdna::tokenizer
