/// What `bigdna chromatin` predicts: regions of a BED file, whole or cut into tiles, or the tiles of whole
/// contigs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "prediction/predict_options.h"

namespace bigdna::prediction {

struct ChromatinRegion {
  genome::BedRecord record;  // as in the input; a tile has its own start and end
  std::string contig;        // as the genome spells it
  bool seen = false;         // training met its bin
  std::string bases;  // the bin at the region's centre with the model's context; empty where all of it is N
};

/// Streams them in input order. Errors "FILE:LINE: cause": a contig that the genome lacks, a region past its
/// end, another number of columns than the first record's.
class ChromatinRegions {
 public:
  ChromatinRegions(const PredictChromatinOptions& options, int64_t upstream, int64_t downstream,
                   genome::IntervalSet seen);

  /// `with_bases` false leaves them empty.
  std::optional<ChromatinRegion> next(bool with_bases);
  void skip(int64_t regions);
  /// How many there are; checks each, and leaves none.
  int64_t count();

  /// Once for each job: several of these may read the same input.
  void say_left_out() const;

  const genome::Genome& genome() const { return genome_; }
  /// Columns past the sixth, by the first record.
  size_t further_columns() const { return further_; }
  int64_t seen_count() const { return seen_count_; }

 private:
  /// The record whose tiles come next; nullopt at the end.
  std::optional<genome::BedRecord> next_record();

  const PredictChromatinOptions& options_;
  int64_t upstream_, downstream_;
  genome::IntervalSet seen_;
  genome::Genome genome_;
  std::optional<genome::BedReader> bed_;
  std::vector<genome::Contig> contigs_;  // tiled where there is no BED file
  std::vector<std::string> left_out_;    // by --contigs
  size_t next_contig_ = 0;
  std::optional<genome::BedRecord> ahead_;    // read, not begun
  std::optional<genome::BedRecord> current_;  // what is left of it
  std::string contig_;                        // of current_, as the genome spells it
  size_t further_ = 0;
  int64_t seen_count_ = 0;
};

}  // namespace bigdna::prediction
