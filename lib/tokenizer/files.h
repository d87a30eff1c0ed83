/// The file formats of vocabularies, in memory. Vocabulary::load and save_* use them; `file` is for messages.
#pragma once

#include <string>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// SentencePiece's ModelProto (BPE, identity normalisation, no dummy prefix).
std::string to_model_proto(const Vocabulary& vocabulary);
Vocabulary from_model_proto(const std::string& bytes, const std::string& file);

/// tokenizers' tokenizer.json.
std::string to_tokenizer_json(const Vocabulary& vocabulary);
Vocabulary from_tokenizer_json(const std::string& text, const std::string& file);
std::string to_tokenizer_config(const Vocabulary& vocabulary, int64_t max_length);

}  // namespace bigdna::tokenizer
