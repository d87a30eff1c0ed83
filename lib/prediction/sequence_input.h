/// Where the sequences of a command come from. Without LibTorch, so that apps/options can use it.
#pragma once

#include <string>

#include "genome/alphabet.h"

namespace bigdna::prediction {

struct SequenceInput {
  std::string fasta;            // records, "-" for stdin; "" for those of a genome
  std::string genome;           // with `regions` or `region`, or neither, where a command reads whole contigs
  std::string regions, region;  // BED ("-" for stdin); a samtools region string
  bool strict = false;          // an interval without bases, or one that gets no score, is an error
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
};

}  // namespace bigdna::prediction
