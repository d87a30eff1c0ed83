#include "prediction/chromatin_sinks.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "genome/bigwig.h"
#include "io/hdf5_table.h"
#include "io/output.h"

namespace bigdna::prediction {

namespace {
class TableSink : public Sink {
 public:
  TableSink(const PredictChromatinOptions& options, const ChromatinColumns& columns)
      : columns_(columns),
        path_(options.output),
        first_(options.shard.first()),
        seen_(options.seen),
        parts_(options.parts) {}
  std::vector<std::string> files() const override { return {path_}; }
  double bytes_per_interval() const override {
    const auto features = static_cast<double>(columns_.chosen.size());
    return io::has_suffix(path_, {".gz"}) ? 4 * features + 20 : 9 * features + 40;  // six decimals compress badly
  }
  void open(const IntervalStream& intervals) override {
    out_.emplace(path_);
    if (!first_) return;
    const auto& weights = columns_.positive_weights;
    if (weights != std::vector<double>{1})
      *out_ << concat("## probabilities corrected for the positive weight ",
                      weights.empty()       ? "w of each model and feature (their bigdna.json)"
                      : weights.size() == 1 ? concat("w = ", weights[0])
                                            : "w of each feature (the model's bigdna.json)",
                      " of training: p = q / (q + w (1 - q))\n");
    *out_ << "#chrom\tstart\tend\tname\tscore\tstrand";
    for (size_t i = 0; i < intervals.further_columns(); ++i) *out_ << concat("\tcolumn", i + 7);
    if (seen_) *out_ << "\tseen";
    const auto names = dataset::column_names(columns_.features);
    for (const char* part : {"", "words:", "encoder:", "kernel:"})
      if (!*part || parts_)
        for (const int64_t f : columns_.chosen) *out_ << "\t" << part << names[static_cast<size_t>(f)];
    *out_ << "\n";
  }
  void write(const Interval& item, std::span<const float> scores, bool) override {
    const auto& record = item.record;
    const auto& region = record.region;
    text_ = concat(region.contig, '\t', region.start, '\t', region.end, '\t',
                   record.name.empty() ? "." : record.name, '\t', record.score.empty() ? "." : record.score,
                   '\t', region.strand);
    for (const auto& value : record.extra) text_ += "\t" + value;
    if (seen_) text_ += concat('\t', seen_text(item));
    for (size_t part = 0; part < (parts_ ? 4 : 1); ++part)
      numbers(scores.subspan(part * columns_.features.size(), columns_.features.size()));
    text_ += '\n';
    *out_ << text_;
  }
  void commit() override { out_->commit(); }

 private:
  void numbers(std::span<const float> scores) {
    for (const int64_t f : columns_.chosen) {
      const float score = scores[static_cast<size_t>(f)];
      text_ += '\t';
      if (std::isnan(score)) {
        text_ += '.';
        continue;
      }
      char number[32];
      const auto end = columns_.numbers
                           ? std::to_chars(number, number + sizeof number, score, std::chars_format::general, 6)
                           : std::to_chars(number, number + sizeof number, score, std::chars_format::fixed, 6);
      text_.append(number, end.ptr);
    }
  }

  const ChromatinColumns& columns_;
  std::string path_;
  bool first_, seen_, parts_;
  std::optional<io::Output> out_;
  std::string text_;
};

constexpr uint8_t kSeenUnknown = 255;

/// docs/formats.md, "Predictions as HDF5".
class Hdf5Sink : public Sink {
 public:
  Hdf5Sink(const PredictChromatinOptions& options, const ChromatinColumns& columns)
      : columns_(columns), path_(options.output), with_seen_(options.seen) {}
  std::vector<std::string> files() const override { return {path_}; }
  double bytes_per_interval() const override { return 4 * static_cast<double>(columns_.chosen.size()) + 40; }
  void open(const IntervalStream& intervals) override {
    tables_.emplace(path_, columns_.chosen.size(), intervals.further_columns(), with_seen_);
    auto& file = tables_->file;
    std::vector<std::string> contigs;
    for (const auto& contig : intervals.genome().contigs()) {
      numbers_.emplace(contig.name, static_cast<int32_t>(contigs.size()));
      contigs.push_back(contig.name);
    }
    io::write_strings(file, "contigs", contigs);
    std::vector<std::string> names, cells, assays, groups;
    for (const int64_t f : columns_.chosen) {
      const auto& feature = columns_.features[static_cast<size_t>(f)];
      names.push_back(feature.name);
      cells.push_back(feature.cell);
      assays.push_back(feature.assay);
      groups.push_back(feature.group);
    }
    io::write_strings(file, "feature_name", names);
    io::write_strings(file, "feature_cell", cells);
    io::write_strings(file, "feature_assay", assays);
    io::write_strings(file, "feature_group", groups);
    io::Hdf5Table index(file, "feature_index", H5T_NATIVE_INT64);
    for (const int64_t f : columns_.chosen) index.append(&f);
    index.close();
    io::Hdf5Table weights(file, "feature_positive_weight", H5T_NATIVE_DOUBLE);
    const auto& known = columns_.positive_weights;
    for (const int64_t f : columns_.chosen) {
      const double weight = known.empty() ? std::numeric_limits<double>::quiet_NaN()
                                          : known[static_cast<size_t>(f) % known.size()];
      weights.append(&weight);
    }
    weights.close();
  }
  void write(const Interval& item, std::span<const float> scores, bool) override {
    row_.clear();
    for (const int64_t f : columns_.chosen) row_.push_back(scores[static_cast<size_t>(f)]);
    auto& t = *tables_;
    t.predictions.append(row_.data());
    const auto& record = item.record;
    const int32_t contig = numbers_.at(item.contig);
    t.chrom.append(&contig);
    t.start.append(&record.region.start);
    t.end.append(&record.region.end);
    t.name.append(std::vector<std::string>{record.name.empty() ? "." : record.name});
    if (t.further) t.further->append(record.extra);
    const uint8_t seen = item.seen ? *item.seen : kSeenUnknown;
    if (t.seen) t.seen->append(&seen);
  }
  void commit() override {
    auto& t = *tables_;
    for (auto* table : {&t.predictions, &t.chrom, &t.start, &t.end, &t.name, t.further ? &*t.further : nullptr,
                        t.seen ? &*t.seen : nullptr})
      if (table) table->close();
    t.file.close();
    t.target.commit();
  }

 private:
  struct Tables {
    Tables(const std::string& path, size_t features, size_t further_columns, bool with_seen)
        : target(path),
          file(io::Hdf5File::create(target)),
          predictions(file, "predictions", H5T_NATIVE_FLOAT, features),
          chrom(file, "chrom", H5T_NATIVE_INT32),
          start(file, "start", H5T_NATIVE_INT64),
          end(file, "end", H5T_NATIVE_INT64),
          name(file, "name", io::hdf5_string()) {
      if (further_columns) further.emplace(file, "further_columns", io::hdf5_string(), further_columns);
      if (with_seen) seen.emplace(file, "seen", H5T_NATIVE_UINT8);
    }
    io::AtomicFile target;
    io::Hdf5File file;
    io::Hdf5Table predictions, chrom, start, end, name;
    std::optional<io::Hdf5Table> further, seen;
  };

  const ChromatinColumns& columns_;
  std::string path_;
  bool with_seen_;
  std::optional<Tables> tables_;
  std::map<std::string, int32_t> numbers_;
  std::vector<float> row_;
};

std::string track_path(const PredictChromatinOptions& options, const ChromatinColumns& columns,
                       int64_t feature) {
  std::string name = dataset::label(columns.features[static_cast<size_t>(feature)]);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return concat(options.bigwig, "/", feature, "_", name, ".bw");
}

class TrackSink : public Sink {
 public:
  TrackSink(const PredictChromatinOptions& options, const ChromatinColumns& columns)
      : columns_(columns), folder_(options.bigwig) {
    for (const int64_t f : columns.chosen) files_.push_back(track_path(options, columns, f));
  }
  std::vector<std::string> files() const override { return files_; }
  double bytes_per_interval() const override { return 8 * static_cast<double>(columns_.chosen.size()); }
  void open(const IntervalStream& intervals) override {
    // one file per feature stays open
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (const rlim_t wanted = files_.size() + 64; limit.rlim_cur < wanted) {
      limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    std::error_code error;
    if (std::filesystem::create_directories(folder_, error); error) fail(folder_, ": ", error.message());
    for (const auto& file : files_) tracks_.emplace_back(file, intervals.genome().contigs());
  }
  void write(const Interval& item, std::span<const float> scores, bool) override {
    const auto& region = item.record.region;
    if (std::isnan(scores.front()) || region.length() == 0) return;  // no score, no value; no base to hold it
    for (size_t i = 0; i < tracks_.size(); ++i)
      tracks_[i].add(item.contig, region.start, region.end, scores[static_cast<size_t>(columns_.chosen[i])],
                     region.contig);
  }
  void commit() override {
    for (auto& track : tracks_) track.commit();
  }

 private:
  const ChromatinColumns& columns_;
  std::string folder_;
  std::vector<std::string> files_;
  std::vector<genome::BigWigWriter> tracks_;
};
}  // namespace

Sinks chromatin_sinks(const PredictChromatinOptions& options, const ChromatinColumns& columns) {
  Sinks sinks;
  if (io::is_hdf5(options.output))
    sinks.push_back(std::make_unique<Hdf5Sink>(options, columns));
  else if (!options.output.empty())
    sinks.push_back(std::make_unique<TableSink>(options, columns));
  if (!options.bigwig.empty()) sinks.push_back(std::make_unique<TrackSink>(options, columns));
  return sinks;
}

}  // namespace bigdna::prediction
