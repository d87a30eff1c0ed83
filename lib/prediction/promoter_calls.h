/// What predict-promoter writes: rows, called start sites, tracks.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "genome/bigwig.h"
#include "io/output.h"
#include "prediction/promoter_tiles.h"

namespace bigdna::prediction {

struct ScoredTile {
  PromoterTile tile;
  /// Of the tile's own strand (or both strands' mean), and of the other where it was read; NaN: none.
  std::array<float, 2> scores{std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::quiet_NaN()};
  bool ours = true;  // not of another shard, read for its neighbours' sake
};

/// Non-maximum suppression: of the called tiles of a record or region, on either strand for itself, those
/// that no other within `distance` bp exceeds (of equals the first stays). A tile's fate depends on no tile
/// further away, so that shards and streams give the same calls.
class NonMaximumSuppression {
 public:
  /// `call` gets each tile and which of its two scores survived, in the order of add().
  using Call = std::function<void(const ScoredTile&, const std::array<bool, 2>&)>;
  NonMaximumSuppression(double threshold, int64_t distance, Call call)
      : threshold_(threshold), distance_(distance), call_(std::move(call)) {}
  void add(ScoredTile tile);
  void finish();

 private:
  struct Entry {
    ScoredTile tile;
    std::array<bool, 2> alive;
  };
  double threshold_;
  int64_t distance_;
  Call call_;
  std::deque<Entry> near_;
  int64_t source_ = -1;
};

/// The start site that a reading of a tile would have, 0-based: `upstream` bases into it along the strand;
/// the middle for '.'.
int64_t start_site_of(const genome::Region& region, char strand, int64_t upstream);

/// Scores as a track: each tile's holds around its start site, half a stride to both sides.
class PromoterTrack {
 public:
  PromoterTrack(const std::string& path, const std::vector<genome::Contig>& contigs, int64_t stride)
      : writer_(path, contigs), stride_(stride) {}
  void add(const std::string& contig, int64_t contig_length, int64_t site, float score);
  void commit() { writer_.commit(); }

 private:
  genome::BigWigWriter writer_;
  int64_t stride_, end_ = -1, site_ = -1;  // of the tile before
  std::string contig_;
};

class PromoterWriter {
 public:
  PromoterWriter(const PredictPromoterOptions& options, double threshold, int64_t upstream,
                 const PromoterTiles& tiles);
  void write(ScoredTile&& tile);
  void commit();
  int64_t rows = 0, called = 0, without_score = 0, sites = 0;

 private:
  void rows_of(const ScoredTile& item);
  void row(const ScoredTile& item, size_t side);
  void call_sites(const ScoredTile& item, const std::array<bool, 2>& alive);
  /// '.' for averages, else the tile's own strand and, for side 1, the other.
  char strand_of(const ScoredTile& item, size_t side) const;
  size_t sides() const { return options_.strands == session::Strands::both ? 2 : 1; }

  const PredictPromoterOptions& options_;
  double threshold_;
  int64_t upstream_;
  std::optional<io::Output> table_, bed_;
  std::optional<NonMaximumSuppression> suppression_;
  std::vector<PromoterTrack> tracks_;
  std::optional<ScoredTile> best_;  // of a record, for Rows::record
};

/// "scan.bw" -> "scan.plus.bw", "scan.minus.bw": the tracks of --strands both; the name itself otherwise.
std::vector<std::string> track_names(const std::string& path, session::Strands strands);

}  // namespace bigdna::prediction
