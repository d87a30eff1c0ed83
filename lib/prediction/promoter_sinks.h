/// Where the predictions of `bigdna predict-promoter` go: rows, called start sites, tracks.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "genome/bigwig.h"
#include "io/provenance.h"
#include "prediction/predict_options.h"
#include "prediction/sink.h"

namespace bigdna::prediction {

struct ScoredInterval {
  Interval interval;
  /// The score of the interval's own strand (or the mean of both), and that of the other strand if it was read; NaN for
  /// none.
  std::array<float, 2> scores{std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()};
  bool in_shard = true;  // false: a halo interval, read only for suppression
};

/// Non-maximum suppression: keeps those called intervals of a record or region that no other within `distance` bp
/// exceeds (of equal ones, the first), separately on each strand. Survival does not depend on intervals further away,
/// so that shards and streams give the same calls.
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

/// The start site that belongs to an interval, 0-based: where the model looks for it, at the fraction `anchor` of the
/// interval along the strand (the region's own for '.', the mean of both strands).
int64_t start_site_of(const genome::Region& region, char strand, double anchor);

/// Scores as a track: each interval's score is written around its start site, half a stride to both sides along the
/// strand, so that the intervals of both strands on one bin cover the same bases.
class PromoterTrack {
 public:
  PromoterTrack(const std::string& path, const std::vector<genome::Contig>& contigs, int64_t stride)
      : writer_(path, contigs), stride_(stride) {}
  /// `contig` is the genome's name, `name` the input's. `strand`: '-', or any other for +.
  void add(const std::string& contig, const std::string& name, int64_t contig_length, int64_t site, char strand,
           float score);
  void commit() { writer_.commit(); }

 private:
  genome::BigWigWriter writer_;
  int64_t stride_, end_ = -1, site_ = -1;  // of the interval before
  std::string contig_;
};

/// "scan.bw" -> "scan.plus.bw", "scan.minus.bw": the tracks of --strands both; the name itself otherwise.
std::vector<std::string> track_names(const std::string& path, session::Strands strands);

/// Counts of what was written, for the last line on stderr.
struct PromoterCounts {
  int64_t rows = 0, called = 0, without_score = 0, sites = 0;
  double expected = 0;  // of the called sites, the sum of their probabilities
};

/// What is called a start site.
struct PromoterCalls {
  double threshold;                     // scores of at least this are called
  double anchor;                        // the upstream bases of an interval, as a fraction of it
  int64_t merge_distance;               // bp within which only the best is kept
  int64_t stride;                       // bp between intervals
  std::vector<std::string> parts = {};  // with --parts: the terms whose parts of the log-odds follow the score
};

/// The sinks for options.output, .bed and .bigwig. `options` and `counts` must outlive them.
Sinks promoter_sinks(const PredictPromoterOptions& options, const PromoterCalls& calls,
                     const io::Provenance& provenance, PromoterCounts& counts);

}  // namespace bigdna::prediction
