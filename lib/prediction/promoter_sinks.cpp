#include "prediction/promoter_sinks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "io/row_writer.h"

namespace bigdna::prediction {

void NonMaximumSuppression::add(ScoredInterval scored) {
  if (scored.interval.source != source_) finish();
  source_ = scored.interval.source;
  const int64_t start = scored.interval.region().start;
  while (!near_.empty() && std::abs(near_.front().scored.interval.region().start - start) > distance_) {
    call_(near_.front().scored, near_.front().alive);
    near_.pop_front();
  }
  Entry entry{std::move(scored), {}};
  for (size_t side = 0; side < 2; ++side) {
    const float score = entry.scored.scores[side];
    entry.alive[side] = score >= threshold_;  // false for NaN
    if (!entry.alive[side]) continue;
    for (auto& other : near_) {
      const float theirs = other.scored.scores[side];
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
  for (const auto& entry : near_) call_(entry.scored, entry.alive);
  near_.clear();
}

int64_t start_site_of(const genome::Region& region, char strand, double anchor) {
  if (strand == '.') strand = region.strand;
  // as session::SequenceReader has it; records may be shorter than the model's interval
  const int64_t within = std::clamp<int64_t>(std::llround(anchor * static_cast<double>(region.length())), 0,
                                             std::max<int64_t>(0, region.length() - 1));
  return strand == '-' ? region.end - 1 - within : region.start + within;
}

void PromoterTrack::add(const std::string& contig, const std::string& name, int64_t contig_length, int64_t site,
                        char strand, float score) {
  if (contig != contig_) end_ = site_ = -1;
  const bool ascends = site > site_;
  contig_ = contig;
  site_ = site;
  const int64_t first = strand == '-' ? site + stride_ / 2 - stride_ + 1 : site - stride_ / 2;
  int64_t start = std::max<int64_t>(0, first);
  const int64_t end = std::min(first + stride_, contig_length);
  if (ascends) start = std::max(start, end_);  // otherwise the writer reports the error
  if (ascends && start >= end) return;         // the last interval of a contig adds nothing
  writer_.add(contig, start, end, score, name);
  end_ = end;
}

std::vector<std::string> track_names(const std::string& path, session::Strands strands) {
  if (strands != session::Strands::both) return {path};
  const auto slash = path.rfind('/'), dot = path.rfind('.');
  const auto at = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) ? dot : path.size();
  return {path.substr(0, at) + ".plus" + path.substr(at), path.substr(0, at) + ".minus" + path.substr(at)};
}

namespace {

/// What the sinks share: the number of scores per interval, and the strand of each.
class PromoterSink : public Sink {
 public:
  PromoterSink(const PredictPromoterOptions& options, const PromoterCalls& calls, const io::Provenance& provenance,
               PromoterCounts& counts)
      : options_(options), calls_(calls), provenance_(provenance), counts_(counts) {}

 protected:
  std::unique_ptr<io::RowWriter> open_table(const std::string& path, io::Format format, const char* table,
                                            std::vector<io::Column> columns,
                                            std::optional<io::TableHeader> style = {}) const {
    return io::make_row_writer(path, format,
                               {.name = table,
                                .columns = std::move(columns),
                                .provenance = provenance_,
                                .header = options_.shard.first(),
                                .style = style});
  }
  size_t sides() const { return options_.strands == session::Strands::both ? 2 : 1; }
  /// '.' for averages, else the interval's own strand and, for side 1, the other.
  char strand_of(const Interval& interval, size_t side) const {
    if (options_.strands == session::Strands::average) return '.';
    const bool minus = (interval.region().strand == '-') != (side == 1);
    return minus ? '-' : '+';
  }
  /// The numbers of one strand: the score and, with --parts, what each term adds to its log-odds.
  std::span<const float> of_side(std::span<const float> scores, size_t side) const {
    const size_t columns = 1 + calls_.parts.size();
    return scores.subspan(side * columns, columns);
  }
  ScoredInterval scored(const Interval& interval, std::span<const float> scores, bool in_shard) const {
    ScoredInterval item;
    item.interval = interval;
    for (size_t side = 0; side < sides(); ++side) item.scores[side] = of_side(scores, side).front();
    item.in_shard = in_shard;
    return item;
  }
  static std::string_view name_of(const Interval& interval) {
    return interval.record.name.empty() ? "." : std::string_view(interval.record.name);
  }

  const PredictPromoterOptions& options_;
  const PromoterCalls calls_;
  const io::Provenance provenance_;
  PromoterCounts& counts_;
};

/// Counts rows whether or not there is a file for them.
class PromoterTableSink : public PromoterSink {
 public:
  using PromoterSink::PromoterSink;
  std::vector<std::string> files() const override {
    return options_.output.empty() ? std::vector<std::string>() : io::table_files(options_.output, format());
  }
  double bytes_per_interval() const override { return options_.output.empty() ? 0 : 45 * static_cast<double>(sides()); }
  void open(const IntervalStream&) override {
    if (options_.output.empty()) return;
    std::vector<io::Column> columns{{.name = "chrom", .labels = "contigs"},       {"start"},  {"end"}, {"name"},
                                    {.name = "score", .digits = io::Digits::six}, {"strand"}, {"call"}};
    if (options_.seen) columns.push_back({"seen"});
    for (const auto& part : calls_.parts) columns.push_back({.name = part});
    writer_ = open_table(options_.output, format(), "predict-promoter", std::move(columns));
  }
  void write(const Interval& interval, std::span<const float> scores, bool in_shard) override {
    if (!in_shard) return;
    if (options_.rows == PredictPromoterOptions::Rows::tile) return rows(interval, scores);
    const auto best = [&](std::span<const float> of) {
      float highest = -1;
      for (size_t side = 0; side < sides(); ++side)
        if (const float score = of_side(of, side).front(); !std::isnan(score)) highest = std::max(highest, score);
      return highest;
    };
    if (!best_ || best(scores) > best(best_scores_)) {
      best_ = interval;
      best_scores_.assign(scores.begin(), scores.end());
    }
    if (interval.last) rows(*std::exchange(best_, std::nullopt), best_scores_);
  }
  void commit() override {
    if (writer_) writer_->commit();
  }

 private:
  io::Format format() const { return io::format_of(options_.output, kPredictionFormats); }
  void rows(const Interval& interval, std::span<const float> scores) {
    for (size_t side = 0; side < sides(); ++side) row(interval, of_side(scores, side), strand_of(interval, side));
  }
  void row(const Interval& interval, std::span<const float> values, char strand) {
    const float score = values.front();
    const bool scored = !std::isnan(score), call = scored && score >= calls_.threshold;
    ++counts_.rows;
    counts_.called += call;
    counts_.without_score += !scored;
    if (!writer_) return;
    const auto& region = interval.region();
    const auto numbers = [&](size_t i) { return scored ? values.subspan(i, 1) : std::span<const float>(&kNone, 1); };
    // the parts past the contig's ends are cut off, so that every row is valid BED
    cells_ = {io::Label{region.contig},
              interval.on_contig(region.start),
              interval.on_contig(region.end),
              name_of(interval),
              numbers(0),
              std::string_view(&strand, 1),
              int64_t{scored ? call : -1}};
    if (options_.seen) cells_.emplace_back(seen_flag(interval));
    for (size_t part = 1; part < values.size(); ++part) cells_.emplace_back(numbers(part));
    writer_->row(cells_);
  }

  static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  std::unique_ptr<io::RowWriter> writer_;
  std::vector<io::Cell> cells_;
  std::optional<Interval> best_;  // of a record, for Rows::record
  std::vector<float> best_scores_;
};

/// Called start sites as BED6.
class SiteSink : public PromoterSink {
 public:
  using PromoterSink::PromoterSink;
  std::vector<std::string> files() const override { return {options_.bed}; }
  double bytes_per_interval() const override { return 1; }  // few are called
  void open(const IntervalStream&) override {
    writer_ = open_table(options_.bed, io::Format::bed, "start-sites",
                         {{.name = "chrom", .labels = "contigs"}, {"start"}, {"end"}, {"name"}, {"score"}, {"strand"}},
                         io::TableHeader::hash);  // by which bigdna knows a file of its own
  }
  void write(const Interval& interval, std::span<const float> scores, bool in_shard) override {
    suppression_.add(scored(interval, scores, in_shard));
  }
  void commit() override {
    suppression_.finish();
    writer_->commit();
  }

 private:
  void call(const ScoredInterval& item, const std::array<bool, 2>& alive) {
    if (!item.in_shard) return;
    const auto& interval = item.interval;
    for (size_t side = 0; side < sides(); ++side) {
      if (!alive[side]) continue;
      ++counts_.sites;
      counts_.expected += item.scores[side];
      const char strand = strand_of(interval, side);
      const int64_t site =
          std::clamp<int64_t>(start_site_of(interval.region(), strand, calls_.anchor), 0, interval.contig_length - 1);
      const io::Cell cells[] = {io::Label{interval.region().contig},
                                site,
                                site + 1,
                                name_of(interval),
                                int64_t{std::lround(item.scores[side] * 1000)},
                                std::string_view(&strand, 1)};
      writer_->row(cells);
    }
  }

  NonMaximumSuppression suppression_{calls_.threshold, calls_.merge_distance,
                                     [this](const ScoredInterval& item, const auto& alive) { call(item, alive); }};
  std::unique_ptr<io::RowWriter> writer_;
};

/// bigWig: one track, or one for each strand with --strands both.
class TrackSink : public PromoterSink {
 public:
  using PromoterSink::PromoterSink;
  std::vector<std::string> files() const override { return track_names(options_.bigwig, *options_.strands); }
  double bytes_per_interval() const override { return 8 * static_cast<double>(sides()); }
  void open(const IntervalStream& intervals) override {
    for (const auto& name : files()) tracks_.emplace_back(name, intervals.genome().contigs(), calls_.stride);
  }
  void write(const Interval& interval, std::span<const float> scores, bool in_shard) override {
    if (!in_shard) return;
    for (size_t side = 0; side < tracks_.size(); ++side) {
      // with both strands the first track is plus, whichever was the interval's own
      const char strand = strand_of(interval, side);
      const size_t track = tracks_.size() == 1 ? 0 : strand == '-';
      if (const float score = of_side(scores, side).front(); !std::isnan(score))
        tracks_[track].add(interval.contig, interval.region().contig, interval.contig_length,
                           start_site_of(interval.region(), strand, calls_.anchor),
                           strand == '.' ? interval.region().strand : strand, score);
    }
  }
  void commit() override {
    for (auto& track : tracks_) track.commit();
  }

 private:
  std::vector<PromoterTrack> tracks_;
};

}  // namespace

Sinks promoter_sinks(const PredictPromoterOptions& options, const PromoterCalls& calls,
                     const io::Provenance& provenance, PromoterCounts& counts) {
  Sinks sinks;
  sinks.push_back(std::make_unique<PromoterTableSink>(options, calls, provenance, counts));
  if (!options.bed.empty()) sinks.push_back(std::make_unique<SiteSink>(options, calls, provenance, counts));
  if (!options.bigwig.empty()) sinks.push_back(std::make_unique<TrackSink>(options, calls, provenance, counts));
  return sinks;
}

}  // namespace bigdna::prediction
