/// Builds a corpus folder from genomes, as `bigdna corpus` does (paper F.1; docs/semantics.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpus/sampler.h"
#include "corpus/survey.h"
#include "corpus/walk.h"
#include "io/folder.h"
#include "io/manifest.h"
#include "tokenizer/encoder.h"

namespace bigdna::corpus {

struct BuildOptions {
  std::vector<std::string> fastas;  // plain, gzip, BGZF, xz, "-" for stdin; contig names must differ between them
  std::string output;               // folder
  SamplerOptions sampler;
  std::string contigs = "primary";  // genome::ContigFilter
  std::string regions, exclude;     // BED paths, "" for none
  std::string hold_out = "0.05";    // genome::held_out
  std::string vocabulary;           // file or folder of the encoder's vocabulary, which --force must not delete
  /// Replaces regions, exclude and hold_out. Contigs may be spelled with or without "chr"; a base in both sets is held
  /// out. A `held_out_bed` takes the place of `held_out`, and of both only what lies on `held_out_contigs`
  /// (genome::ContigFilter) counts.
  struct Intervals {
    genome::IntervalSet training, held_out;
    std::string held_out_bed, held_out_contigs = "all";
  };
  std::optional<Intervals> intervals;
  int64_t file_size = 256 << 20;  // bytes of tokens per corpus file; 2 bytes per token
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
  io::Existing existing = io::Existing::refuse;

  GenomeFiles files() const { return {fastas, contigs, invalid_bases, threads}; }
};

/// Decodes the genomes once and hashes them once: collects names and lengths, and checks every base. With `keep`, the
/// bases of the chosen contigs stay in memory (a quarter of a byte each) for later passes; those of a genome that can
/// be read only once (stdin, a pipe) always do. Errors name file and sequence: unreadable, truncated, an invalid base,
/// two sequences of the same name, no contig left.
Survey survey(const BuildOptions& options, bool keep = false);

/// Warns if a vocabulary's folder (or that of its file) records that the vocabulary was trained on sequence that the
/// survey holds out, as where --hold-out drew other blocks, because it was given the genomes in another order.
void warn_of_vocabulary(const std::string& vocabulary, const Survey& survey);

/// Warns if a pass reads less than 0.8 of these contigs' bases, because it starts up to start_max bp into each of them.
void warn_of_short_contigs(const SamplerOptions& sampler, const std::vector<genome::Contig>& contigs);

/// Builds the folder. Memory: two contigs, one corpus file, and what the survey kept. The bytes are the same for any
/// number of threads. With Existing::resume, a build that was killed at any moment keeps its complete corpus files, and
/// a complete folder is left as it is. Errors besides survey()'s: a vocabulary of more than 65 536 pieces, no document
/// to train on, resuming with other settings.
void build_corpus(const BuildOptions& options, const tokenizer::Encoder& encoder);
/// The same with an existing survey of these options. The genomes are decoded again unless the survey kept them.
void build_corpus(const BuildOptions& options, const Survey& survey, const tokenizer::Encoder& encoder);

}  // namespace bigdna::corpus
