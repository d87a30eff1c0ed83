#include "dataset/tracks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "dataset/bin.h"
#include "dataset/feature_table.h"

namespace bigdna::dataset {

std::vector<TrackRow> read_track_table(const std::string& path) {
  std::vector<TableColumn> columns{{"file", nullptr, true}, {"name", nullptr}, {"cell"}, {"assay"}, {"group"}};
  const size_t first = columns.size();
  for (const auto& setting : coverage::track_settings())
    columns.push_back({setting.name, setting.initial, setting.is_file});
  std::vector<TrackRow> rows;
  std::set<std::tuple<std::string, std::string, std::string, char>> seen;
  read_feature_table(path, {.comments = true}, columns, FurtherColumns::refused, [&](const auto& values, int64_t line) {
    const auto bad = [&](const auto&... cause) { fail(path, ":", line, ": ", cause...); };
    TrackRow row;
    row.path = beside(path, values[0]);
    if (!std::filesystem::exists(row.path)) bad(row.path, ": no such file");
    for (size_t i = first; i < columns.size(); ++i) {
      const auto& setting = coverage::track_settings()[i - first];
      try {
        setting.set(row.options, setting.is_file && !values[i].empty() ? beside(path, values[i]) : values[i]);
      } catch (const Error& error) {
        bad(setting.name, " '", values[i], "' ", error.what());
      }
    }
    coverage::check(row.options, concat(path, ":", line));
    row.feature = {values[1], values[2], values[3], group_of(values[4]), row.options.strand, FeatureKind::counts};
    const auto& [name, cell, assay, group, strand, kind] = row.feature;
    if (!seen.emplace(name, cell, assay, strand).second)
      bad("track ", name, " (cell ", cell, ", assay ", assay, ", strand ", strand, ") is named twice");
    rows.push_back(std::move(row));
  });
  if (rows.empty()) fail(path, ": has no tracks");
  return rows;
}

std::vector<std::string> track_files_of(const std::string& path) {
  std::set<std::string> files{path};
  try {
    for (const auto& row : read_track_table(path)) {
      files.insert(row.path);
      if (!row.options.barcodes.empty()) files.insert(row.options.barcodes);
    }
  } catch (const Error&) {  // the command says so
  }
  return {files.begin(), files.end()};
}

std::vector<coverage::Tally> count_tracks(const std::vector<TrackRow>& rows, const coverage::Contigs& contigs,
                                          const genome::IntervalSet& excluded, int threads,
                                          std::span<coverage::CountSink* const> sinks,
                                          std::span<coverage::CountSink* const> halves) {
  std::vector<std::vector<size_t>> files;  // the tracks of each file
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto same = std::ranges::find_if(files, [&](const auto& file) { return rows[file[0]].path == rows[i].path; });
    if (same == files.end())
      files.push_back({i});
    else
      same->push_back(i);
  }
  const auto count = static_cast<int>(files.size());
  const coverage::SitesByContig no_sites;
  std::vector<std::string> paths;
  for (const auto& file : files) paths.push_back(rows[file[0]].path);
  std::vector<coverage::Tally> tallies(rows.size());
  io::ReadProgress progress("tracks", paths);
  parallel_for(count, threads, [&](int64_t f) {
    const auto& tracks = files[static_cast<size_t>(f)];
    std::vector<coverage::TrackCounter> counters;
    const auto& path = rows[tracks[0]].path;
    coverage::Quality quality(contigs, {}, no_sites, /*lengths=*/false);  // of the first track
    for (const size_t i : tracks)
      counters.emplace_back(rows[i].options, contigs, *sinks[i], counters.empty() ? &quality : nullptr,
                            label(rows[i].feature), halves[i]);
    coverage::count_file(path, contigs, std::max(1, threads / count), counters, progress, &quality);
    quality.log_hints(path, excluded);
    for (size_t k = 0; k < tracks.size(); ++k) tallies[tracks[k]] = counters[k].tally();
  });
  return tallies;
}

double factor_of(const TrackRow& row, const coverage::Tally& tally) {
  const auto counted = static_cast<double>(tally.counted);
  return row.options.per_million && counted > 0 ? 1e6 / counted : row.options.scale;
}

nlohmann::ordered_json counted_json(const TrackRow& row, const coverage::Tally& tally) {
  auto left_out = nlohmann::ordered_json::object();
  for (size_t reason = 0; reason < coverage::kLeftOut.size(); ++reason)
    if (tally.left_out[reason]) left_out[std::string(coverage::kLeftOut[reason])] = tally.left_out[reason];
  return {{"file", std::filesystem::path(row.path).filename().string()},
          {"count", coverage::count_name(row.options.count)},
          {"counted", tally.counted},
          {"half", tally.half},
          {"left_out", left_out},
          {"factor", factor_of(row, tally)}};
}

TrackCounts::TrackCounts(std::vector<TrackRow> rows, const coverage::Contigs& contigs, int64_t bin,
                         const genome::IntervalSet& excluded, int threads)
    : rows_(std::move(rows)), bin_(bin) {
  std::vector<coverage::CountSink*> sinks, halves;
  const auto add = [&](auto& sums, auto& to) {
    sums.push_back(std::make_unique<coverage::BinSums>(contigs, bin_));
    to.push_back(sums.back().get());
  };
  for (size_t i = 0; i < rows_.size(); ++i) {
    add(sums_, sinks);
    add(halves_, halves);
  }
  tallies_ = count_tracks(rows_, contigs, excluded, threads, sinks, halves);
}

void TrackCounts::append(uint32_t contig, int64_t start, std::vector<float>& to, std::vector<float>& halves) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto value = [&](const coverage::BinSums& of) {
      const auto& sums = of.of(contig);
      return sums.empty() ? 0.F : static_cast<float>(sums[static_cast<size_t>(start / bin_)] * factor(i));
    };
    to.push_back(value(*sums_[i]));
    halves.push_back(tallies_[i].half > 0 ? value(*halves_[i]) : NAN);
  }
}

nlohmann::ordered_json TrackCounts::summary(const std::vector<float>& counts) const {
  auto json = nlohmann::ordered_json::array();
  const size_t width = rows_.size(), bins = counts.size() / width;
  for (size_t i = 0; i < width; ++i) {
    double sum = 0;
    size_t zeros = 0;
    for (size_t row = 0; row < bins; ++row) {
      sum += counts[row * width + i];
      zeros += counts[row * width + i] == 0;
    }
    if (zeros == bins)
      log::warn(rows_[i].path, ": track ", label(rows_[i].feature), " is 0 in every bin of the dataset");
    auto& track = json.emplace_back(counted_json(rows_[i], tallies_[i]));
    track["mean"] = sum / static_cast<double>(bins);
    track["zeros"] = static_cast<double>(zeros) / static_cast<double>(bins);
  }
  return json;
}

}  // namespace bigdna::dataset
