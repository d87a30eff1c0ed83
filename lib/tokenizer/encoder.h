/// Text to tokens: SentencePiece's BPE ids for a vocabulary, each with the interval of its bases.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// Tokens of one sequence. Token i covers its bases [begins[i], begins[i + 1]), 0-based; the last entry of begins, one
/// more than there are tokens, is the sequence's length.
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<int64_t> begins;
  size_t size() const { return ids.size(); }
};

/// Immutable, so threads may share it.
class Encoder {
 public:
  explicit Encoder(Vocabulary vocabulary);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  const Vocabulary& vocabulary() const;
  /// Encodes normalised bases (genome/alphabet.h). No special tokens are added. Any length, no quadratic
  /// behaviour.
  Encoding encode(std::string_view bases) const;
  /// The same; sequences of more than 2 Mbp are encoded by several threads.
  Encoding encode(std::string_view bases, int threads) const;
  /// Encodes a line of text, to which the vocabulary's rules for letters and blanks apply first: the ids that the
  /// SentencePiece or tokenizers library gives for it. A token's bytes are those that it was made of.
  Encoding encode_text(std::string_view line, int threads) const;
  /// The same, but appends only the ids.
  void encode_ids(std::string_view bases, std::vector<TokenId>& ids) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::tokenizer
