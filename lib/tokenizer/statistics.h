/// Statistics of a text's tokens: bases per token, piece lengths, N and unknown characters, the most frequent pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/encoder.h"

namespace bigdna::tokenizer {

class Statistics {
 public:
  explicit Statistics(const Vocabulary& vocabulary);
  void add(const Encoding& encoding, std::string_view bases);
  /// Adds counts of tokens by id, of text without unknown characters; `sequences` does not change.
  void add(const std::vector<int64_t>& counts);

  int64_t sequences = 0, bases = 0, tokens = 0;
  int64_t n = 0;              // bases that are N
  int64_t unknown = 0;        // tokens that are [UNK]
  int64_t unknown_bases = 0;  // bases they stand for
  int64_t n_tokens = 0;       // tokens that hold an N, or stand for characters without a piece
  int64_t n_token_bases = 0;  // bases they stand for
  /// Over the tokens without N: runs of N would say little about the vocabulary.
  double bases_per_token() const;
  double n_fraction() const;        // of the bases
  double unknown_fraction() const;  // of the tokens

  /// TSV, "#statistic\tkey\tvalue": totals (key "."), then tokens by length in bases ("length"), then the
  /// `top` most frequent pieces ("piece", equal counts by id).
  std::string to_tsv(int64_t top) const;
  /// "AAAA 123, TTTT 45": the most frequent pieces.
  std::string most_frequent(int64_t top) const;

 private:
  std::vector<TokenId> by_count(int64_t top) const;
  const Vocabulary& vocabulary_;
  std::vector<int64_t> n_of_;  // N in a piece; -1 for special tokens
  std::vector<int64_t> counts_;
};

/// "pieces by length: 1 bp 5, 2 bp 16 ..." of a vocabulary.
std::string length_histogram(const Vocabulary& vocabulary);
/// The number with `decimals` digits after the point.
std::string fixed(double value, int decimals);

}  // namespace bigdna::tokenizer
