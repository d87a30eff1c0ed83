#include "prediction/output_sinks.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.h"
#include "dataset/features.h"
#include "genome/bigwig.h"
#include "genome/signals.h"
#include "io/output.h"
#include "io/row_writer.h"

namespace bigdna::prediction {

namespace {
/// Rows in the format of the output's suffix.
class TableSink : public Sink {
 public:
  TableSink(const PredictionOptions& options, const OutputColumns& columns)
      : columns_(columns),
        path_(options.output),
        table_(options.command),
        format_(io::format_of(path_, kPredictionFormats)),
        tracks_(options.tracks),
        header_(options.shard.first()),
        seen_(options.seen) {}
  std::vector<std::string> files() const override { return io::table_files(path_, format_); }
  double bytes_per_interval() const override {
    const auto numbers = static_cast<double>(columns_.chosen.size()) * static_cast<double>(parts().size());
    const bool compressed = io::has_suffix(path_, {".gz"});  // six digits compress badly
    return !io::format_row(format_).text || compressed ? 4 * numbers + 40 : 10 * numbers + 40;
  }
  void open(const IntervalStream& intervals) override {
    std::vector<io::Column> columns{{.name = "chrom", .labels = "contigs"},
                                    {"start"},
                                    {"end"},
                                    {"name"},
                                    {"score"},
                                    {"strand"},
                                    {.name = "columnN", .block = {}, .array = "further_columns"}};
    for (size_t i = 0; i < intervals.further_columns(); ++i) columns.back().block.push_back(concat("column", i + 7));
    if (seen_) columns.push_back({"seen"});
    const auto names = dataset::column_names(columns_.features);
    for (const ScoreArray& part : parts()) {
      const auto digits = part.prefix.empty() ? io::Digits::six : io::Digits::shortest;  // parts are added up
      columns.push_back({.name = concat(part.prefix, "FEATURE"), .block = {}, .digits = digits, .array = part.array});
      for (const int64_t f : columns_.chosen)
        columns.back().block.push_back(part.prefix + names[static_cast<size_t>(f)]);
    }
    if (!tracks_.empty()) {
      signals_.emplace(tracks_, intervals.genome());
      columns.push_back({.name = "track:NAME", .block = {}, .array = "tracks"});
      for (const auto& name : signals_->names()) columns.back().block.push_back("track:" + name);
    }
    writer_ = io::make_row_writer(path_, format_,
                                  {.name = table_,
                                   .columns = std::move(columns),
                                   .provenance = columns_.provenance,
                                   .about = about(),
                                   .header = header_});
  }
  void write(const Interval& item, std::span<const float> scores, bool) override {
    const auto& record = item.record;
    const auto& region = record.region;
    const std::string_view strand(&region.strand, 1);
    cells_ = {io::Label{region.contig},
              region.start,
              region.end,
              std::string_view(or_dot(record.name)),
              std::string_view(or_dot(record.score)),
              strand,
              std::span<const std::string>(record.extra)};
    if (seen_) cells_.emplace_back(seen_flag(item));
    const size_t all = columns_.features.size(), chosen = columns_.chosen.size();
    const size_t parts = 1 + columns_.parts.size() + columns_.spread;
    numbers_.resize(parts * chosen);
    for (size_t part = 0; part < parts; ++part) {
      for (size_t i = 0; i < chosen; ++i)
        numbers_[part * chosen + i] = scores[part * all + static_cast<size_t>(columns_.chosen[i])];
      cells_.emplace_back(std::span<const float>(numbers_).subspan(part * chosen, chosen));
    }
    if (signals_) cells_.emplace_back(signals_->at(item.contig, region.start, region.end));
    writer_->row(cells_);
  }
  void commit() override { writer_->commit(); }

 private:
  struct ScoreArray {
    std::string prefix, array;
  };
  /// The predictions and, with --parts, what they consist of, and, with --spread, their spread, in the order of the
  /// scores.
  std::vector<ScoreArray> parts() const {
    std::vector<ScoreArray> parts{{"", "predictions"}};
    for (const auto& term : columns_.parts) parts.push_back({term + ":", term});
    if (columns_.spread) parts.push_back({"spread:", "spread"});
    return parts;
  }
  static std::string_view or_dot(std::string_view text) { return text.empty() ? "." : text; }
  /// What the chosen features are.
  std::vector<io::ColumnArray> about() const {
    auto arrays = dataset::feature_arrays(columns_.features, columns_.chosen);
    std::vector<double> weights;
    const auto& known = columns_.positive_weights;
    for (const int64_t f : columns_.chosen)
      weights.push_back(known.empty() ? std::numeric_limits<double>::quiet_NaN()
                                      : known[static_cast<size_t>(f) % known.size()]);
    arrays.push_back({"feature_positive_weight", weights});
    if (signals_) arrays.push_back({"track_name", signals_->names()});
    return arrays;
  }

  const OutputColumns& columns_;
  std::string path_;
  const char* table_;
  io::Format format_;
  std::vector<std::string> tracks_;
  std::optional<genome::Signals> signals_;
  bool header_, seen_;
  std::unique_ptr<io::RowWriter> writer_;
  std::vector<io::Cell> cells_;
  std::vector<float> numbers_;
};

/// Without the suffix.
std::string track_path(const PredictionOptions& options, const OutputColumns& columns, int64_t feature) {
  const auto names = dataset::file_names({dataset::label(columns.features[static_cast<size_t>(feature)])});
  return concat(options.bigwig, "/", feature, "_", names.front());
}

class TrackSink : public Sink {
 public:
  TrackSink(const PredictionOptions& options, const OutputColumns& columns) : folder_(options.bigwig) {
    const auto all = static_cast<int64_t>(columns.features.size());
    for (const int64_t f : columns.chosen) {
      files_.push_back(track_path(options, columns, f) + ".bw");
      places_.push_back(static_cast<size_t>(f));
      if (!columns.spread) continue;
      files_.push_back(track_path(options, columns, f) + ".spread.bw");
      places_.push_back(static_cast<size_t>((1 + std::ssize(columns.parts)) * all + f));
    }
  }
  std::vector<std::string> files() const override { return files_; }
  double bytes_per_interval() const override { return 8 * static_cast<double>(files_.size()); }
  void open(const IntervalStream& intervals) override {
    intervals.require_sorted(folder_);
    // one file per feature stays open
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (const rlim_t wanted = files_.size() + 64; limit.rlim_cur < wanted) {
      limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    io::make_folder(folder_);
    for (const auto& file : files_) tracks_.emplace_back(file, intervals.genome().contigs());
  }
  void write(const Interval& item, std::span<const float> scores, bool) override {
    const auto& region = item.record.region;
    if (std::isnan(scores.front()) || region.length() == 0) return;  // no score, no value; no base to hold it
    for (size_t i = 0; i < tracks_.size(); ++i)
      tracks_[i].add(item.contig, region.start, region.end, scores[places_[i]], region.contig);
  }
  void commit() override {
    for (auto& track : tracks_) track.commit();
  }

 private:
  std::string folder_;
  std::vector<std::string> files_;
  std::vector<size_t> places_;  // of their values among an interval's scores
  std::vector<genome::BigWigWriter> tracks_;
};
}  // namespace

Sinks output_sinks(const PredictionOptions& options, const OutputColumns& columns) {
  Sinks sinks;
  if (!options.output.empty()) sinks.push_back(std::make_unique<TableSink>(options, columns));
  if (!options.bigwig.empty()) sinks.push_back(std::make_unique<TrackSink>(options, columns));
  return sinks;
}

}  // namespace bigdna::prediction
