#include "tokenizer/encoder.h"

#include <sentencepiece_processor.h>

#include "base/error.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {

struct Encoder::State {
  Vocabulary vocabulary;
  sentencepiece::SentencePieceProcessor processor;
};

Encoder::Encoder(Vocabulary vocabulary) : state_(new State{std::move(vocabulary), {}}) {
  const auto status = state_->processor.LoadFromSerializedProto(to_model_proto(state_->vocabulary));
  if (!status.ok()) fail("vocabulary: ", status.ToString());
}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;

const Vocabulary& Encoder::vocabulary() const { return state_->vocabulary; }

void Encoder::encode_ids(std::string_view bases, std::vector<TokenId>& ids) const {
  std::vector<int> encoded;
  const auto status = state_->processor.Encode(bases, &encoded);
  if (!status.ok()) fail("tokenizer: ", status.ToString());
  ids.insert(ids.end(), encoded.begin(), encoded.end());
}

Encoding Encoder::encode(std::string_view bases) const {
  Encoding encoding;
  encode_ids(bases, encoding.ids);
  encoding.begins.reserve(encoding.ids.size() + 1);
  int64_t begin = 0;
  for (const TokenId id : encoding.ids) {
    encoding.begins.push_back(begin);
    begin += vocabulary().bases(id);
  }
  encoding.begins.push_back(begin);
  if (begin != static_cast<int64_t>(bases.size())) fail("tokenizer: the vocabulary lacks a letter of the sequence");
  return encoding;
}

}  // namespace bigdna::tokenizer
