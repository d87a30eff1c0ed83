/// Sentences streamed from FASTA or text, to train a vocabulary on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/walk.h"

namespace bigdna::corpus {

struct SentenceOptions {
  GenomeFiles files;
  SamplerOptions sampler;
  const Survey* survey = nullptr;  // of `files`, kept by reference: only its training intervals; null: all sequence
  double share = 1;                // of the documents, which the sampler's seed draws
};

/// The sentences of the walk (corpus/walk.h) over the training intervals.
class GenomeSentences {
 public:
  /// Errors as ContigReader's.
  explicit GenomeSentences(const SentenceOptions& options);
  /// Valid until the next call; nullopt at the end.
  std::optional<std::string_view> next();
  const std::vector<genome::Contig>& contigs() const { return walk_.contigs().contigs(); }  // chosen, so far
  const std::vector<std::string>& left_out() const { return walk_.contigs().left_out(); }   // by --contigs, so far

 private:
  bool next_document();

  const uint64_t seed_;
  const double share_;
  Walk walk_;
  std::optional<WalkedDocument> document_;
  size_t sentence_ = 0;  // next sentence of the document
  std::string reversed_;
};

/// Every line of text files (plain, gzip, BGZF, xz, "-" for stdin), unchanged. Error "FILE:LINE: ..." if one is not
/// UTF-8.
class TextSentences {
 public:
  explicit TextSentences(std::vector<std::string> files);
  ~TextSentences();
  /// Valid until the next call; nullopt at the end.
  std::optional<std::string_view> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::corpus
