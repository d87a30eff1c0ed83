/// Text to tokens: SentencePiece's BPE ids for a vocabulary, each with its base interval.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace bigdna::tokenizer {

/// Tokens of one sequence; token i covers bases [begins[i], begins[i + 1]) of it; begins has one more entry,
/// the sequence's length.
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<int64_t> begins;
  size_t size() const { return ids.size(); }
};

/// Immutable and shareable between threads.
class Encoder {
 public:
  explicit Encoder(Vocabulary vocabulary);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  const Vocabulary& vocabulary() const;
  /// Encodes normalised bases (genome/alphabet.h). No special tokens are added. Any length, no quadratic
  /// behaviour.
  Encoding encode(std::string_view bases) const;
  /// The same, a long sequence (over 2 Mbp) by several threads.
  Encoding encode(std::string_view bases, int threads) const;
  /// The same, but only the ids, appended to `ids`.
  void encode_ids(std::string_view bases, std::vector<TokenId>& ids) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::tokenizer
