#include "evaluation/cell_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/log.h"
#include "base/threads.h"
#include "evaluation/evaluation_text.h"
#include "metrics/block_auroc.h"
#include "metrics/block_pearson.h"
#include "metrics/bootstrap.h"
#include "metrics/classification.h"

namespace bigdna::evaluation {

namespace {
using Columns = std::vector<std::vector<double>>;

/// What one method reaches on one output.
struct Figure {
  double value = NAN, chance = NAN;
  std::vector<double> resampled = {};
};

/// An output beside those of the same name.
struct CellOutput {
  size_t feature, own;          // own: its place among `outputs`
  std::vector<size_t> outputs;  // of all cells
  bool counts;
  int64_t bins = 0;
  std::vector<Figure> methods = {};
};

std::vector<CellOutput> outputs_of(const rows::TaskRows& data) {
  std::vector<CellOutput> all;
  for (const auto& outputs : outputs_by_target(data.features))
    for (size_t own = 0; own < outputs.size(); ++own)
      all.push_back({outputs[own], own, outputs, data.type_of(outputs[own]) == dataset::LabelType::counts});
  std::ranges::sort(all, {}, &CellOutput::feature);
  return all;
}

/// Log-odds, or log(1 + count).
double transformed(double value, bool counts) {
  constexpr double kLeast = 1e-9;
  if (counts) return std::log1p(value);
  const double p = std::clamp(value, kLeast, 1 - kLeast);
  return std::log(p) - std::log1p(-p);
}

class CellEvaluation {
 public:
  CellEvaluation(const ResampledRows& rows, const std::vector<metrics::ScoreSpill>& spills)
      : rows_(rows), spills_(spills) {}

  void measure(CellOutput& of) const {
    Columns truth;
    for (const size_t output : of.outputs) truth.push_back(labels(output));
    std::vector<size_t> places;
    std::vector<double> shares;  // of the cells that have the label
    for (size_t i = 0; i < rows_.rows.size(); ++i) {
      double sum = 0;
      for (const auto& column : truth) sum += column[i];
      const double share = sum / static_cast<double>(truth.size());
      if (!of.counts && (share == 0 || share == 1)) continue;
      places.push_back(i);
      shares.push_back(share);
    }
    of.bins = std::ssize(places);
    for (auto& column : truth) {
      column = at_places(column, places);
      if (of.counts) std::ranges::transform(column, column.begin(), [](double count) { return std::log1p(count); });
    }
    const auto blocks = at_places(rows_.resamples.blocks, places);
    for (const auto& spill : spills_) {
      Columns scores;
      for (const size_t output : of.outputs) {
        std::vector<double> values;
        const auto column = spill.column(static_cast<int64_t>(output));
        for (const size_t i : places) values.push_back(transformed(column[i], of.counts));
        scores.push_back(std::move(values));
      }
      const bool known = std::ranges::all_of(scores, [](const auto& column) {
        return std::ranges::none_of(column, [](double value) { return std::isnan(value); });
      });
      of.methods.push_back(!known || places.empty() ? Figure{} : figure(of, truth, scores, blocks, shares));
    }
  }

 private:
  std::vector<double> labels(size_t output) const {
    std::vector<double> values;
    for (const int64_t row : rows_.rows) values.push_back(rows_.data.label(row, static_cast<int64_t>(output)));
    return values;
  }

  Figure figure(const CellOutput& of, const Columns& truth, const Columns& scores, const std::vector<int32_t>& blocks,
                const std::vector<double>& shares) const {
    const auto& resamples = rows_.resamples;
    const auto own = deviations(scores, of.own);
    Figure figure;
    if (of.counts) {
      const auto counted = deviations(truth, of.own);
      const metrics::BlockPearson pearson(std::vector<double>(counted.begin(), counted.end()),
                                          std::vector<double>(own.begin(), own.end()), blocks, resamples.count);
      const auto value = [&](std::span<const double> weights) {
        const double r = pearson.value(weights);
        const bool constant_prediction = std::isnan(r) && !std::isnan(pearson.squares_of_x(weights));
        return constant_prediction ? 0 : r;
      };
      figure.value = value({});
      figure.chance = 0;
      for (const auto& weights : resamples.draws) figure.resampled.push_back(value(weights));
      return figure;
    }
    const std::vector<uint8_t> has(truth[of.own].begin(), truth[of.own].end());
    figure.value = metrics::Ranking(own, has).auroc();
    if (std::isnan(figure.value)) return figure;
    figure.chance = expected_auroc(own, shares);
    const metrics::BlockAuroc pairs(own, has, blocks, resamples.count);
    for (const auto& weights : resamples.draws) figure.resampled.push_back(pairs.auroc(weights));
    return figure;
  }

  const ResampledRows& rows_;
  const std::vector<metrics::ScoreSpill>& spills_;
};

/// The medians over outputs of a kind: of method m or, where they differ, its median minus that of `minus`.
struct Median {
  metrics::Estimate estimate;
  double chance = NAN;
  int64_t outputs = 0;
};
Median median_of(const std::vector<CellOutput>& outputs, bool counts, size_t m, size_t minus) {
  std::vector<const CellOutput*> scored;
  for (const auto& of : outputs)
    if (of.counts == counts && !std::isnan(of.methods[m].value) && !std::isnan(of.methods[minus].value))
      scored.push_back(&of);
  if (scored.empty()) return {{NAN, NAN, NAN}};
  const auto median = [&](size_t method, const auto& at) {
    std::vector<double> values;
    for (const auto* of : scored) values.push_back(at(of->methods[method]));
    return metrics::median(values);
  };
  const auto value = [&](const auto& at) { return median(m, at) - (minus == m ? 0 : median(minus, at)); };
  std::vector<double> resampled;
  for (size_t draw = 0; draw < scored.front()->methods[m].resampled.size(); ++draw)
    resampled.push_back(value([&](const Figure& of) { return of.resampled[draw]; }));
  return {metrics::interval_of(value([](const Figure& of) { return of.value; }), std::move(resampled)),
          value([](const Figure& of) { return of.chance; }), std::ssize(scored)};
}

const char* metric_of(bool counts) { return counts ? "pearson" : "auroc"; }
}  // namespace

std::vector<std::vector<size_t>> outputs_by_target(const std::vector<dataset::Feature>& features) {
  using Target = std::tuple<std::string, std::string, char, dataset::FeatureKind>;
  std::map<Target, std::vector<size_t>> targets;
  for (size_t f = 0; f < features.size(); ++f) {
    const auto& feature = features[f];
    if (feature.cell.empty() || feature.cell == "-") continue;
    auto& outputs = targets[{feature.name, feature.group, feature.strand, feature.kind}];
    if (std::ranges::none_of(outputs, [&](size_t other) { return features[other].cell == feature.cell; }))
      outputs.push_back(f);
  }
  std::vector<std::vector<size_t>> several;
  for (auto& [target, outputs] : targets)
    if (outputs.size() > 1) several.push_back(std::move(outputs));
  return several;
}

std::vector<float> deviations(const Columns& columns, size_t own) {
  std::vector<float> all(columns[own].size());
  for (size_t i = 0; i < all.size(); ++i) {
    double sum = 0;
    for (const auto& column : columns) sum += columns[own][i] - column[i];
    all[i] = static_cast<float>(sum / static_cast<double>(columns.size()));
  }
  return all;
}

double expected_auroc(std::span<const float> scores, std::span<const double> shares) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return scores[i]; });
  double right = 0, ones = 0, zeros = 0, own = 0;  // own: a row is no pair with itself
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double tied_ones = 0, tied_zeros = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      const double share = shares[order[end]];
      tied_ones += share;
      tied_zeros += 1 - share;
      own += share * (1 - share);
    }
    right += tied_ones * (zeros + tied_zeros / 2);
    ones += tied_ones;
    zeros += tied_zeros;
  }
  const double pairs = ones * zeros - own;
  return pairs > 0 ? (right - own / 2) / pairs : NAN;
}

void evaluate_cells(const ResampledRows& rows, const std::vector<Method>& methods,
                    const std::vector<metrics::ScoreSpill>& spills, const EvaluationOptions& options,
                    Evaluation& result) {
  auto outputs = outputs_of(rows.data);
  if (outputs.empty()) return;
  const CellEvaluation evaluation(rows, spills);
  parallel_for(std::ssize(outputs), options.threads,
               [&](int64_t i) { evaluation.measure(outputs[static_cast<size_t>(i)]); });
  const std::string split(dataset::split_name(options.split));
  std::string table = "#index\tname\tcell\tgroup\tstrand\tmethod\tsplit\tmetric\tn\tvalue\tlow\thigh\tchance\n";
  const auto add = [&](const std::string& output, const std::string& method, const std::string& metric, int64_t bins,
                       const metrics::Estimate& of, double chance) {
    table += concat(output, '\t', method, '\t', split, '\t', metric, '\t', bins, '\t', number_text(of.value), '\t',
                    number_text(of.low), '\t', number_text(of.high), '\t', number_text(chance), '\n');
  };
  const auto json_of = [](const metrics::Estimate& of, double chance) {
    auto json = json_estimate(of);
    json["chance"] = json_number(chance);
    return json;
  };
  auto& json = result.json["cells"] = nlohmann::ordered_json::array();
  for (const auto& of : outputs) {
    const auto& feature = rows.data.features[of.feature];
    auto& entry = json.emplace_back();
    entry = {{"index", of.feature}, {"name", feature.name}, {"cell", feature.cell}, {"bins", of.bins}};
    for (size_t m = 0; m < methods.size(); ++m) {
      const auto& figure = of.methods[m];
      const auto estimate = metrics::interval_of(figure.value, figure.resampled);
      add(concat(of.feature, '\t', feature.name, '\t', feature.cell, '\t', feature.group, '\t', feature.strand),
          methods[m].name, metric_of(of.counts), of.bins, estimate, figure.chance);
      entry[methods[m].name][metric_of(of.counts)] = json_of(estimate, figure.chance);
    }
  }
  for (const bool counts : {false, true}) {
    const std::string metric = concat(metric_of(counts), "_median");
    std::string text;
    int64_t scored = 0;
    const auto add_median = [&](const std::string& name, size_t m, size_t minus) {
      const auto of = median_of(outputs, counts, m, minus);
      if (of.outputs == 0) return;
      add(".\tall\t.\t.\t.", name, metric, of.outputs, of.estimate, of.chance);
      auto& all = result.json["all_cells"][name];
      all[metric] = json_of(of.estimate, of.chance);
      all["outputs"] = of.outputs;
      if (m != minus) return;
      scored = std::max(scored, of.outputs);
      text += concat(text.empty() ? "" : "; ", name, " ", number_text(of.estimate.value), " (chance ",
                     number_text(of.chance), ")");
    };
    for (size_t m = 0; m < methods.size(); ++m) add_median(methods[m].name, m, m);
    for (size_t m = 1; m < methods.size(); ++m) add_median(concat(methods[0].name, "-", methods[m].name), 0, m);
    if (scored > 0)
      log::info("where cells differ, ", counts ? "Pearson's correlation" : "AUROC", ", median over ",
                counted(scored, "output"), ": ", text);
  }
  result.report["cells.tsv"] = std::move(table);
}

}  // namespace bigdna::evaluation
