/// What predictions read, as one stream of intervals: FASTA records, regions of a genome, or whole contigs, cut as a model
/// reads them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "prediction/sequence_records.h"
#include "prediction/tiling.h"

namespace bigdna::prediction {

/// One interval to score, and a row of the output.
struct Interval {
  genome::BedRecord record;   // as in the input, but with the interval's own start and end, which may lie past the contig's
  std::string contig;         // as the genome spells it
  int64_t contig_length = 0;
  std::string bases;          // what the model reads; empty where they were not asked for, or are too many N
  int64_t source = 0;         // index of its record or region in the input
  bool last = false;          // last interval of its source
  bool seen = false;          // overlaps training data
  const genome::Region& region() const { return record.region; }
  /// The nearest position of the contig: 0 .. contig_length.
  int64_t on_contig(int64_t position) const { return std::clamp<int64_t>(position, 0, contig_length); }
};

/// Where intervals come from: `fasta` (records, no genome), or a genome with `regions`, with `region`, or with neither, which
/// means the whole of `contigs`.
struct IntervalInput {
  std::string fasta;               // "-" for stdin
  bool tables = false;             // `fasta` may be CSV or TSV (prediction/sequence_records.h)
  std::string sequence_column;
  std::string genome;              // FASTA, plain or BGZF
  std::string regions;             // BED, "-" for stdin
  std::string region;              // samtools region string
  std::string contigs = "primary";
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
};

/// Yields intervals in input order. A BED file is read once, whole, and checked before anything is predicted; a pipe, and
/// FASTA records, are streamed and checked as they come. At most a megabase of a genome is in memory. Errors "FILE:LINE:
/// cause": a contig that the genome lacks, a region past its end, and, where the tiling keeps further columns, another
/// number of them than the first record's.
class IntervalStream {
 public:
  /// `tiling` must outlive it; `training`: what the model was trained on. Says which contigs are left out.
  IntervalStream(const IntervalInput& input, const Tiling& tiling, genome::IntervalSet training);

  /// `with_bases` false leaves them empty.
  std::optional<Interval> next(bool with_bases);
  /// Passes over so many, reading no bases.
  void skip(int64_t intervals);
  /// Of the whole input; nullopt for pipes and FASTA records.
  std::optional<int64_t> total() const;

  /// Error for FASTA records.
  const genome::Genome& genome() const { return genome_.value(); }
  /// Columns past the sixth, by the first record.
  size_t further_columns() const { return further_; }
  /// Intervals given out so far that overlap training data.
  int64_t seen_count() const { return seen_count_; }

 private:
  std::optional<genome::BedRecord> read_source();
  void check(const genome::BedRecord& record) const;
  bool load();
  std::string read(const genome::Region& part);

  IntervalInput input_;
  const Tiling& tiling_;
  genome::IntervalSet training_;
  std::optional<SequenceRecords> records_;
  std::optional<genome::Genome> genome_;
  std::optional<genome::BedReader> pipe_;
  std::vector<genome::BedRecord> sources_;    // all but FASTA records and pipes
  size_t next_source_ = 0;
  std::optional<genome::BedRecord> ahead_;    // of a pipe: its first record
  size_t further_ = 0;

  genome::BedRecord source_;                  // whose intervals come next
  std::string contig_, source_bases_;         // source_bases_: of a FASTA record
  int64_t contig_length_ = 0, number_ = -1, at_ = 0, intervals_ = 0, seen_count_ = 0;
  bool contiguous_ = false;                   // what its intervals read overlaps or touches
  genome::Region window_;                     // what of the genome is in memory
  std::string window_bases_;
};

/// Intervals of FASTA records; reads all of the file.
int64_t count_record_intervals(const IntervalInput& input, const Tiling& tiling);

}  // namespace bigdna::prediction
