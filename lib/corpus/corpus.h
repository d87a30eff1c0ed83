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
  std::span<const uint32_t>
      sentence_bases;  // the same in bases, from the document's 5' end (region.end on '-')
};

/// The training or the validation part of a corpus folder. Thread-safe for reading.
class Corpus {
 public:
  enum class Part { training, validation };
  /// Error: not a corpus, a missing or truncated file, made with another vocabulary (where `vocabulary_hash`
  /// is given). An altered byte is found by io::Manifest::verify_files (bigdna info --verify).
  Corpus(const std::string& folder, Part part, const std::string& vocabulary_hash = "");
  ~Corpus();
  int64_t documents() const;
  /// Error naming the file where the document lies outside of it, or holds a token that the corpus's vocabulary lacks, or
  /// sentences that are out of order: what it returns may be used as indices unchecked.
  Document document(int64_t index) const;
  /// Number of tokens of a document: document(index).tokens.size(), but faster.
  int64_t tokens(int64_t index) const;
  /// Number of tokens of the part.
  int64_t tokens() const;
  const std::string& folder() const;
  const io::Manifest& manifest() const;
  /// The vocabulary's file: what tokenizer::Vocabulary::load takes.
  std::string vocabulary_path() const;
  /// Bases that training documents were drawn from / held out, as recorded in corpus.json.
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::corpus
