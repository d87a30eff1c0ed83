/// The options of `bigdna haplotypes`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attribution/explain_options.h"
#include "profile/part.h"

namespace bigdna::variant_effects {

struct HaplotypeOptions {
  std::string model;
  std::string variants;               // phased VCF or BCF with an index
  prediction::SequenceInput input;    // regions of a genome
  std::string samples;                // names, joined by commas; "": all
  std::string features;               // dataset::choose_features()
  std::optional<profile::Part> part;  // of a profile model; unset: the model without its bias model
  int64_t max_allele = 1000;          // bp; longer alleles are left out
  std::string output = "-";           // TSV
  session::RunOptions run = attribution::ExplainOptions().run;
};

}  // namespace bigdna::variant_effects
