#include "prediction/chromatin_writer.h"

#include <strings.h>
#include <sys/resource.h>

#include <algorithm>
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
bool is_hdf5(const std::string& path) {
  const auto suffix = std::filesystem::path(path).extension().string();
  return strcasecmp(suffix.c_str(), ".h5") == 0 || strcasecmp(suffix.c_str(), ".hdf5") == 0;
}

class TableWriter : public ChromatinWriter {
 public:
  TableWriter(const PredictChromatinOptions& options, const ChromatinColumns& columns, size_t further_columns)
      : columns_(columns), seen_(options.seen), out_(options.output) {
    if (!options.shard.first()) return;
    if (columns.positive_weights != std::vector<double>{1})
      out_ << concat("## probabilities corrected for the positive weight ",
                     columns.positive_weights.size() == 1 ? concat("w = ", columns.positive_weights[0])
                                                          : "w of each feature (the model's bigdna.json)",
                     " of training: p = q / (q + w (1 - q))\n");
    out_ << "#chrom\tstart\tend\tname\tscore\tstrand";
    for (size_t i = 0; i < further_columns; ++i) out_ << concat("\tcolumn", i + 7);
    if (seen_) out_ << "\tseen";
    const auto names = dataset::column_names(columns.features);
    for (const int64_t f : columns.chosen) out_ << "\t" << names[static_cast<size_t>(f)];
    out_ << "\n";
  }
  void write(const ChromatinRegion& item, std::span<const float> scores) override {
    const auto& record = item.record;
    const auto& region = record.region;
    text_ = concat(region.contig, '\t', region.start, '\t', region.end, '\t',
                   record.name.empty() ? "." : record.name, '\t', record.score.empty() ? "." : record.score,
                   '\t', region.strand);
    for (const auto& value : record.extra) text_ += "\t" + value;
    if (seen_) text_ += item.seen ? "\t1" : "\t0";
    for (const int64_t f : columns_.chosen) {
      const float score = scores[static_cast<size_t>(f)];
      text_ += '\t';
      if (std::isnan(score)) {
        text_ += '.';
        continue;
      }
      char number[32];
      text_.append(number,
                   std::to_chars(number, number + sizeof number, score, std::chars_format::fixed, 6).ptr);
    }
    text_ += '\n';
    out_ << text_;
  }
  void commit() override { out_.commit(); }

 private:
  const ChromatinColumns& columns_;
  bool seen_;
  io::Output out_;
  std::string text_;
};

/// docs/formats.md, "Predictions as HDF5".
class Hdf5Writer : public ChromatinWriter {
 public:
  Hdf5Writer(const PredictChromatinOptions& options, const ChromatinColumns& columns,
             const ChromatinRegions& regions)
      : columns_(columns),
        target_(options.output),
        file_(io::Hdf5File::create(target_)),
        predictions_(file_, "predictions", H5T_NATIVE_FLOAT, columns.chosen.size()),
        chrom_(file_, "chrom", H5T_NATIVE_INT32),
        start_(file_, "start", H5T_NATIVE_INT64),
        end_(file_, "end", H5T_NATIVE_INT64),
        name_(file_, "name", io::hdf5_string()),
        further_columns_(regions.further_columns()) {
    if (further_columns_) further_.emplace(file_, "further_columns", io::hdf5_string(), further_columns_);
    if (options.seen) seen_.emplace(file_, "seen", H5T_NATIVE_UINT8);
    std::vector<std::string> contigs;
    for (const auto& contig : regions.genome().contigs()) {
      numbers_.emplace(contig.name, static_cast<int32_t>(contigs.size()));
      contigs.push_back(contig.name);
    }
    io::write_strings(file_, "contigs", contigs);
    std::vector<std::string> names, cells, assays, groups;
    for (const int64_t f : columns.chosen) {
      const auto& feature = columns.features[static_cast<size_t>(f)];
      names.push_back(feature.name);
      cells.push_back(feature.cell);
      assays.push_back(feature.assay);
      groups.push_back(feature.group);
    }
    io::write_strings(file_, "feature_name", names);
    io::write_strings(file_, "feature_cell", cells);
    io::write_strings(file_, "feature_assay", assays);
    io::write_strings(file_, "feature_group", groups);
    io::Hdf5Table index(file_, "feature_index", H5T_NATIVE_INT64);
    for (const int64_t f : columns.chosen) index.append(&f);
    index.close();
    io::Hdf5Table weights(file_, "feature_positive_weight", H5T_NATIVE_DOUBLE);
    for (const int64_t f : columns.chosen)
      weights.append(&columns.positive_weights[static_cast<size_t>(f) % columns.positive_weights.size()]);
    weights.close();
  }
  void write(const ChromatinRegion& item, std::span<const float> scores) override {
    row_.clear();
    for (const int64_t f : columns_.chosen) row_.push_back(scores[static_cast<size_t>(f)]);
    predictions_.append(row_.data());
    const auto& record = item.record;
    const int32_t contig = numbers_.at(item.contig);
    chrom_.append(&contig);
    start_.append(&record.region.start);
    end_.append(&record.region.end);
    name_.append(std::vector<std::string>{record.name.empty() ? "." : record.name});
    if (further_) further_->append(record.extra);
    const uint8_t seen = item.seen;
    if (seen_) seen_->append(&seen);
  }
  void commit() override {
    for (auto* table : {&predictions_, &chrom_, &start_, &end_, &name_, further_ ? &*further_ : nullptr,
                        seen_ ? &*seen_ : nullptr})
      if (table) table->close();
    file_.close();
    target_.commit();
  }

 private:
  const ChromatinColumns& columns_;
  io::AtomicFile target_;
  io::Hdf5File file_;
  io::Hdf5Table predictions_, chrom_, start_, end_, name_;
  std::optional<io::Hdf5Table> further_, seen_;
  size_t further_columns_;
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

class TrackWriter : public ChromatinWriter {
 public:
  TrackWriter(const PredictChromatinOptions& options, const ChromatinColumns& columns,
              const ChromatinRegions& regions)
      : columns_(columns) {
    // a file a feature is open at a time
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (const rlim_t wanted = columns.chosen.size() + 64; limit.rlim_cur < wanted) {
      limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    std::error_code error;
    if (std::filesystem::create_directories(options.bigwig, error); error) fail(options.bigwig, ": ", error.message());
    for (const int64_t f : columns.chosen)
      tracks_.emplace_back(track_path(options, columns, f), regions.genome().contigs());
  }
  void write(const ChromatinRegion& item, std::span<const float> scores) override {
    const auto& region = item.record.region;
    if (std::isnan(scores.front()) || region.length() == 0) return;  // no score, no value; no base to hold it
    for (size_t i = 0; i < tracks_.size(); ++i)
      tracks_[i].add(item.contig, region.start, region.end, scores[static_cast<size_t>(columns_.chosen[i])]);
  }
  void commit() override {
    for (auto& track : tracks_) track.commit();
  }

 private:
  const ChromatinColumns& columns_;
  std::vector<genome::BigWigWriter> tracks_;
};
}  // namespace

std::vector<std::unique_ptr<ChromatinWriter>> chromatin_writers(const PredictChromatinOptions& options,
                                                                const ChromatinColumns& columns,
                                                                const ChromatinRegions& regions) {
  std::vector<std::unique_ptr<ChromatinWriter>> writers;
  if (is_hdf5(options.output))
    writers.push_back(std::make_unique<Hdf5Writer>(options, columns, regions));
  else if (!options.output.empty())
    writers.push_back(std::make_unique<TableWriter>(options, columns, regions.further_columns()));
  if (!options.bigwig.empty()) writers.push_back(std::make_unique<TrackWriter>(options, columns, regions));
  return writers;
}

std::vector<std::string> chromatin_outputs(const PredictChromatinOptions& options,
                                           const ChromatinColumns& columns) {
  std::vector<std::string> names;
  if (!options.output.empty()) names.push_back(options.output);
  if (!options.bigwig.empty())
    for (const int64_t f : columns.chosen) names.push_back(track_path(options, columns, f));
  return names;
}

double chromatin_bytes_a_region(const PredictChromatinOptions& options, const ChromatinColumns& columns) {
  const auto features = static_cast<double>(columns.chosen.size());
  double bytes = 0;
  if (is_hdf5(options.output))
    bytes += 4 * features + 40;
  else if (options.output.ends_with(".gz"))
    bytes += 4 * features + 20;  // six decimals of noise hardly compress
  else if (!options.output.empty())
    bytes += 9 * features + 40;
  if (!options.bigwig.empty()) bytes += 8 * features;
  if (options.resume) bytes += 4 * static_cast<double>(columns.features.size());
  return bytes;
}

}  // namespace bigdna::prediction
