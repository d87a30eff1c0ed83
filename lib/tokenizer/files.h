/// The two file formats of a vocabulary, parsed; used by Vocabulary::load only.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
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

/// What a tokenizer.json does around the merges: normaliser, pre-tokeniser, how unknown characters are treated.
/// `long_n_text` gets the text of the token that a long run of N becomes. Error naming a component, or a field of one,
/// that is not applied.
TextRules read_rules(const std::string& path, const nlohmann::json& json, std::string& long_n_text);
/// How the post-processor differs from [CLS] sequence [SEP], in words; "" if it does not.
std::string other_frame(const nlohmann::json& json, const SpecialTokens& special);
/// The same, as a tokenizer.json that bigdna writes has them.
struct Rules {
  nlohmann::ordered_json normaliser, pre_tokeniser, post_processor;
};
Rules written_rules(const Vocabulary& vocabulary);
/// Error if a token that was added to a vocabulary consists of bases: it would be cut out of sequence before any merge.
void require_not_dna(std::string text, const std::map<char, char>& letters, const std::string& path);
/// Ids of the special tokens, found by the names that projects give them ("[PAD]", "<pad>" ...); -1 for a missing one.
SpecialTokens special_by_name(const std::vector<Piece>& pieces);

}  // namespace bigdna::tokenizer
