/// The options of `bigdna fill`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "genome/alphabet.h"
#include "io/formats.h"
#include "session/run_options.h"

namespace bigdna::prediction {

/// What its table can be written as.
inline constexpr io::Format kFillTables[] = {io::Format::tsv};

struct FillOptions {
  std::string model;
  std::string fasta;               // "-" for stdin
  std::string regions;             // BED of what is filled; "": runs of N
  std::string output = "-";        // FASTA
  std::string table;               // TSV, a row for each gap; "": none
  std::optional<int64_t> max_gap;  // bp; longer gaps stay. Unset: corpus::kLongestGap, or what the model reads
  double temperature = 0;          // 0: the likeliest token each time
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  uint64_t seed = 1;
  session::RunOptions run;
};

}  // namespace bigdna::prediction
