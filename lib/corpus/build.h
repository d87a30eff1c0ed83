/// bigdna corpus: genomes to a corpus folder (paper F.1; docs/semantics.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpus/sampler.h"
#include "corpus/walk.h"
#include "genome/contigs.h"
#include "genome/packed_sequence.h"
#include "io/manifest.h"
#include "io/output.h"
#include "tokenizer/encoder.h"

namespace bigdna::corpus {

struct BuildOptions {
  std::vector<std::string> fastas;  // plain, gzip, BGZF, "-" for stdin; contig names must differ between them
  std::string output;               // folder
  SamplerOptions sampler;
  std::string contigs = "primary";  // genome::ContigFilter
  std::string regions, exclude;     // BED paths, "" for none
  std::string hold_out = "0.05";    // genome::held_out
  /// Replaces these three. Contigs may be spelled with or without "chr"; a base in both sets is held out.
  struct Intervals {
    genome::IntervalSet training, held_out;
  };
  std::optional<Intervals> intervals;
  int64_t file_size = 256 << 20;    // bytes of tokens per corpus file; 2 bytes per token
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
  io::Existing existing = io::Existing::refuse;

  GenomeFiles files() const { return {fastas, contigs, invalid_bases, threads}; }
};

/// What a corpus is made from, known after one reading of the genomes.
struct Survey {
  std::vector<io::InputFile> inputs;         // the FASTAs; of one that can be read only once, the MD5 of its records
  std::vector<genome::PackedSequence> kept;  // the bases of `contigs`, or nothing where they are to be read again
  std::vector<genome::Contig> contigs;       // those chosen, in file order
  std::vector<std::string> left_out;         // by --contigs
  genome::IntervalSet held_out;              // all of --hold-out
  genome::IntervalSet training, validation;  // disjoint; within `regions`, nothing of `exclude`
  int64_t bases = 0, n = 0;                  // of the chosen contigs, and N among them
};
/// Decodes the genomes once and hashes them once: names, lengths, every base checked. `keep` the chosen contigs' bases
/// in memory (a quarter of a byte each) for the readings to come; those of a genome that can be read only once (stdin,
/// a pipe) are always kept. Errors name file and sequence: unreadable, cut off, an invalid base, two sequences of one
/// name, no contig left.
Survey survey(const BuildOptions& options, bool keep = false);

/// Builds the folder. Memory: two contigs, one corpus file, what the survey kept. The bytes are the same for any number
/// of threads. Killed at any moment and started again with Existing::resume, it keeps the complete corpus files; for a
/// complete folder it returns at once. Errors besides survey()'s: a vocabulary of more than 65 536 pieces, no document
/// to train on, resuming with other settings.
void build_corpus(const BuildOptions& options, const tokenizer::Encoder& encoder);
/// The same from a survey of these options; the genomes are decoded once more unless it kept them.
void build_corpus(const BuildOptions& options, const Survey& survey, const tokenizer::Encoder& encoder);

}  // namespace bigdna::corpus
