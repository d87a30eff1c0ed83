#include "evaluation/count_evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/threads.h"
#include "evaluation/evaluation_text.h"
#include "metrics/bootstrap.h"
#include "metrics/counts.h"

namespace bigdna::evaluation {

namespace {
using dataset::LabelType;

/// Some of the rows, by their places.
struct Bins {
  std::string name;
  std::vector<size_t> places;
};

std::vector<int64_t> tracks_of(const rows::TaskRows& data) {
  for (const auto& [type, features] : data.by_type())
    if (type == LabelType::counts) return features;
  return {};
}

/// All bins, and those with a label.
std::vector<Bins> bins_of(const ResampledRows& rows) {
  std::vector<Bins> all{{"all", std::vector<size_t>(rows.rows.size())}};
  std::iota(all[0].places.begin(), all[0].places.end(), size_t{0});
  const auto first = rows.data.by_type().front();
  if (first.type == LabelType::counts) return all;
  all.push_back({"labelled", {}});
  for (size_t i = 0; i < rows.rows.size(); ++i)
    if (std::ranges::any_of(first.features, [&](int64_t f) { return rows.data.label(rows.rows[i], f) > 0; }))
      all[1].places.push_back(i);
  return all;
}

std::vector<float> observed_counts(const ResampledRows& rows, int64_t track) {
  std::vector<float> observed;
  for (const int64_t row : rows.rows) observed.push_back(rows.data.label(row, track));
  return observed;
}

/// One track in some bins: the pairs of each method, nullopt where it has no expected counts.
using Pairs = std::vector<std::optional<metrics::CountPairs>>;

/// Of method m or, where they differ, m's value less that of `minus`.
Line line_of(const ResampledRows& rows, std::string name, const Pairs& pairs, const metrics::CountMetric& metric,
             size_t m, size_t minus) {
  const auto value = [&](std::span<const double> weights) {
    const double of = ((*pairs[m]).*metric.of)(weights);
    return minus == m ? of : of - ((*pairs[minus]).*metric.of)(weights);
  };
  return line_of(std::move(name), metric.name, value, rows.resamples);
}

/// What is written of one track in some bins.
std::vector<Line> lines_of(const ResampledRows& rows, const std::vector<Method>& methods, const Pairs& pairs) {
  std::vector<Line> lines;
  for (size_t m = 0; m < methods.size(); ++m)
    for (const auto& metric : metrics::kCountMetrics)
      if (pairs[m]) lines.push_back(line_of(rows, methods[m].name, pairs, metric, m, m));
  for (size_t m = 1; m < methods.size(); ++m)
    for (const auto& metric : metrics::kCountMetrics)
      if (pairs[0] && pairs[m])
        lines.push_back(line_of(rows, methods[0].name + "-" + methods[m].name, pairs, metric, 0, m));
  return lines;
}

Pairs pairs_of(const ResampledRows& rows, const std::vector<float>& observed,
               const std::vector<metrics::ScoreSpill>& spills, int64_t track, const Bins& bins) {
  Pairs pairs;
  const auto truth = at_places(observed, bins.places);
  const auto blocks = at_places(rows.resamples.blocks, bins.places);
  for (const auto& spill : spills) {
    const auto expected = at_places(spill.column(track), bins.places);
    if (expected.empty() || std::isnan(expected.front()))
      pairs.emplace_back();
    else
      pairs.emplace_back(metrics::CountPairs(truth, expected, blocks, rows.resamples.count));
  }
  return pairs;
}

/// What no model that predicts one half of the reads from the other would exceed: one half beside the other. None for
/// a track that is not of reads.
std::vector<Line> lines_of_halves(const ResampledRows& rows, const std::vector<float>& observed, int64_t track,
                                  const Bins& bins) {
  std::vector<float> one, other;
  for (const size_t i : bins.places) {
    const float half = rows.data.half(rows.rows[i], track);
    if (std::isnan(half)) return {};
    one.push_back(half);
    other.push_back(std::max(0.F, observed[i] - half));
  }
  const Pairs pairs{
      metrics::CountPairs(one, other, at_places(rows.resamples.blocks, bins.places), rows.resamples.count)};
  std::vector<Line> lines;
  for (const auto& metric : metrics::kCountMetrics)
    if (metric.symmetric) lines.push_back(line_of(rows, "halves", pairs, metric, 0, 0));
  return lines;
}

/// The mean of a line over the tracks that have a value of it: of each resample, too.
metrics::Estimate mean_over(const std::vector<std::vector<Line>>& tracks, const Line& wanted) {
  std::vector<const Line*> found;
  for (const auto& lines : tracks)
    for (const auto& line : lines)
      if (line.method == wanted.method && line.metric == wanted.metric && !std::isnan(line.value))
        found.push_back(&line);
  const auto mean = [&](const auto& value) {
    double sum = 0;
    for (const auto* line : found) sum += value(*line);
    return sum / static_cast<double>(found.size());
  };
  std::vector<double> resampled;
  for (size_t draw = 0; !found.empty() && draw < wanted.resampled.size(); ++draw)
    resampled.push_back(mean([&](const Line& line) { return line.resampled[draw]; }));
  return metrics::interval_of(mean([](const Line& line) { return line.value; }), std::move(resampled));
}

/// By method and metric.
nlohmann::ordered_json means_of(const std::vector<std::vector<Line>>& tracks) {
  nlohmann::ordered_json json;
  for (const auto& lines : tracks)
    for (const auto& line : lines) {
      auto& means = json[line.method];
      if (const std::string metric(line.metric); !means.contains(metric))
        means[metric] = json_estimate(mean_over(tracks, line));
    }
  return json;
}
}  // namespace

void evaluate_counts(const ResampledRows& rows, const std::vector<Method>& methods,
                     const std::vector<metrics::ScoreSpill>& spills, const EvaluationOptions& options,
                     Evaluation& result, nlohmann::ordered_json& multiqc) {
  const auto tracks = tracks_of(rows.data);
  if (tracks.empty()) return;
  const auto bins = bins_of(rows);
  std::vector lines(bins.size(), std::vector<std::vector<Line>>(tracks.size()));  // of each kind of bins, of each track
  parallel_for(std::ssize(tracks), options.threads, [&](int64_t t) {
    const auto track = static_cast<size_t>(t);
    const auto observed = observed_counts(rows, tracks[track]);
    for (size_t b = 0; b < bins.size(); ++b) {
      auto& of_bins = lines[b][track];
      of_bins = lines_of(rows, methods, pairs_of(rows, observed, spills, tracks[track], bins[b]));
      for (auto& half : lines_of_halves(rows, observed, tracks[track], bins[b])) of_bins.push_back(std::move(half));
    }
  });
  result.json["all_tracks"] = means_of(lines.front());
  result.track_table =
      "#index\tname\tcell\tassay\tgroup\tstrand\tbins\trows\tmethod\tsplit\tmetric\tvalue\tlow\thigh\n";
  auto& json = result.json["tracks"] = nlohmann::ordered_json::array();
  const auto names = dataset::column_names(rows.data.features);
  for (size_t t = 0; t < tracks.size(); ++t) {
    const auto f = static_cast<size_t>(tracks[t]);
    const auto& feature = rows.data.features[f];
    auto& of_track = json.emplace_back();
    of_track = {{"index", f},
                {"name", feature.name},
                {"cell", feature.cell},
                {"assay", feature.assay},
                {"group", feature.group},
                {"strand", std::string(1, feature.strand)}};
    for (size_t b = 0; b < bins.size(); ++b)
      for (const auto& line : lines[b][t]) {
        const auto value = line.estimate();
        result.track_table +=
            concat(f, '\t', feature.name, '\t', feature.cell, '\t', feature.assay, '\t', feature.group, '\t',
                   feature.strand, '\t', bins[b].name, '\t', bins[b].places.size(), '\t', line.method, '\t',
                   dataset::split_name(options.split), '\t', line.metric, '\t', number_text(value.value), '\t',
                   number_text(value.low), '\t', number_text(value.high), '\n');
        of_track[bins[b].name][line.method][std::string(line.metric)] = json_estimate(value);
        const bool compared = std::ranges::none_of(methods, [&](const auto& of) { return of.name == line.method; });
        if (b == 0 && !compared && std::isfinite(value.value))
          multiqc["data"][multiqc_sample(options, line.method)][concat(names[f], " ", line.metric)] = value.value;
      }
  }
}

std::vector<plot::Chart> charts_of_counts(const ResampledRows& rows, const Method& method,
                                          const metrics::ScoreSpill& spill) {
  constexpr size_t kParts = 20;
  std::vector<plot::Chart> charts;
  for (const int64_t track : tracks_of(rows.data)) {
    const auto observed = observed_counts(rows, track), expected = spill.column(track);
    if (std::isnan(expected.front())) continue;
    std::vector<size_t> order(observed.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return expected[i]; });
    plot::Series series{method.name, {}, {}, true};
    double largest = 0;
    const auto at = [](double mean) { return std::log2(1 + mean); };
    for (size_t part = 0; part < kParts; ++part) {
      const size_t begin = part * order.size() / kParts, end = (part + 1) * order.size() / kParts;
      if (begin == end) continue;
      double x = 0, y = 0;
      for (size_t i = begin; i < end; ++i) x += expected[order[i]], y += observed[order[i]];
      series.x.push_back(at(x / static_cast<double>(end - begin)));
      series.y.push_back(at(y / static_cast<double>(end - begin)));
      largest = std::max({largest, series.x.back(), series.y.back()});
    }
    plot::Chart chart;
    chart.title = concat("Counts of ", dataset::label(rows.data.features[static_cast<size_t>(track)]));
    chart.x = {"log2(1 + mean expected count)", false};
    chart.y = {"log2(1 + mean observed count)"};
    chart.series = {std::move(series), {"equal", {0, largest}, {0, largest}, false, true}};
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace bigdna::evaluation
