/// The input of predictions as one stream of intervals: FASTA records, regions of a genome, or whole contigs, cut to
/// what a model reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "prediction/sequence_input.h"
#include "prediction/sequence_records.h"
#include "prediction/tiling.h"

namespace bigdna::prediction {

/// An interval to be scored, and a row of the output.
struct Interval {
  // as in the input, but with the interval's own start and end, which may lie past the contig's
  genome::BedRecord record;
  std::string contig;  // the genome's name
  int64_t contig_length = 0;
  std::string bases;          // what the model reads; empty if it was not requested, or has too many N
  int64_t source = 0;         // index of its record or region in the input
  bool last = false;          // the last interval of its source
  int64_t without_bases = 0;  // records that lie between the interval before and this one's, and have none
  /// Whether it overlaps training data. Without a value if that is not known: the place of a record, unless its name is
  /// that of an interval of a known contig (genome::region_of_name), or the places of the training data.
  std::optional<bool> seen;
  std::string where;  // its record, for messages: "FILE:LINE", "FILE: sequence NAME" and so on
  const genome::Region& region() const { return record.region; }
  /// The nearest position of the contig: 0 .. contig_length.
  int64_t on_contig(int64_t position) const { return std::clamp<int64_t>(position, 0, contig_length); }
};

/// The column --seen: 1, 0, or -1 where that is not known.
inline int64_t seen_flag(const Interval& interval) { return interval.seen ? int64_t{*interval.seen} : -1; }

/// Where intervals come from: records, or a genome with `regions`, with `region`, or with neither, which stands for all
/// of `contigs`.
struct IntervalInput : SequenceInput {
  IntervalInput() = default;
  explicit IntervalInput(const SequenceInput& input) : SequenceInput(input) {}
  bool tables = false;  // `fasta` may be CSV or TSV (prediction/sequence_records.h)
  std::string sequence_column;
  std::string contigs = "primary";
  const char* without_bases = "gets no row";  // what the warning says of one
  /// For which records of `regions` the strand decides what is read: a warning counts those without one. `read`: for
  /// none, but it is read where there is one.
  enum class Strand { ignored, read, decides_sites, decides } strand = Strand::ignored;  // sites: of one base
};

/// Yields intervals in the order of the input, which is streamed. A BED file is read twice: all of it is checked
/// before anything is predicted; pipes and FASTA records are checked as they come. At most a megabase of a genome is in
/// memory. Errors "FILE:LINE: cause": a contig that the genome lacks, a region past its end, and, if the tiling keeps
/// further columns, a record with more or fewer of them than the first.
class IntervalStream {
 public:
  /// `tiling` must outlive the stream. `training` is what the model was trained on, `held_out` what it is known not to
  /// have been trained on: the contigs of both are known. Logs which contigs are left out.
  IntervalStream(const IntervalInput& input, const Tiling& tiling, genome::IntervalSet training,
                 genome::IntervalSet held_out = {});

  /// The next interval; its bases stay empty unless `with_bases`.
  std::optional<Interval> next(bool with_bases);
  /// Skips this many intervals without reading bases.
  void skip(int64_t intervals);
  /// The number of intervals in the whole input; nullopt for pipes and FASTA records.
  std::optional<int64_t> total() const { return total_; }

  /// Must not be called for FASTA records, which have no genome.
  const genome::Genome& genome() const { return genome_.value(); }
  /// Error naming the first region of a BED file that overlaps or comes before the one above it, and `output`, which
  /// cannot hold such regions. Of a pipe they are not known yet.
  void require_sorted(const std::string& output) const;
  /// The number of columns past the sixth in the first record.
  size_t further_columns() const { return further_; }
  /// The number of records without bases that next() passed over; they have no interval. Unlike the intervals' own
  /// numbers it includes those at the end.
  int64_t without_bases() const { return without_bases_; }

 private:
  std::optional<genome::BedRecord> read_source();
  void check(const genome::BedRecord& record) const;
  void note_strand(const genome::BedRecord& record);
  std::string where(const genome::BedRecord& record) const;
  const char* no_bases() const;  // the cause, for messages
  int64_t count(const genome::Region& source) const;
  bool load();
  std::string read(const genome::Region& part);
  std::optional<genome::Region> place() const;

  IntervalInput input_;
  const Tiling& tiling_;
  genome::IntervalSet training_, held_out_;
  std::optional<SequenceRecords> records_;
  std::optional<genome::Genome> genome_;
  std::optional<genome::BedReader> bed_;
  std::optional<genome::BedRecord> ahead_;  // the first record of it
  genome::MissingStrands strands_;
  std::vector<genome::BedRecord> sources_;  // the region, or the contigs
  size_t next_source_ = 0;
  std::optional<int64_t> total_;
  std::string unsorted_;  // "FILE:LINE" of the region that require_sorted() names
  size_t further_ = 0;

  genome::BedRecord source_;                   // whose intervals come next
  std::string where_, contig_, source_bases_;  // source_bases_: of a FASTA record
  std::optional<genome::Region> place_;        // in the training data's genome
  int64_t contig_length_ = 0, number_ = -1, at_ = 0, intervals_ = 0, without_bases_ = 0;
  bool contiguous_ = false;  // what successive intervals read overlaps or touches
  genome::Region window_;    // the part of the genome that is in memory
  std::string window_bases_;
};

/// The number of intervals in FASTA records; reads all of the file.
int64_t count_record_intervals(const IntervalInput& input, const Tiling& tiling);
/// How many intervals `stream` has, for its progress; 0 if that is not known: of a pipe, and of records with an error,
/// which is reported where it is met.
uint64_t expected_intervals(const IntervalStream& stream, const IntervalInput& input, const Tiling& tiling);

}  // namespace bigdna::prediction
