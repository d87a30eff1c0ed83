/// What tokens a text gives: bases per token, piece lengths, N and unknown characters, the most frequent
/// pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/encoder.h"

namespace bigdna::tokenizer {

class Statistics {
 public:
  explicit Statistics(const Vocabulary& vocabulary) : counts_(static_cast<size_t>(vocabulary.size())) {}
  void add(const Encoding& encoding, std::string_view bases, const Vocabulary& vocabulary);

  int64_t sequences = 0, bases = 0, tokens = 0;
  int64_t n = 0;              // bases that are N
  int64_t unknown = 0;        // tokens that are [UNK]
  int64_t unknown_bases = 0;  // bases they stand for
  double bases_per_token() const;
  const std::vector<int64_t>& counts() const { return counts_; }  // by id

  /// TSV, "#statistic\tkey\tvalue": totals (key "."), then tokens by length in bases ("length"), then the
  /// `top` most frequent pieces ("piece", equal counts by id).
  std::string to_tsv(const Vocabulary& vocabulary, int64_t top) const;

 private:
  std::vector<int64_t> counts_;
};

/// "pieces by length: 1 bp 5, 2 bp 16 ..." of a vocabulary.
std::string length_histogram(const Vocabulary& vocabulary);
/// A number with so many decimals.
std::string fixed(double value, int decimals);

}  // namespace bigdna::tokenizer
