/// The options of `bigdna profile`. Without LibTorch, so that apps/options can use them.
#pragma once

#include <string>

#include "base/shard.h"
#include "genome/alphabet.h"
#include "io/formats.h"
#include "profile/part.h"
#include "session/run_options.h"

namespace bigdna::profile {

/// What predictions can be written as; the first is the default.
inline constexpr io::Format kProfileFormats[] = {io::Format::tsv, io::Format::hdf5, io::Format::bigwig};

struct ProfileOptions {
  std::string model;
  std::string fasta;            // records, "-" for stdin; "" for `regions` of `genome`
  std::string genome, regions;  // BED or narrowPeak, "-" for stdin
  std::string output = "-";
  Part part = Part::whole;
  session::Strands strands = session::Strands::forward;
  Shard shard;
  bool resume = false;  // keep a journal of predictions, and continue from an existing one
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  session::RunOptions run{.precision = "fp32"};
};

}  // namespace bigdna::profile
