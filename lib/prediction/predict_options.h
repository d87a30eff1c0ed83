/// The options of the predictions. Without LibTorch, so that apps/options can use them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/shard.h"
#include "io/formats.h"
#include "prediction/sequence_input.h"
#include "session/run_options.h"

namespace bigdna::prediction {

/// What the tables of predictions can be written as; the first is the default.
inline constexpr io::Format kPredictionFormats[] = {io::Format::tsv, io::Format::bed, io::Format::hdf5};
/// Likewise the effects of variants.
inline constexpr io::Format kVariantFormats[] = {io::Format::vcf, io::Format::bcf, io::Format::tsv, io::Format::hdf5};

/// What the predictions of intervals share.
struct IntervalOptions : SequenceInput {
  std::string model;
  std::vector<std::string> ensemble;        // further models
  std::string contigs = "primary";          // what is read of a genome without regions
  std::string output;                       // a table, kPredictionFormats; "": none; "-": stdout
  std::string bigwig;                       // of promoters a track, otherwise a folder for tracks; "": none
  std::optional<session::Strands> strands;  // unset: models::TaskDetails::strands; of promoters, site_strands()
  Shard shard;
  std::string counts;   // JSON: what became of the records; "": none
  bool resume = false;  // keep a journal of scores, and continue from an existing one
  bool seen = false;    // adds a column: whether the interval overlaps training data
  bool parts = false;   // adds three columns per output: what k-mers, encoder and kernel add to the log-odds, or, of
                        // models of numbers, to the number
  bool spread = false;  // adds a column per output: how far the networks disagree
  session::RunOptions run;

  bool whole_genome() const { return fasta.empty() && regions.empty() && region.empty(); }
};

struct PredictPromoterOptions : IntervalOptions {
  std::string bed;  // called start sites; "": none
  enum class Rows { tile, record } rows = Rows::tile;
  std::optional<int64_t> stride;          // bp between tile starts in sequences longer than the model's interval
  std::optional<int64_t> merge_distance;  // bp; unset: half of the interval
  std::optional<double> threshold;        // unset: the one chosen on validation
  double max_n_fraction = 0.5;            // tiles with a larger share of N get no score
};

struct PredictionOptions : IntervalOptions {
  const char* command = "predict";  // its name, in messages and in tables
  std::string head;                 // of the model: a task's name; empty: any task's
  std::string sequence_column;      // `fasta` may be CSV or TSV, of which this holds the bases; "": sequence or seq
  int64_t tile = 0;                 // bp: longer regions are cut into pieces of this length; 0: never
  bool by_bins = false;             // they are cut into the model's bins, whatever `tile` is
  std::string features;             // dataset::choose_features()
  std::vector<std::string> tracks;  // genome::Signals: a column each
};

}  // namespace bigdna::prediction
