/// The options of `bigdna sample`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <string>

#include "genome/alphabet.h"
#include "session/run_options.h"

namespace bigdna::prediction {

struct SampleOptions {
  std::string model;
  std::string output = "-";  // FASTA
  std::string prompt;        // FASTA whose records are continued, "-" for stdin; "": none
  int64_t count = 1;         // sequences, of each prompt
  int64_t length = 1000;     // bp that are drawn
  double temperature = 1;
  int64_t top = 0;  // draw from so many of the likeliest tokens; 0: from all
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  uint64_t seed = 1;
  session::RunOptions run;
};

}  // namespace bigdna::prediction
