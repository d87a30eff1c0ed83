/// What the predictions can be told. Torch-free: apps/options holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "genome/alphabet.h"
#include "tasks/run_options.h"

namespace bigdna::tasks {

struct PredictPromoterOptions {
  std::string model;
  std::string fasta;            // records to read, "-" for stdin; "" with `regions` or `region`
  std::string genome;           // with `regions` or `region`
  std::string regions, region;  // BED ("-" for stdin); a samtools region string
  std::string output = "-";
  enum class Format { tsv, bed } format = Format::tsv;
  enum class Rows { tile, record } rows = Rows::tile;
  int64_t stride = 0;            // bp between tiles of what is longer than the model's interval; 0: a quarter of that
  std::optional<double> threshold;  // unset: the one chosen on validation
  double max_n_fraction = 0.5;      // tiles with a larger share of N get no score
  Strands strands = Strands::forward;
  bool seen = false;  // a column: did training meet the interval
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  RunOptions run;
};

struct PredictChromatinOptions {
  std::string model;
  std::string regions;  // BED, "-" for stdin
  std::string genome;
  std::string output = "-";
  std::string features;                // dataset::choose_features()
  Strands strands = Strands::forward;  // forward or average
  bool seen = false;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  RunOptions run;
};

}  // namespace bigdna::tasks
