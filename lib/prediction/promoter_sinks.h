/// Where the predictions of `bigdna predict-promoter` go: rows, called start sites, tracks.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "genome/bigwig.h"
#include "prediction/predict_options.h"
#include "prediction/sink.h"

namespace bigdna::prediction {

struct ScoredInterval {
  Interval interval;
  /// Of the interval's own strand (or both strands' mean), and of the other where it was read; NaN: none.
  std::array<float, 2> scores{std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::quiet_NaN()};
  bool in_shard = true;  // false: a halo interval, read only for suppression
};

/// Non-maximum suppression: of the called intervals of a record or region, on either strand for itself, those
/// that no other within `distance` bp exceeds (of equals the first stays). Whether one survives depends on none
/// further away, so that shards and streams give the same calls.
class NonMaximumSuppression {
 public:
  /// `call` gets each interval and which of its two scores survived, in the order of add().
  using Call = std::function<void(const ScoredInterval&, const std::array<bool, 2>&)>;
  NonMaximumSuppression(double threshold, int64_t distance, Call call)
      : threshold_(threshold), distance_(distance), call_(std::move(call)) {}
  void add(ScoredInterval scored);
  void finish();

 private:
  struct Entry {
    ScoredInterval scored;
    std::array<bool, 2> alive;
  };
  double threshold_;
  int64_t distance_;
  Call call_;
  std::deque<Entry> near_;
  int64_t source_ = -1;
};

/// The start site that a reading of an interval would have, 0-based: `upstream` bases into it along the strand;
/// the middle for '.'.
int64_t start_site_of(const genome::Region& region, char strand, int64_t upstream);

/// Scores as a track: each interval's holds around its start site, half a stride to both sides.
class PromoterTrack {
 public:
  PromoterTrack(const std::string& path, const std::vector<genome::Contig>& contigs, int64_t stride)
      : writer_(path, contigs), stride_(stride) {}
  void add(const std::string& contig, int64_t contig_length, int64_t site, float score);
  void commit() { writer_.commit(); }

 private:
  genome::BigWigWriter writer_;
  int64_t stride_, end_ = -1, site_ = -1;  // of the interval before
  std::string contig_;
};

/// "scan.bw" -> "scan.plus.bw", "scan.minus.bw": the tracks of --strands both; the name itself otherwise.
std::vector<std::string> track_names(const std::string& path, session::Strands strands);

/// What has been written, for the last line on stderr.
struct PromoterCounts {
  int64_t rows = 0, called = 0, without_score = 0, sites = 0;
  int64_t intervals = 0, too_short = 0;  // too short: less than half of what the model was trained on
};

/// options.output, .bed and .bigwig. `threshold` is that of a call; `upstream` and the tiling are the model's. All that is
/// referred to must outlive them.
Sinks promoter_sinks(const PredictPromoterOptions& options, double threshold, int64_t upstream, const PromoterTiling& tiling,
                     PromoterCounts& counts);

}  // namespace bigdna::prediction
