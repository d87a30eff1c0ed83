/// What the commands that look into networks on bases read. Without LibTorch, so that apps/options can use it.
#pragma once

#include <string>

#include "genome/alphabet.h"

namespace bigdna::prediction {

struct SiteInput {
  std::string fasta;            // records, "-" for stdin; "" with `regions` or `region`
  std::string genome;           // with `regions` or `region`
  std::string regions, region;  // BED ("-" for stdin); a samtools region string
  bool strict = false;          // an interval without bases is an error
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
};

}  // namespace bigdna::prediction
