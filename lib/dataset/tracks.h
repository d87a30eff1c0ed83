/// Tracks of a dataset of bins: counts of reads, fragments or cut sites, or a signal, summed in each bin.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "coverage/bin_sums.h"
#include "coverage/contigs.h"
#include "coverage/counter.h"
#include "coverage/track.h"
#include "dataset/features.h"

namespace bigdna::dataset {

struct TrackRow {
  Feature feature;
  std::string path;
  coverage::TrackOptions options;
};
/// A table of tracks: tab-separated, its first line names the columns: `file` and `name`, then any of `cell`, `assay`,
/// `group` and of coverage::track_settings(). Paths are relative to the table. Errors "FILE:LINE: cause": a missing or
/// unknown column, a missing file, a value that is none, the same name, cell, assay and strand twice.
std::vector<TrackRow> read_track_table(const std::string& path);
/// The table and the files that it names, as io::FilesOf; the table alone if it cannot be read.
std::vector<std::string> track_files_of(const std::string& path);

class TrackCounts {
 public:
  /// Reads each file once, whatever the number of its rows, and several files at a time. Memory: 16 bytes for each bin
  /// of the genome and each track.
  /// Warns of a stretch with a large share of a file's reads, unless it is `excluded`.
  TrackCounts(std::vector<TrackRow> rows, const coverage::Contigs& contigs, const genome::IntervalSet& excluded,
              int threads);
  const std::vector<TrackRow>& rows() const { return rows_; }
  /// Appends the tracks' values in a bin, and those of one half of the reads: NaN where there are no reads.
  void append(uint32_t contig, int64_t start, std::vector<float>& to, std::vector<float>& halves) const;
  /// Gives a contig's memory back.
  void drop(uint32_t contig);
  /// For the manifest: of each track file, what is counted of what, how many and by which factor, what was left out,
  /// and of `counts` (of the dataset's rows, row-major) mean and share of zeros. Warns of a track that is all 0 there.
  nlohmann::ordered_json summary(const std::vector<float>& counts) const;

 private:
  double factor(size_t track) const;
  std::vector<TrackRow> rows_;
  std::vector<std::unique_ptr<coverage::BinSums>> sums_, halves_;
  std::vector<coverage::Tally> tallies_;
};

}  // namespace bigdna::dataset
