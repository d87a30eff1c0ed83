/// The options of `bigdna likelihood`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/formats.h"
#include "prediction/sequence_input.h"
#include "session/run_options.h"

namespace bigdna::prediction {

/// What has a row: a record, or each of its tokens.
enum class Each { record, token };
/// What likelihoods can be written as; the first is the default.
inline constexpr io::Format kLikelihoodFormats[] = {io::Format::tsv, io::Format::hdf5, io::Format::bigwig};

struct LikelihoodOptions {
  std::string model;
  SequenceInput input;
  std::string output = "-";
  Each each = Each::record;
  std::optional<double> mask_fraction;  // of the tokens, those that are masked at once; unset: 0.15
  int64_t overlap = 0;                  // tokens that are read again around a piece of a record that is too long
  bool copies = false;                  // causal models: mix in copies and counts of what was read before
  std::string history;                  // with copies: what was read before the input, a FASTA or, with regions, a BED
  std::string counts;                   // JSON: what became of the records; "": none
  session::RunOptions run;
};

}  // namespace bigdna::prediction
