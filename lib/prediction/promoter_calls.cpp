#include "prediction/promoter_calls.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"

namespace bigdna::prediction {

void NonMaximumSuppression::add(ScoredTile tile) {
  if (tile.tile.source != source_) finish();
  source_ = tile.tile.source;
  const int64_t start = tile.tile.region.start;
  while (!near_.empty() && std::abs(near_.front().tile.tile.region.start - start) > distance_) {
    call_(near_.front().tile, near_.front().alive);
    near_.pop_front();
  }
  Entry entry{std::move(tile), {}};
  for (size_t side = 0; side < 2; ++side) {
    const float score = entry.tile.scores[side];
    entry.alive[side] = score >= threshold_;  // false for NaN
    if (!entry.alive[side]) continue;
    for (auto& other : near_) {
      const float theirs = other.tile.scores[side];
      if (!(theirs >= threshold_)) continue;
      if (score > theirs)
        other.alive[side] = false;
      else
        entry.alive[side] = false;
    }
  }
  near_.push_back(std::move(entry));
}

void NonMaximumSuppression::finish() {
  for (const auto& entry : near_) call_(entry.tile, entry.alive);
  near_.clear();
}

int64_t start_site_of(const genome::Region& region, char strand, int64_t upstream) {
  if (strand == '.') return (region.start + region.end) / 2;
  const int64_t within = std::min(upstream, region.length() - 1);  // records shorter than the interval
  return strand == '-' ? region.end - 1 - within : region.start + within;
}

void PromoterTrack::add(const std::string& contig, int64_t contig_length, int64_t site, float score) {
  if (contig != contig_) end_ = site_ = -1;
  const bool ascends = site > site_;
  contig_ = contig;
  site_ = site;
  int64_t start = std::max<int64_t>(0, site - stride_ / 2);
  const int64_t end = std::min(site - stride_ / 2 + stride_, contig_length);
  if (ascends) start = std::max(start, end_);  // otherwise the writer says what is wrong
  if (ascends && start >= end) return;         // the last tile of a contig adds nothing
  writer_.add(contig, start, end, score);
  end_ = end;
}

std::vector<std::string> track_names(const std::string& path, session::Strands strands) {
  if (strands != session::Strands::both) return {path};
  const auto slash = path.rfind('/'), dot = path.rfind('.');
  const auto at =
      dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) ? dot : path.size();
  return {path.substr(0, at) + ".plus" + path.substr(at), path.substr(0, at) + ".minus" + path.substr(at)};
}

PromoterWriter::PromoterWriter(const PredictPromoterOptions& options, double threshold, int64_t upstream,
                               const PromoterTiles& tiles)
    : options_(options), threshold_(threshold), upstream_(upstream) {
  if (!options.output.empty()) {
    table_.emplace(options.output);
    if (options.shard.first())
      *table_ << (options.seen ? "#chrom\tstart\tend\tname\tscore\tstrand\tcall\tseen\n"
                               : "#chrom\tstart\tend\tname\tscore\tstrand\tcall\n");
  }
  if (!options.bed.empty()) {
    bed_.emplace(options.bed);
    suppression_.emplace(threshold, options.merge_distance.value_or(tiles.length() / 2),
                         [this](const ScoredTile& item, const auto& alive) { call_sites(item, alive); });
  }
  if (!options.bigwig.empty())
    for (const auto& name : track_names(options.bigwig, options.strands))
      tracks_.emplace_back(name, tiles.contigs(), tiles.stride());
}

char PromoterWriter::strand_of(const ScoredTile& item, size_t side) const {
  if (options_.strands == session::Strands::average) return '.';
  const bool minus = (item.tile.region.strand == '-') != (side == 1);
  return minus ? '-' : '+';
}

void PromoterWriter::write(ScoredTile&& item) {
  const auto best = [](const ScoredTile& tile) {
    return std::fmax(std::isnan(tile.scores[0]) ? -1 : tile.scores[0],
                     std::isnan(tile.scores[1]) ? -1 : tile.scores[1]);
  };
  if (item.ours) {
    for (size_t side = 0; side < tracks_.size(); ++side) {
      // with both strands the first track is plus, whichever was the tile's own
      const size_t track = tracks_.size() == 1 ? 0 : strand_of(item, side) == '-';
      if (!std::isnan(item.scores[side]))
        tracks_[track].add(item.tile.contig, item.tile.contig_length,
                           start_site_of(item.tile.region, strand_of(item, side), upstream_),
                           item.scores[side]);
    }
    if (options_.rows == PredictPromoterOptions::Rows::tile) {
      rows_of(item);
    } else {
      const bool last = item.tile.last;
      if (!best_ || best(item) > best(*best_)) best_ = item;
      if (last) rows_of(*std::exchange(best_, std::nullopt));
    }
  }
  if (suppression_) suppression_->add(std::move(item));
}

void PromoterWriter::rows_of(const ScoredTile& item) {
  for (size_t side = 0; side < sides(); ++side) row(item, side);
}

void PromoterWriter::row(const ScoredTile& item, size_t side) {
  const float score = item.scores[side];
  const bool scored = !std::isnan(score), call = scored && score >= threshold_;
  ++rows;
  called += call;
  without_score += !scored;
  if (!table_) return;
  char text[32] = ".";
  if (scored) std::snprintf(text, sizeof text, "%.6f", score);
  const auto& region = item.tile.region;
  // what of a tile lies past the contig's ends is not written, so that every row is valid BED
  *table_ << concat(region.contig, '\t', item.tile.on_contig(region.start), '\t', item.tile.on_contig(region.end), '\t',
                    item.tile.name, '\t', text, '\t', strand_of(item, side), '\t',
                    scored ? call ? "1" : "0" : ".");
  if (options_.seen) *table_ << (item.tile.seen ? "\t1" : "\t0");
  *table_ << "\n";
}

void PromoterWriter::call_sites(const ScoredTile& item, const std::array<bool, 2>& alive) {
  if (!item.ours) return;
  for (size_t side = 0; side < sides(); ++side) {
    if (!alive[side]) continue;
    ++sites;
    const char strand = strand_of(item, side);
    const int64_t site = std::clamp<int64_t>(start_site_of(item.tile.region, strand, upstream_), 0, item.tile.contig_length - 1);
    *bed_ << concat(item.tile.region.contig, '\t', site, '\t', site + 1, '\t', item.tile.name, '\t',
                    std::lround(item.scores[side] * 1000), '\t', strand, '\n');
  }
}

void PromoterWriter::commit() {
  if (suppression_) suppression_->finish();
  for (auto& track : tracks_) track.commit();
  if (bed_) bed_->commit();
  if (table_) table_->commit();
}

}  // namespace bigdna::prediction
