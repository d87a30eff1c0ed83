/// The options of `bigdna explain`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/formats.h"
#include "prediction/predict_options.h"
#include "prediction/sequence_input.h"
#include "profile/part.h"
#include "session/run_options.h"

namespace bigdna::attribution {

/// What contributions can be written as; the first is the default.
inline constexpr io::Format kExplainFormats[] = {io::Format::tsv, io::Format::hdf5, io::Format::bedgraph,
                                                 io::Format::bigwig};

/// How contributions are computed, and of which bases.
struct ExplainMethod {
  enum class Method { mutagenesis, gradient, integrated } method = Method::mutagenesis;
  int64_t shuffles = 10, steps = 20;  // integrated: references of an interval, and steps from each
  int64_t around = 0;  // bp on either side of an interval's centre that are explained; 0: the whole interval
  /// Forward or average. Unset: average; for models of promoters and tables that read tokens, each region's own strand.
  std::optional<session::Strands> strands;
  std::optional<profile::Part> part;  // of a profile model; unset: the model without its bias model
};

struct ExplainOptions : ExplainMethod {
  std::string model;
  prediction::SequenceInput input;
  std::string features;       // dataset::choose_features()
  uint64_t seed = 1;          // of the references
  std::string output = "-";   // kExplainFormats
  std::string substitutions;  // a table of all single-base changes; "": none
  std::string modisco;        // PREFIX of two .npz files; "": none
  std::string kmers;          // a table of k-mers where contributions are high; "": none
  int kmer_length = 8;
  std::string pictures;             // a folder for SVG pictures; "": none
  std::vector<std::string> beside;  // BED, GTF or GFF of what is drawn below them
  Shard shard;
  bool resume = false;                           // keep a journal of contributions, and continue from an existing one
  session::RunOptions run{.precision = "fp32"};  // differences between logits drown in the rounding of bf16
};

}  // namespace bigdna::attribution
