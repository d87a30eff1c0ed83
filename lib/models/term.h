/// A model's logits are a sum of terms: a network on bases or an encoder with its head, k-mers, a kernel model. Whoever
/// predicts, explains or scores variants sees the sum (models/sum.h), and not what it consists of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/example.h"
#include "tokenizer/edited_text.h"

namespace bigdna::models {

using Sequences = std::span<const std::string>;

/// A sequence on one strand, and what the terms of a model have computed from it: what one of them has left here,
/// the others need not compute again.
struct Reading {
  const std::string* bases = nullptr;
  bool reversed = false;  // a reverse complement: the site is as far from its other end
  /// Of an edited sequence: the place, among the readings that it is given with, of the one that it was made from, and
  /// the parts that both have in common; -1: it was made from none.
  int64_t original = -1;
  std::span<const tokenizer::SharedPart> shared{};

  std::optional<corpus::Example> tokens{};  // as an encoder reads it
  std::vector<float> pooled{};              // session::Session::pooled(); may be given, so that no encoder runs
  std::vector<float> kmers{};               // KmerCounts::values()
};
/// Readings of the sequences as they are given, or, `reversed`, of sequences that are reverse complements.
std::vector<Reading> readings_of(Sequences sequences, bool reversed = false);

/// One summand. Every method may be called by several threads at the same time and runs on the calling thread. A
/// reading's outputs are those of the sequence as it was before it was reversed: what is on its + strand is there.
class Term {
 public:
  virtual ~Term() = default;
  /// As bigdna.json, tables and columns call it.
  virtual std::string_view name() const = 0;
  /// Logits, row-major [readings, outputs].
  virtual std::vector<float> logits(std::span<Reading> readings) const = 0;
  /// The means of the logits of both strands: of `forward`, and of `reverse`, the reverse complements in the same
  /// order.
  virtual std::vector<float> mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const;
};

}  // namespace bigdna::models
