/// Tracks of a dataset of bins: counts of reads, fragments or cut sites, or a signal, summed in each bin.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
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

/// Reads each file once, whatever the number of its rows, and several files at a time: what row i counts goes to
/// sinks[i], and what one half of the reads gives of it to halves[i]. Warns of a stretch with a large share of a file's
/// reads, unless it is `excluded`. Returns the tally of each row.
std::vector<coverage::Tally> count_tracks(const std::vector<TrackRow>& rows, const coverage::Contigs& contigs,
                                          const genome::IntervalSet& excluded, int threads,
                                          std::span<coverage::CountSink* const> sinks,
                                          std::span<coverage::CountSink* const> halves);
/// The factor of a row's counts.
double factor_of(const TrackRow& row, const coverage::Tally& tally);
/// For the manifest: what is counted of which file, how many and by which factor, and what was left out.
nlohmann::ordered_json counted_json(const TrackRow& row, const coverage::Tally& tally);

class TrackCounts {
 public:
  /// count_tracks() in bins of `bin` bp. Memory: 16 bytes for each bin of the genome and each track.
  TrackCounts(std::vector<TrackRow> rows, const coverage::Contigs& contigs, int64_t bin,
              const genome::IntervalSet& excluded, int threads);
  const std::vector<TrackRow>& rows() const { return rows_; }
  /// Appends the tracks' values in a bin, and those of one half of the reads: NaN where there are no reads.
  void append(uint32_t contig, int64_t start, std::vector<float>& to, std::vector<float>& halves) const;
  /// For the manifest: of each track counted_json(), and of `counts` (of the dataset's rows, row-major) mean and share
  /// of zeros. Warns of a track that is all 0 there.
  nlohmann::ordered_json summary(const std::vector<float>& counts) const;

 private:
  double factor(size_t track) const { return factor_of(rows_[track], tallies_[track]); }
  std::vector<TrackRow> rows_;
  int64_t bin_;
  std::vector<std::unique_ptr<coverage::BinSums>> sums_, halves_;
  std::vector<coverage::Tally> tallies_;
};

}  // namespace bigdna::dataset
