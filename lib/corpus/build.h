/// bigdna corpus: genomes to a corpus folder (paper F.1; docs/design.md, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpus/sampler.h"
#include "genome/contigs.h"
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
  /// In place of these three, contigs spelled with or without "chr"; what is in both is held out.
  struct Intervals {
    genome::IntervalSet training, held_out;
  };
  std::optional<Intervals> intervals;
  int64_t file_size = 256 << 20;    // bytes of tokens per corpus file; 2 bytes a token
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
  io::Existing existing = io::Existing::refuse;
};

/// What a corpus is drawn from, known after one reading of the genomes.
struct Survey {
  std::vector<genome::Contig> contigs;       // those chosen, in file order
  std::vector<std::string> left_out;         // by --contigs
  genome::IntervalSet held_out;              // all of --hold-out
  genome::IntervalSet training, validation;  // disjoint; within `regions`, nothing of `exclude`
  int64_t bases = 0, n = 0;                  // of the chosen contigs, and N among them
};
/// Reads the genomes once: names, lengths, every base checked. Errors name file and sequence: unreadable, cut
/// off, an invalid base, two sequences of one name, no contig left.
Survey survey(const BuildOptions& options);

/// Builds the folder: streams (memory: two contigs and one corpus file), the same bytes for any number of
/// threads. Killed at any moment and started again with Existing::resume it keeps the complete corpus files;
/// done already, it returns at once. Errors beside survey()'s: a vocabulary of more than 65 536 pieces, no
/// document to train on, resumed with other settings.
void build_corpus(const BuildOptions& options, const tokenizer::Encoder& encoder);

}  // namespace bigdna::corpus
