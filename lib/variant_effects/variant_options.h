/// The options of `bigdna variants`. Without LibTorch, so that apps/options can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/alphabet.h"
#include "prediction/predict_options.h"
#include "profile/part.h"

namespace bigdna::variant_effects {

struct VariantOptions {
  std::string model;
  std::vector<std::string> ensemble;  // further models
  std::string input;                  // VCF or BCF; "-" for stdin
  std::string genome;
  std::string regions, region;   // BED; a samtools region string. Reads overlapping records, by the input's index
  std::string output = "-";      // kVariantFormats
  std::string effects;           // variants::parse_effects(); "": DIFF,LOGIT,SAR, or what a model without them has
  bool spread = false;           // adds SPREAD to the effects
  std::string features;          // dataset::choose_features()
  std::string sites;             // start sites, for promoter models
  std::optional<int64_t> reach;  // bp from start sites (unset: the model's interval) or chromatin bins (unset: one bin)
  /// Unset: both for a promoter model without sites, otherwise models::TaskDetails::strands.
  std::optional<session::Strands> strands;
  std::string peaks;                  // of a profile model: BED or narrowPeak, for AAQ; "": none
  std::optional<profile::Part> part;  // of a profile model; unset: without its bias model
  std::optional<int64_t> context;     // bp that are read around the variant, for models without a task; unset: kContext
  static constexpr int64_t kContext = 1000;
  int64_t max_allele = 1000;          // bp; longer alleles are skipped
  bool strict = false;                // an allele that the genome does not have is an error
  std::string counts;                 // JSON: what became of records and alleles; "": none
  std::vector<std::string> tracks;    // genome::Signals: a column or INFO key each
  std::string table;                  // the strongest alleles, ranked; "": none
  std::string genes;                  // whose nearest start sites the table names; "": none
  std::string pictures;               // a folder for SVG pictures of the strongest variants; "": none
  std::optional<int64_t> strongest;   // how many of them; unset: kDrawn
  std::optional<int64_t> table_rows;  // unset: kListed
  static constexpr int64_t kDrawn = 10, kListed = 100;
  std::optional<int64_t> top;  // VCF and BCF: features written for each allele; 0: all; unset: kTop
  static constexpr int64_t kTop = 3;
  int64_t null = 0;               // background variants to compare with; 0: none
  bool null_shuffled = false;     // each in the shuffled sequence around it
  bool model_background = false;  // compare with the background that comes with the model
  uint64_t seed = 1;              // of the background
  Shard shard;
  bool resume = false;  // keep a journal of effects, and continue from an existing one
  bool write_index = false;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  session::RunOptions run{.precision = "fp32"};  // effects are small differences, which bf16 would round away
};

}  // namespace bigdna::variant_effects
