/// The options of `bigdna explain`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <string>

#include "genome/alphabet.h"
#include "io/formats.h"
#include "session/run_options.h"

namespace bigdna::prediction {

/// What contributions can be written as; the first is the default.
inline constexpr io::Format kExplainFormats[] = {io::Format::tsv, io::Format::hdf5, io::Format::bedgraph,
                                                 io::Format::bigwig};

struct ExplainOptions {
  std::string model;
  std::string fasta;            // records, "-" for stdin; "" with `regions` or `region`
  std::string genome;           // with `regions` or `region`
  std::string regions, region;  // BED ("-" for stdin); a samtools region string
  std::string features;         // dataset::choose_features()
  enum class Method { mutagenesis, gradient } method = Method::mutagenesis;
  int64_t around = 0;  // bp on either side of an interval's centre that are explained; 0: the whole interval
  session::Strands strands = session::Strands::average;  // forward or average
  std::string output = "-";   // kExplainFormats
  std::string substitutions;  // a table of all single-base changes; "": none
  std::string modisco;        // PREFIX of two .npz files; "": none
  std::string pictures;       // a folder for SVG pictures; "": none
  bool strict = false;        // an interval without bases is an error
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  session::RunOptions run;

  ExplainOptions() { run.precision = "fp32"; }  // differences between logits drown in the rounding of bf16
};

}  // namespace bigdna::prediction
