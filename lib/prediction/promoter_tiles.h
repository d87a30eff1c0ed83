/// What predict-promoter reads: records, regions or a whole genome, cut into the model's intervals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "prediction/predict_options.h"

namespace bigdna::prediction {

/// One interval to score.
struct PromoterTile {
  genome::Region region;  // where its bases lie, in the names of the input; may begin before the contig does and end after it
  std::string contig;     // as the genome spells it
  int64_t contig_length = 0;
  std::string name;
  std::string bases;   // along the strand; empty where they were not asked for or are mostly N
  int64_t source = 0;  // number of its record or region
  bool last = false;   // of that
  bool seen = false;   // by training
  /// The nearest position of the contig: 0 .. contig_length.
  int64_t on_contig(int64_t position) const { return std::clamp<int64_t>(position, 0, contig_length); }
};

/// Yields tiles one by one. At most a megabase of a genome is in memory; of a stream of records, one record.
class PromoterTiles {
 public:
  /// `upstream`, `downstream`: the model's interval. Errors as the input is met.
  PromoterTiles(const PredictPromoterOptions& options, int64_t upstream, int64_t downstream,
                genome::IntervalSet seen);
  std::optional<PromoterTile> next(bool with_bases);
  /// Passes over so many without reading bases.
  void skip(int64_t tiles);
  /// How many are left; reads all of the input, so for another PromoterTiles than the one that is used.
  int64_t count();
  /// Contigs that regions and scans lie on; Error for records.
  const std::vector<genome::Contig>& contigs() const;
  /// Once for each job: several of these may read the same input.
  void say_left_out() const;
  int64_t length() const { return length_; }
  int64_t stride() const { return stride_; }
  int64_t seen_count() const { return seen_count_; }

 private:
  bool load();
  void set_region(const std::string& where);
  std::string read(const genome::Region& region);

  const PredictPromoterOptions& options_;
  int64_t upstream_, downstream_, length_, stride_;
  genome::IntervalSet seen_;
  std::optional<genome::FastaReader> records_;
  std::optional<genome::Genome> genome_;
  std::optional<genome::BedReader> bed_;
  std::vector<genome::Region> given_;  // -r, or the contigs of a scan
  std::vector<std::string> left_out_;  // of a scan
  size_t next_given_ = 0;
  genome::Region region_, window_;  // the record or region; what of the genome is in memory
  std::string name_, contig_, bases_, window_bases_;
  int64_t contig_length_ = 0;
  int64_t source_ = -1, at_ = 0, tiles_ = 0, seen_count_ = 0;
};

}  // namespace bigdna::prediction
