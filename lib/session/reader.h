/// Turns bases into a model's input.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpus/example.h"
#include "session/cut_count.h"
#include "tokenizer/encoder.h"

namespace bigdna::session {

/// Makes [CLS] x [SEP]. A sequence that is too long for the model is cut around the base at the anchor, and counted.
/// Thread-safe.
class SequenceReader {
 public:
  /// `max_length`: the most tokens that are read, [CLS] and [SEP] included. `anchor`: the position of the start site or
  /// the bin's middle, as a fraction of a sequence's length.
  SequenceReader(const tokenizer::Vocabulary& vocabulary, int64_t max_length, double anchor = 0.5)
      : encoder_(vocabulary), max_length_(max_length), anchor_(anchor) {}
  SequenceReader(const SequenceReader&) = delete;

  /// `reversed`: the bases are a reverse complement, so the anchor is as far from the end.
  corpus::Example example(std::string_view bases, bool reversed = false) const;
  /// The same for a tokenised sequence.
  corpus::Example example(const tokenizer::Encoding& encoding, bool reversed = false) const;

  const tokenizer::Encoder& encoder() const { return encoder_; }
  int64_t max_length() const { return max_length_; }
  double anchor() const { return anchor_; }
  /// The number of times that a sequence was cut: one that is read several times is counted each time.
  int64_t truncated() const { return readings_.cut(); }
  /// Warns once if there were any.
  void report_truncated() const;

 private:
  tokenizer::Encoder encoder_;
  int64_t max_length_;
  double anchor_;
  mutable CutCount readings_;
};

}  // namespace bigdna::session
