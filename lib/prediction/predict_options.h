/// The options of the predictions. Without LibTorch, so that apps/options can use them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/shard.h"
#include "genome/alphabet.h"
#include "io/formats.h"
#include "session/run_options.h"

namespace bigdna::prediction {

/// What the tables of predictions can be written as; the first is the default.
inline constexpr io::Format kPredictionFormats[] = {io::Format::tsv, io::Format::bed, io::Format::hdf5};
/// Likewise the effects of variants.
inline constexpr io::Format kVariantFormats[] = {io::Format::vcf, io::Format::bcf, io::Format::tsv, io::Format::hdf5};

struct PredictPromoterOptions {
  std::string model;
  std::vector<std::string> ensemble;  // further models
  std::string fasta;                  // records to read, "-" for stdin
  std::string genome;                 // with `regions` or `region`; with neither, `contigs` are scanned
  std::string regions, region;        // BED ("-" for stdin); a samtools region string
  std::string contigs = "primary";
  std::string output;       // a table, kPredictionFormats; "": none; "-": stdout
  std::string bed, bigwig;  // "": none
  enum class Rows { tile, record } rows = Rows::tile;
  std::optional<int64_t> stride;          // bp between tile starts in sequences longer than the model's interval
  std::optional<int64_t> merge_distance;  // bp; unset: half of the interval
  std::optional<double> threshold;        // unset: the one chosen on validation
  double max_n_fraction = 0.5;            // tiles with a larger share of N get no score
  /// Unset: average for a model whose labels hold for either strand; else forward, and both for a scan.
  std::optional<session::Strands> strands;
  Shard shard;
  bool strict = false;  // a record without bases or a score, or one that is too short, is an error
  std::string counts;   // JSON: what became of the records; "": none
  bool resume = false;  // keep a journal of scores, and continue from an existing one
  bool seen = false;    // adds a column: whether the interval overlaps training data
  bool parts = false;   // adds three columns: the contributions of k-mers, encoder and kernel to the log-odds
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  session::RunOptions run;
};

struct PredictionOptions {
  std::string model;
  const char* command = "predict";    // its name, in messages and in tables
  std::string head;                   // of the model: a task's name; empty: any task's
  std::string fasta;                  // FASTA, CSV or TSV, "-" for stdin; "": `regions`
  std::string sequence_column;        // of a table; "": sequence or seq
  std::vector<std::string> ensemble;  // further models
  std::string regions;                // BED, "-" for stdin; "": all of `contigs`, in tiles
  std::string contigs = "primary";
  std::string genome;
  int64_t tile = 0;                         // bp: longer regions are cut into pieces of this length; 0: never
  std::string output;                       // a table, kPredictionFormats; "": none; "-": stdout
  std::string bigwig;                       // a folder for tracks; "": none
  std::string features;                     // dataset::choose_features()
  std::optional<session::Strands> strands;  // forward or average; unset: task_model::TaskDetails::strands
  Shard shard;
  bool strict = false;  // a record without bases or a score, or one that is too short, is an error
  std::string counts;   // JSON: what became of the records; "": none
  bool resume = false;  // keep a journal of scores, and continue from an existing one
  bool seen = false;
  bool parts = false;  // adds three columns per output: what k-mers, encoder and kernel add to the log-odds, or,
                       // of models of numbers, to the number
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  session::RunOptions run;
};

}  // namespace bigdna::prediction
