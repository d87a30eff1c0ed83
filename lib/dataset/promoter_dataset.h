/// The promoter dataset: promoters and negatives around start sites (paper, appendix F.2). Its folder (docs/formats.md)
/// holds regions.bed.gz, sequences.fa.gz, dropped.tsv, leakage.tsv and, written last, dataset.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/negatives.h"
#include "dataset/splits.h"
#include "genome/alphabet.h"
#include "io/folder.h"
#include "io/manifest.h"

namespace bigdna::dataset {

/// A set of options that go together (--recipe).
struct PromoterRecipe {
  std::string_view name, summary;
  int64_t upstream, downstream;
  std::string_view negatives;
};
std::span<const PromoterRecipe> promoter_recipes();

struct PromoterOptions {
  std::string promoters;                          // read_start_sites()
  std::string chain;                              // UCSC chain file to lift them over with; "" for none
  std::string cpg_islands;                        // BED; "": decided by the promoters' bases (is_cpg_promoter)
  std::string genome;                             // FASTA, plain or BGZF
  std::string output;                             // folder
  int64_t upstream = 5000, downstream = 3000;     // bp
  std::vector<std::string> negatives{"genomic"};  // genomic, or names of synthetic_kinds()
  int64_t ratio = 1;                              // negatives of each kind per positive
  SyntheticOptions synthetic;
  GenomicOptions genomic;       // its max_n_fraction applies to positives too
  int64_t tss_distance = 5000;  // least distance of a genomic negative from every start site, in bp
  std::string contigs = "primary";
  SplitOptions split;
  std::optional<genome::IntervalSet> held_out;  // --split-like: replaces split.test
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  io::Existing existing = io::Existing::refuse;
  int threads = 1;  // that compress the output
};

/// Builds the folder, with one contig in memory at a time. Error if a split that the options ask for gets no positives.
void build_promoter_dataset(const PromoterOptions& options);

/// Whether it is a high-CpG promoter of Weber et al. 2007: 500 consecutive bp of `bases` have an observed/expected CpG
/// above 0.75 and more than 55 % G and C. `bases` are those from -700 to +200 around the start site, or fewer at a
/// contig's end.
bool is_cpg_promoter(std::string_view bases);

/// A row of regions.bed.gz: chrom, start, end, name, label, strand, split, kind, cpg.
struct PromoterRow {
  genome::Region region;  // the interval the sequence was read from, and its strand
  std::string name;       // unique; the sequence's name in sequences.fa.gz
  uint8_t label = 0;
  Split split = Split::train;
  std::string kind;  // "promoter", or the kind of negative
  bool cpg = false;  // the promoter, or the one that this is a negative of, is a CpG promoter
};

struct PromoterDataset {
  std::string folder;
  io::Manifest manifest;
  std::vector<PromoterRow> rows;  // in file order
  int64_t upstream = 0, downstream = 0;
  std::vector<std::string> negatives;
  bool has_cpg = false;  // false for folders of older versions, which do not record CpG promoters
  std::string sequences_path() const { return folder + "/sequences.fa.gz"; }
  /// Error naming the file: not a promoter dataset, a damaged row.
  static PromoterDataset open(const std::string& folder);
};

}  // namespace bigdna::dataset
