/// The promoter dataset folder (docs/formats.md): regions.bed.gz, sequences.fa.gz, dropped.tsv and, last,
/// dataset.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/negatives.h"
#include "dataset/splits.h"
#include "genome/alphabet.h"
#include "io/manifest.h"
#include "io/output.h"

namespace bigdna::dataset {

/// Values that go together (--recipe).
struct PromoterRecipe {
  std::string_view name, summary;
  int64_t upstream, downstream;
  std::string_view negatives;
};
std::span<const PromoterRecipe> promoter_recipes();

struct PromoterOptions {
  std::string promoters;                          // read_start_sites()
  std::string genome;                             // FASTA, plain or BGZF
  std::string output;                             // folder
  int64_t upstream = 5000, downstream = 3000;     // bp
  std::vector<std::string> negatives{"genomic"};  // genomic, or names of synthetic_kinds()
  int64_t ratio = 1;                              // negatives of each kind for each positive
  SyntheticOptions synthetic;
  GenomicOptions genomic;       // its max_n_fraction counts for positives too
  int64_t tss_distance = 5000;  // bp that a genomic negative keeps from every start site
  std::string contigs = "primary";
  SplitOptions split;
  std::optional<genome::IntervalSet> held_out;  // --split-like: in place of split.test
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  io::Existing existing = io::Existing::refuse;
};

/// Builds the folder; one contig in memory at a time. Error where a split the options ask for gets no
/// positive.
void build_promoter_dataset(const PromoterOptions& options);

/// A row of regions.bed.gz: chrom, start, end, name, label, strand, split, kind.
struct PromoterRow {
  genome::Region region;  // the interval the sequence was read from, and its strand
  std::string name;       // unique; the sequence's name in sequences.fa.gz
  uint8_t label = 0;
  Split split = Split::train;
  std::string kind;  // "promoter", or the kind of negative
};

struct PromoterDataset {
  std::string folder;
  io::Manifest manifest;
  std::vector<PromoterRow> rows;  // in file order
  int64_t upstream = 0, downstream = 0;
  std::vector<std::string> negatives;
  std::string sequences_path() const { return folder + "/sequences.fa.gz"; }
  /// Error naming the file: not a promoter dataset, a damaged row.
  static PromoterDataset open(const std::string& folder);
};

}  // namespace bigdna::dataset
