/// Sentences streamed from FASTA or text: what a vocabulary is trained on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/sampler.h"
#include "genome/contigs.h"

namespace bigdna::corpus {

struct SentenceOptions {
  std::vector<std::string> fastas;  // plain, gzip or BGZF, "-" is stdin
  SamplerOptions sampler;
  std::string contigs = "primary";               // genome::ContigFilter
  const genome::IntervalSet* allowed = nullptr;  // kept by reference: nothing outside it; null: all
  double share = 1;                              // of the documents, drawn by the sampler's seed
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
};

/// All passes of the sampler over every chosen contig, contig by contig; one contig is in memory at a time.
class GenomeSentences {
 public:
  /// Errors as FastaReader's.
  explicit GenomeSentences(SentenceOptions options);
  ~GenomeSentences();
  /// Valid until the next call; nullopt at the end.
  std::optional<std::string_view> next();
  int64_t contigs() const;                           // chosen, so far
  const std::vector<std::string>& left_out() const;  // names left out by the filter, so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Every line of text files (plain, gzip, BGZF, "-" for stdin), as it stands.
class TextSentences {
 public:
  explicit TextSentences(std::vector<std::string> files);
  ~TextSentences();
  std::optional<std::string_view> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::corpus
