/// The profile dataset folder (docs/formats.md): regions.bed.gz, counts.safetensors, features.tsv and, last,
/// dataset.json. Profile models are trained on it. Sequences are cut from the genome when the dataset is read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/base_counts.h"
#include "dataset/features.h"
#include "dataset/negatives.h"
#include "dataset/splits.h"
#include "genome/alphabet.h"
#include "io/folder.h"
#include "io/manifest.h"

namespace bigdna::dataset {

struct ProfileDatasetOptions {
  std::string tracks;                   // read_track_table(): one, or one of each strand
  std::string peaks;                    // BED or narrowPeak; "": tiles of the genome, side by side
  std::string genome;                   // FASTA, plain or BGZF
  std::string output;                   // folder
  int64_t window = 2114, width = 1000;  // bp that a model reads, and in their middle those that have a profile
  int64_t jitter = 500;                 // bp that training may move a peak or tile, either way
  double negatives = 1;                 // background regions for each peak
  GenomicOptions background;            // how they are drawn
  std::string exclude;                  // BED of regions to leave out, "" for none
  std::string contigs = "primary";
  SplitOptions split;
  std::optional<genome::IntervalSet> held_out;  // --split-like
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
  io::Existing existing = io::Existing::refuse;
};

/// Builds the folder. A region belongs to a split if its window lies in the split's territory wherever training may
/// move it, so no bases of a test window are trained on. The bytes are the same for any number of threads.
void build_profile_dataset(const ProfileDatasetOptions& options);

enum class RegionKind : uint8_t { peak, background, tile };
inline constexpr std::array<std::string_view, 3> kRegionKinds{"peak", "background", "tile"};

struct ProfileRow {
  genome::Region region;  // the bases that have a profile
  Split split = Split::train;
  RegionKind kind = RegionKind::peak;
};

struct ProfileDataset {
  std::string folder;
  io::Manifest manifest;
  std::vector<Feature> tracks;  // one, or that of strand + and that of strand -
  std::vector<ProfileRow> rows;
  std::vector<genome::Contig> contigs;
  int64_t window = 0, width = 0, jitter = 0;
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  std::vector<bool> has_halves;  // of each track: it is of reads

  int64_t margin() const { return (window - width) / 2; }
  int64_t strands() const { return std::ssize(tracks); }
  std::vector<int64_t> of(Split split, std::optional<RegionKind> kind = {}) const;
  bool has(RegionKind kind) const;
  /// Of the row's bases moved by `shift`, track by track: [strands, width]. One half of the reads: empty if a track
  /// has none.
  std::vector<float> counts(int64_t row, int64_t shift = 0) const;
  std::vector<float> halves(int64_t row) const;
  std::string name(int64_t row) const;  // "peak1"
  /// What a model reads for the row, moved by `shift`.
  genome::Region window_of(int64_t row, int64_t shift = 0) const;
  /// Error naming the file: not a profile dataset, a damaged row, counts of another size.
  static ProfileDataset open(const std::string& folder);

 private:
  std::shared_ptr<const BaseCounts> counts_;
};

}  // namespace bigdna::dataset
