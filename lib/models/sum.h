/// The sum of a model's terms: the only place that makes its logits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/term.h"
#include "session/reader.h"
#include "session/run_options.h"
#include "session/session.h"

namespace bigdna::models {

/// What each term adds to some logits, in the order of Sum::names(): row-major [rows, outputs].
using Contributions = std::vector<std::vector<double>>;

class Sum {
 public:
  explicit Sum(int64_t outputs) : outputs_(static_cast<size_t>(outputs)) {}
  /// `weight`: of the term's logits, one for each output; empty: 1.
  void add(std::unique_ptr<const Term> term, std::vector<float> weight = {});
  std::vector<std::string> names() const;

  /// Logits, row-major [readings, outputs], on the calling thread.
  std::vector<float> logits(std::span<Reading> readings, Contributions* parts = nullptr) const;
  /// Those of sequences as they are given or, for session::Strands::average, the means of both strands' logits.
  std::vector<float> logits(Sequences sequences, session::Strands strands, Contributions* parts = nullptr) const;
  /// The same for any number of sequences, on so many threads, `chunk` at a time. `pooled`: session::Session::pooled()
  /// of the sequences, where it is known already; only for session::Strands::forward.
  std::vector<float> all_logits(Sequences sequences, session::Strands strands, int threads,
                                std::span<const float> pooled = {}, int64_t chunk = session::kPredictionChunk) const;

 private:
  struct Summand {
    std::unique_ptr<const Term> term;
    std::vector<float> weight;
  };
  /// `of_term`: a term's logits.
  std::vector<float> add_up(const auto& of_term, size_t rows, Contributions* parts) const;

  size_t outputs_;
  std::vector<Summand> terms_;
};

/// The encoder's term alone, as fine-tuning makes it. Both must outlive it.
Sum encoder_sum(const session::SequenceReader& reader, const session::Session& session);

}  // namespace bigdna::models
