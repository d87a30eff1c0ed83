/// A corpus folder: safetensors files of tokens and documents, training and validation/, and corpus.json.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corpus/sampler.h"
#include "genome/contigs.h"
#include "io/manifest.h"
#include "io/output.h"
#include "tokenizer/encoder.h"

namespace bigdna::corpus {

struct BuildOptions {
  std::vector<std::string> fastas;
  std::string output;                  // folder
  SamplerOptions sampler;
  std::string contigs = "primary";     // genome::ContigFilter
  std::string regions, exclude;        // BED paths, "" for none
  std::string hold_out = "0.05";       // genome::held_out
  int64_t file_size = 256 << 20;       // bytes of tokens per corpus file
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
  io::Existing existing = io::Existing::refuse;
};

/// Builds the folder; streams, bounded memory, the same bytes for any number of threads; resumable by file.
void build_corpus(const BuildOptions& options, const tokenizer::Encoder& encoder);

/// A document of an opened corpus: views into the mapped file. Tokens are of the document's own strand.
struct Document {
  genome::Region region;                     // bases it covers
  std::span<const uint16_t> tokens;          // ids (uint32 vocabularies are not supported: a piece count <= 65536)
  std::span<const uint32_t> sentence_starts; // token index of each sentence's first token, within `tokens`
};

/// An opened corpus folder ("training" part) or its validation part. Thread-safe for reading.
class Corpus {
 public:
  enum class Part { training, validation };
  /// Error: not a corpus, truncated or altered file, made with another vocabulary (where `vocabulary_hash` is given).
  Corpus(const std::string& folder, Part part, const std::string& vocabulary_hash = "");
  ~Corpus();
  int64_t documents() const;
  Document document(int64_t index) const;
  int64_t tokens() const;
  const io::Manifest& manifest() const;
  /// Bases used for training / held out, as recorded in corpus.json.
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::corpus
