/// Where the bits of tokens go: a table of records or tokens, or a track.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/provenance.h"
#include "prediction/likelihood_options.h"
#include "prediction/pieces.h"

namespace bigdna::prediction {

/// Sums over tokens that have bits.
struct Bits {
  double bits = 0;
  int64_t bases = 0, tokens = 0;
  void add(float of_token, int64_t token_bases) {
    if (!std::isnan(of_token)) bits += of_token, bases += token_bases, ++tokens;
  }
};

/// Takes the bits of pieces in the order of the input.
class LikelihoodSink {
 public:
  virtual ~LikelihoodSink() = default;
  void add(const RecordPiece& piece, std::span<const float> bits) {
    const auto& encoding = piece.record->encoding;
    for (int64_t i = 0; i < piece.count; ++i) {
      const auto at = static_cast<size_t>(piece.first + i);
      const Token token{encoding.begins[at], encoding.begins[at + 1], encoding.ids[at], bits[static_cast<size_t>(i)]};
      of_record_.add(token.bits, token.end - token.start);
      of_all_.add(token.bits, token.end - token.start);
      write(*piece.record, token);
    }
    if (!piece.last) return;
    finish(*piece.record, of_record_);
    of_record_ = {};
  }
  virtual void commit(const std::vector<std::string>& passed_over) = 0;
  const Bits& total() const { return of_all_; }

 protected:
  struct Token {
    int64_t start, end;  // in the record as read
    int64_t id;
    float bits;  // NaN: none
  };
  virtual void write(const Record& record, const Token& token) = 0;
  /// All tokens of the record were written.
  virtual void finish(const Record& record, const Bits& of_record) = 0;

 private:
  Bits of_record_, of_all_;
};

/// A table or a bigWig, by the output's suffix.
std::unique_ptr<LikelihoodSink> make_likelihood_sink(const LikelihoodOptions& options,
                                                     const io::Provenance& provenance);
/// Refuses regions that a bigWig cannot hold in their order, before any is scored, unless they can be read only once.
void require_sorted(const LikelihoodOptions& options);

}  // namespace bigdna::prediction
