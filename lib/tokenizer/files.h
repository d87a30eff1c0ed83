/// The two file formats of a vocabulary, parsed; used by Vocabulary::load only.
#pragma once

#include <string>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// A serialised SentencePiece ModelProto of type BPE. `path` is for messages. Error: damaged, not BPE, byte
/// fallback, unused pieces, a normalisation that changes bases.
Vocabulary parse_sentencepiece_model(const std::string& path, const std::string& content);

/// The text of a tokenizer.json (Hugging Face tokenizers) with a BPE model. Files that bigdna wrote give back the
/// vocabulary they were written from. Error: another model, byte level, affixes, dropout, a normaliser or pre-tokeniser
/// that would change or split bases.
Vocabulary parse_tokenizer_json(const std::string& path, const std::string& content);

/// Ids of the special tokens, found by the names that projects give them ("[PAD]", "<pad>" ...); -1 for a missing one.
SpecialTokens special_by_name(const std::vector<Piece>& pieces);

}  // namespace bigdna::tokenizer
