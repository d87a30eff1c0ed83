/// The chromatin dataset folder (docs/formats.md): regions.bed.gz, labels.safetensors, features.tsv and,
/// last, dataset.json. Sequences are cut from the genome when the dataset is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "dataset/bin.h"
#include "dataset/features.h"
#include "dataset/splits.h"
#include "genome/alphabet.h"
#include "io/folder.h"
#include "io/manifest.h"
#include "io/safetensors.h"

namespace bigdna::dataset {

struct ChromatinOptions {
  std::string peaks;  // read_peak_table(), or "",
  /// read_start_sites(), or "": two more features, TSS of either strand. A bin has the label if it holds a site.
  std::string start_sites;
  std::string tracks;  // read_track_table(), or "": counts of reads or a signal in each bin (dataset/tracks.h)
  std::string
      deepsea;  // instead of all of these: the folder of DeepSEA's bundle: dataset/deepsea.h; its own bins and splits
  std::string genome;  // FASTA, plain or BGZF
  std::string output;  // folder
  int64_t bin = kBin;  // bp: kBinWidths
  /// Bases of context before and after the bin; with the bin, a model reads 8000 bp.
  int64_t upstream = 3900, downstream = 3900;
  /// Which bins are kept: "tf", those with a label of group TF; "any", those with any label; "all"; "auto", all
  /// if there are tracks, tf if the table has that group, else any.
  std::string keep = "auto";
  double negatives = 0;         // bins without any label to add, as a fraction of those with one
  int64_t max_bins = 0;         // keep at most this many bins, drawn by the seed; 0: all
  double max_n_fraction = 0.5;  // of the bin with its context
  std::string exclude;          // BED of regions to leave out, "" for none
  std::string contigs = "primary";
  SplitOptions split;
  std::optional<genome::IntervalSet> held_out;  // --split-like
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;
  io::Existing existing = io::Existing::refuse;
};

/// Builds the folder. A bin's label is 1 if the feature's merged peaks cover more than half of it. Memory: every
/// feature's peaks, one contig's labels, and 8 bytes for each track and bin of the genome. The bytes are the same for
/// any number of threads. UsageError for a width of bins that is not among kBinWidths.
void build_chromatin_dataset(const ChromatinOptions& options);

/// Label bits of one contig's bins: feature f is bit f % 8 of byte f / 8, as in NumPy's unpackbits(bitorder="little").
class LabelBits {
 public:
  LabelBits(int64_t rows, int64_t features)
      : features_(features), bytes_((features + 7) / 8), bits_(static_cast<size_t>(rows * bytes_)) {}
  void set(int64_t row, int64_t feature) {
    bits_[static_cast<size_t>(row * bytes_ + feature / 8)] |= static_cast<uint8_t>(1u << (feature % 8));
  }
  std::span<const uint8_t> row(int64_t row) const { return {bits_.data() + row * bytes_, static_cast<size_t>(bytes_)}; }
  int64_t features() const { return features_; }

 private:
  int64_t features_, bytes_;
  std::vector<uint8_t> bits_;
};
inline bool label_at(std::span<const uint8_t> row, int64_t feature) {
  return row[static_cast<size_t>(feature / 8)] >> (feature % 8) & 1;
}

/// Sets the label of `feature` in those of the bins 0 to `bins` - 1, each of `width` bp, of which `peaks` (in any
/// order, possibly overlapping) cover more than half.
void label_bins(std::vector<genome::IntervalSet::Interval> peaks, int64_t bins, int64_t width, int64_t feature,
                LabelBits& labels);

/// The name of a row in regions.bed.gz.
inline std::string bin_name(int64_t row) { return concat("bin", row + 1); }

struct ChromatinRow {
  genome::Region region;  // the bin
  Split split = Split::train;
};

struct ChromatinDataset {
  std::string folder;
  io::Manifest manifest;
  std::vector<Feature> features;  // binary ones
  std::vector<Feature> tracks;
  std::vector<ChromatinRow> rows;
  int64_t bin = kBin;  // bp
  int64_t upstream = 0, downstream = 0;
  std::string keep;  // ChromatinOptions::keep, not auto; of DeepSEA's bundle tf
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  std::span<const uint8_t> labels(int64_t row) const {
    return {labels_.data() + row * bytes_, static_cast<size_t>(bytes_)};
  }
  /// The tracks' counts in a bin.
  std::span<const float> counts(int64_t row) const {
    return counts_.subspan(static_cast<size_t>(row) * tracks.size(), tracks.size());
  }
  /// What of them one half of the reads gives; NaN for a track that is not of reads.
  std::span<const float> halves(int64_t row) const {
    return halves_.subspan(static_cast<size_t>(row) * tracks.size(), tracks.size());
  }
  /// Error naming the file: not a chromatin dataset, a damaged row, labels of another size.
  static ChromatinDataset open(const std::string& folder);

 private:
  std::shared_ptr<io::SafetensorsFile> file_;
  std::span<const uint8_t> labels_;
  std::span<const float> counts_, halves_;
  int64_t bytes_ = 0;
};

/// The bin with its context, which is the model's input. May reach past the contig's ends, where it is N.
genome::Region with_context(const genome::Region& bin, int64_t upstream, int64_t downstream);

}  // namespace bigdna::dataset
