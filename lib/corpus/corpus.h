/// A corpus folder, opened for reading: corpus.json (io::Manifest), dna.model or tokenizer.json (the
/// vocabulary it was made with), and the corpus files training/*.safetensors and validation/*.safetensors
/// (corpus/files.h), which are mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "genome/region.h"
#include "io/manifest.h"

namespace bigdna::genome {
class IntervalSet;  // genome/interval_set.h
}

namespace bigdna::corpus {

/// A document of an opened corpus: views into the mapped file. Tokens are of the document's own strand.
struct Document {
  genome::Region region;                      // bases it covers
  uint32_t pass = 0;                          // of the sampler
  std::span<const uint16_t> tokens;           // ids (a vocabulary has 65 536 pieces at most)
  std::span<const uint32_t> sentence_starts;  // token index of each sentence's first token, within `tokens`
  std::span<const uint32_t> sentence_bases;   // the same in bases, from the document's 5' end (region.end on '-')
};

/// The training or the validation part of a corpus folder. Thread-safe for reading.
class Corpus {
 public:
  enum class Split { training, validation };
  /// Error: not a corpus, a missing or truncated file, made with another vocabulary (if `vocabulary_hash` is given).
  /// Altered bytes are found only by io::Manifest::verify_files (bigdna info --verify).
  Corpus(const std::string& folder, Split part, const std::string& vocabulary_hash = "");
  ~Corpus();
  int64_t documents() const;
  /// Error naming the file if the document lies outside of it, holds a token that the corpus's vocabulary lacks, or has
  /// sentences that are out of order. So what it returns may be used as indices without a check.
  Document document(int64_t index) const;
  /// The bases of a document; faster than document(index).region, and only the contig is checked.
  genome::Region region(int64_t index) const;
  /// Number of tokens of a document; faster than document(index).tokens.size().
  int64_t tokens(int64_t index) const;
  /// Number of tokens of the part.
  int64_t tokens() const;
  const std::string& folder() const;
  const io::Manifest& manifest() const;
  /// The vocabulary's file, for tokenizer::Vocabulary::load.
  std::string vocabulary_path() const;
  /// Bases that training documents were drawn from / held out, as recorded in corpus.json.
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::corpus
