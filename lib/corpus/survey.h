/// What is known of genomes before a corpus is made of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "genome/contigs.h"
#include "genome/packed_sequence.h"
#include "io/manifest.h"

namespace bigdna::corpus {

/// What one pass over the genomes tells about a corpus to be built from them.
struct Survey {
  std::vector<io::InputFile> inputs;         // the FASTAs; for one that can be read only once, the MD5 of its records
  std::vector<genome::PackedSequence> kept;  // the bases of `contigs`; empty if they are to be read again
  std::vector<genome::Contig> contigs;       // those chosen, in file order
  std::vector<std::string> left_out;         // by --contigs
  genome::IntervalSet held_out;              // --hold-out, outside of `exclude`
  genome::IntervalSet training, validation;  // disjoint, within `regions`, outside of `exclude`
  int64_t bases = 0, n = 0;                  // of the chosen contigs; how many of them are N
};

}  // namespace bigdna::corpus
