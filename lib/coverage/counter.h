/// Counts the records of files for tracks: which are left out and why, and what of the others goes where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coverage/barcode_groups.h"
#include "coverage/contigs.h"
#include "coverage/quality.h"
#include "coverage/records.h"
#include "coverage/track.h"
#include "io/read_progress.h"

namespace bigdna::coverage {

/// Why a record is not counted; the first reason that holds.
enum class LeftOut : uint8_t {
  unmapped,
  secondary,
  supplementary,
  qc_fail,
  duplicate,
  low_mapq,
  other_contig,
  no_pair,
  no_bases,
  other_length,
  other_strand,
  other_barcode,
};
inline constexpr std::array<std::string_view, 12> kLeftOut{
    "unmapped",     "secondary", "supplementary", "qc_fail",      "duplicate",    "low_mapq",
    "other_contig", "no_pair",   "no_bases",      "other_length", "other_strand", "other_barcode"};

struct Tally {
  int64_t counted = 0;  // reads or fragments
  int64_t half = 0;     // of them in the half, if there is one
  std::array<int64_t, kLeftOut.size()> left_out{};
  int64_t of(LeftOut reason) const { return left_out[static_cast<size_t>(reason)]; }
};

/// Gets what is counted. Intervals lie within their contigs.
class CountSink {
 public:
  virtual ~CountSink() = default;
  /// Adds `weight` to each base of [start, end).
  virtual void add(uint32_t contig, int64_t start, int64_t end, int64_t weight) = 0;
  virtual void add_value(uint32_t contig, int64_t start, int64_t end, float value) = 0;
};

/// One track of one file.
class TrackCounter {
 public:
  /// `quality` may be null; `title` names one of several tracks of a file in messages. Error if the table of barcodes
  /// cannot be read.
  /// `half`, if given, gets what is counted of one half of the reads or fragments, both mates of a pair together: every
  /// other one in an order that their positions or numbers in the file scatter.
  TrackCounter(const TrackOptions& options, const Contigs& contigs, CountSink& to, Quality* quality = nullptr,
               std::string title = "", CountSink* half = nullptr);
  /// Error "FILE: ..." if the options do not fit what the file holds.
  void begin(Kind kind, const std::string& path);
  bool needs_lengths() const;  // of pairs
  void read(const Read& read);
  void value(uint32_t contig, int64_t start, int64_t end, float value);
  /// Reports what was counted. Errors: no barcode of the file is in the table, no read is one of a pair, a signal has
  /// values above and below 0. Warnings: nothing is counted, only mitochondria, reads that look like fragments.
  void end();
  const Tally& tally() const { return tally_; }

 private:
  void leave_out(LeftOut reason) { ++tally_.left_out[static_cast<size_t>(reason)]; }
  std::optional<LeftOut> why_left_out(const Read& read) const;
  void add(uint32_t contig, int64_t start, int64_t end, int64_t weight);
  void add_base(uint32_t contig, int64_t position, int64_t weight) { add(contig, position, position + 1, weight); }
  void count_read(const Read& read, int64_t weight);
  void count_fragment(const Read& read, int64_t start, int64_t end, char strand, int64_t weight);
  void end_signal() const;

  const TrackOptions& options_;
  const Contigs& contigs_;
  CountSink& to_;
  CountSink* half_;
  bool in_half_ = false;  // the record
  Quality* quality_;
  std::optional<BarcodeGroup> barcodes_;
  Kind kind_ = Kind::reads;
  std::string title_, path_, a_barcode_;
  Tally tally_;
  int64_t minus_ = 0, mitochondrial_ = 0, shortest_ = INT64_MAX, longest_ = 0;  // of what is counted
  int64_t values_ = 0, below_ = 0, above_ = 0, fractions_ = 0;                  // of a signal
};

/// Reads a file once for several tracks. `progress` is of the stage that reads it.
void count_file(const std::string& path, const Contigs& contigs, int threads, std::vector<TrackCounter>& tracks,
                io::ReadProgress& progress, Quality* quality = nullptr);

}  // namespace bigdna::coverage
