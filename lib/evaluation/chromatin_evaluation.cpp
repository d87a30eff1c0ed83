#include "evaluation/chromatin_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/threads.h"
#include "evaluation/cell_evaluation.h"
#include "evaluation/count_evaluation.h"
#include "evaluation/evaluation_text.h"
#include "io/output.h"
#include "metrics/block_auroc.h"
#include "metrics/bootstrap.h"
#include "metrics/classification.h"
#include "metrics/score_spill.h"
#include "plot/svg.h"

namespace bigdna::evaluation {

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kChunk = 2048;       // rows whose bases are in memory at a time
constexpr int32_t kMostBlocks = 512;  // of the bootstrap: their pairs are counted for each feature

/// Of one method, by feature.
struct Results {
  std::vector<double> auroc, auprc;
  std::vector<std::vector<double>> resampled;  // [feature][resample]: AUROC
};

class ChromatinEvaluation {
 public:
  ChromatinEvaluation(const rows::TaskRows& data, const std::vector<Method>& methods, const EvaluationOptions& options)
      : data_(data),
        methods_(methods),
        options_(options),
        sample_{data, data.of(options.split)},
        rows_(sample_.rows),
        resamples_(sample_.resamples),
        split_(split_name(options.split)) {
    for (const auto& [type, features] : data.by_type())
      if (type != dataset::LabelType::counts) labels_.assign(features.begin(), features.end());
    if (rows_.empty()) fail(data.folder, ": the ", split_, " split is empty");
    positives_.resize(static_cast<size_t>(data.labels()));
    results_.resize(methods.size());
    for (auto& method : results_) {
      method.auroc.assign(positives_.size(), kNan);
      method.auprc.assign(positives_.size(), kNan);
      method.resampled.resize(positives_.size());
    }
  }

  Evaluation run() {
    evaluation_.json = evaluation_json(data_, options_);
    score();
    draw_blocks();
    measure();
    evaluation_.json["rows"] = rows_.size();
    evaluation_.json["bootstrap"] = {{"resamples", resamples_.draws.size()}, {"blocks", resamples_.count}};
    if (!labels_.empty()) {
      feature_table();
      group_table();
    }
    evaluate_counts(sample_, methods_, spills_, options_, evaluation_, multiqc_);
    evaluate_cells(sample_, methods_, spills_, options_, evaluation_);
    if (labels_.empty()) evaluation_.table = evaluation_.track_table;
    add_multiqc(evaluation_, data_, multiqc_);
    draw();
    return std::move(evaluation_);
  }

 private:
  void score() {
    for (size_t m = 0; m < methods_.size(); ++m) spills_.emplace_back(data_.labels());
    std::optional<ScoreTable> table;
    if (options_.scores) {
      std::vector<std::pair<std::string, double>> names;
      for (const auto& method : methods_) names.emplace_back(method.name, method.threshold);
      table.emplace(options_, data_, names);
    }
    log::Progress progress(concat("evaluate ", split_), rows_.size(), "rows");
    for (size_t begin = 0; begin < rows_.size(); begin += kChunk) {
      const std::vector<int64_t> chunk(rows_.begin() + static_cast<int64_t>(begin),
                                       rows_.begin() + static_cast<int64_t>(std::min(rows_.size(), begin + kChunk)));
      std::vector<std::vector<float>> scores;
      for (size_t m = 0; m < methods_.size(); ++m) {
        scores.push_back(methods_[m].score(chunk));
        spills_[m].append(scores[m]);
      }
      if (table) table->write(chunk, scores);
      progress.update(begin + chunk.size());
    }
    if (table) table->commit();
  }

  void draw_blocks() {
    const auto named = data_.blocks_of(rows_);
    data_.warn_of_few(named);
    sample_.resamples = Resamples(named, options_.resamples, options_.seed, kMostBlocks);
  }

  void measure() {
    log::Progress progress("measuring", labels_.size(), "features");
    parallel_for(std::ssize(labels_), options_.threads, [&](int64_t place) {
      progress.add(1);
      const auto feature = labels_[static_cast<size_t>(place)];
      const auto number = static_cast<int64_t>(feature);
      const auto truth = data_.labels_of(rows_, number);
      positives_[feature] = std::count(truth.begin(), truth.end(), 1);
      if (one_class(feature)) return;
      for (size_t m = 0; m < methods_.size(); ++m) {
        const auto column = spills_[m].column(number);
        if (std::isnan(column.front())) continue;
        const metrics::Ranking ranking(column, truth);
        results_[m].auroc[feature] = ranking.auroc();
        results_[m].auprc[feature] = ranking.auprc();
        if (resamples_.draws.empty()) continue;
        const metrics::BlockAuroc pairs(column, truth, resamples_.blocks, resamples_.count);
        for (const auto& weights : resamples_.draws) results_[m].resampled[feature].push_back(pairs.auroc(weights));
      }
    });
  }

  bool one_class(size_t feature) const {
    return positives_[feature] == 0 || positives_[feature] == static_cast<int64_t>(rows_.size());
  }

  /// The first method's AUROC minus method m's.
  metrics::Estimate difference(size_t m, size_t feature) const {
    std::vector<double> values;
    const auto &a = results_[0].resampled[feature], &b = results_[m].resampled[feature];
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) values.push_back(a[i] - b[i]);
    return metrics::interval_of(results_[0].auroc[feature] - results_[m].auroc[feature], std::move(values));
  }

  void feature_table() {
    auto& text = evaluation_.feature_table;
    text = "#index\tname\tcell\tassay\tgroup\tstrand\trows\tpositives\tprevalence";
    for (const auto& method : methods_) text += concat('\t', method.name, "_auroc\t", method.name, "_auprc");
    for (size_t m = 1; m < methods_.size(); ++m)
      text +=
          concat("\tminus_", methods_[m].name, "\tminus_", methods_[m].name, "_low\tminus_", methods_[m].name, "_high");
    text += "\n";
    std::string missing;
    auto features = nlohmann::ordered_json::array();
    for (const size_t f : labels_) {
      const auto& feature = data_.features[f];
      const double prevalence = static_cast<double>(positives_[f]) / static_cast<double>(rows_.size());
      text += concat(f, '\t', feature.name, '\t', feature.cell, '\t', feature.assay, '\t', feature.group, '\t',
                     feature.strand, '\t', rows_.size(), '\t', positives_[f], '\t', number_text(prevalence));
      nlohmann::ordered_json json{{"index", f},
                                  {"name", feature.name},
                                  {"cell", feature.cell},
                                  {"group", feature.group},
                                  {"strand", std::string(1, feature.strand)},
                                  {"positives", positives_[f]},
                                  {"prevalence", prevalence}};
      for (size_t m = 0; m < methods_.size(); ++m) {
        text += concat('\t', number_text(results_[m].auroc[f]), '\t', number_text(results_[m].auprc[f]));
        json[methods_[m].name] = {{"auroc", json_number(results_[m].auroc[f])},
                                  {"auprc", json_number(results_[m].auprc[f])}};
      }
      for (size_t m = 1; m < methods_.size(); ++m) {
        const auto estimate = difference(m, f);
        text += concat('\t', number_text(estimate.value), '\t', number_text(estimate.low), '\t',
                       number_text(estimate.high));
        json["minus_" + methods_[m].name] = json_estimate(estimate);
      }
      text += "\n";
      features.push_back(json);
      if (one_class(f)) missing += concat(missing.empty() ? "" : ", ", f, " ", feature.name);
    }
    evaluation_.json["features"] = features;
    if (!missing.empty())
      log::warn("features with only one class in the ", split_, " split, which have no score: ", missing);
  }

  using Statistic = double (*)(std::span<const double>);
  /// A statistic of a group's AUROCs with its interval: of method m, or its difference to the first (minus >=
  /// 0).
  metrics::Estimate of_group(const std::vector<size_t>& features, Statistic statistic, size_t m, size_t minus) const {
    const auto value = [&](const auto& at) {
      std::vector<double> a, b;
      for (const size_t f : features) {
        a.push_back(at(results_[m], f));
        b.push_back(at(results_[minus], f));
      }
      return minus == m ? statistic(a) : statistic(a) - statistic(b);
    };
    std::vector<double> values;
    for (size_t draw = 0; draw < resamples_.draws.size(); ++draw)
      values.push_back(value([&](const Results& results, size_t f) { return results.resampled[f][draw]; }));
    return metrics::interval_of(value([](const Results& results, size_t f) { return results.auroc[f]; }),
                                std::move(values));
  }

  void group_row(const std::string& group, const std::vector<size_t>& members, const std::string& name, size_t m,
                 size_t minus) {
    std::vector<size_t> scored;  // by both, where two are compared
    for (const size_t f : members)
      if (!std::isnan(results_[m].auroc[f]) && !std::isnan(results_[minus].auroc[f])) scored.push_back(f);
    const auto of_auprc = [&](Statistic statistic) {
      std::vector<double> a, b;
      for (const size_t f : scored) {
        a.push_back(results_[m].auprc[f]);
        b.push_back(results_[minus].auprc[f]);
      }
      return minus == m ? statistic(a) : statistic(a) - statistic(b);
    };
    const auto median = of_group(scored, metrics::median, m, minus), mean = of_group(scored, metrics::mean, m, minus);
    const double auprc_median = of_auprc(metrics::median), auprc_mean = of_auprc(metrics::mean);
    auto& text = evaluation_.table;
    text += concat(group, '\t', name, '\t', split_, '\t', members.size(), '\t', scored.size());
    for (const double value :
         {median.value, mean.value, auprc_median, auprc_mean, median.low, median.high, mean.low, mean.high})
      text += concat('\t', number_text(value));
    text += "\n";
    evaluation_.json["groups"][group][name] = {{"features", members.size()},
                                               {"scored", scored.size()},
                                               {"auroc_median", json_estimate(median)},
                                               {"auroc_mean", json_estimate(mean)},
                                               {"auprc_median", json_number(auprc_median)},
                                               {"auprc_mean", json_number(auprc_mean)}};
    if (minus != m) return;
    auto& sample = multiqc_["data"][multiqc_sample(options_, name)];
    const std::pair<const char*, double> shown[] = {{"auroc_median", median.value},
                                                    {"auroc_mean", mean.value},
                                                    {"auprc_median", auprc_median},
                                                    {"auprc_mean", auprc_mean}};
    for (const auto& [metric, value] : shown)
      if (std::isfinite(value)) sample[group + " " + metric] = value;
  }

  void group_table() {
    evaluation_.table =
        "#group\tmethod\tsplit\tfeatures\tscored\tauroc_median\tauroc_mean\tauprc_median\tauprc_mean\tauroc_"
        "median_low\t"
        "auroc_median_high\tauroc_mean_low\tauroc_mean_high\n";
    auto groups = groups_of_labels();
    const bool taken = std::find(groups.begin(), groups.end(), "all") != groups.end();
    if (groups.size() > 1) groups.emplace_back(taken ? "all features" : "all");
    for (const auto& group : groups) {
      const bool whole = groups.size() > 1 && &group == &groups.back();
      std::vector<size_t> members;
      for (const size_t f : labels_)
        if (whole || data_.features[f].group == group) members.push_back(f);
      for (size_t m = 0; m < methods_.size(); ++m)
        if (m == 0 || has_scores(m, members)) group_row(group, members, methods_[m].name, m, m);
      for (size_t m = 1; m < methods_.size(); ++m)
        if (has_scores(m, members)) group_row(group, members, concat(methods_[0].name, "-", methods_[m].name), 0, m);
    }
  }

  std::vector<std::string> groups_of_labels() const {
    return dataset::groups_of({data_.features.begin(), data_.features.begin() + std::ssize(labels_)});
  }

  /// A method may have no scores of a group: a part of the model that has no weight there. Where no method has any,
  /// because the rows have one class, all methods have a row.
  bool has_scores(size_t m, const std::vector<size_t>& members) const {
    const auto has = [&](size_t f, size_t method) { return !std::isnan(results_[method].auroc[f]); };
    return std::ranges::none_of(members, [&](size_t f) { return has(f, 0); }) ||
           std::ranges::any_of(members, [&](size_t f) { return has(f, m); });
  }

  /// AUROC beside prevalence, and against each of the other methods.
  void draw() {
    const auto chart = [&](const std::string& title, const std::string& x_label, const auto& x, bool log) {
      plot::Chart chart;
      chart.title = title;
      chart.x = {x_label, log};
      chart.y = {concat("AUROC, ", methods_[0].name)};
      for (const auto& group : groups_of_labels()) {
        plot::Series series;
        series.name = group;
        series.points = true;
        for (const size_t f : labels_)
          if (data_.features[f].group == group && !std::isnan(results_[0].auroc[f]) && !std::isnan(x(f))) {
            series.x.push_back(x(f));
            series.y.push_back(results_[0].auroc[f]);
          }
        chart.series.push_back(std::move(series));
      }
      return chart;
    };
    std::vector<plot::Chart> charts;
    if (!labels_.empty())
      charts.push_back(chart(
          "Features by how rare they are", "share of bins with the label",
          [&](size_t f) { return static_cast<double>(positives_[f]) / static_cast<double>(rows_.size()); }, true));
    for (size_t m = 1; m < methods_.size() && !labels_.empty(); ++m) {
      charts.push_back(chart(
          concat(methods_[0].name, " and ", methods_[m].name), concat("AUROC, ", methods_[m].name),
          [&](size_t f) { return results_[m].auroc[f]; }, false));
      charts.back().series.push_back({"equal", {0.5, 1}, {0.5, 1}, false, true});
    }
    for (auto& of_track : charts_of_counts(sample_, methods_.front(), spills_.front()))
      charts.push_back(std::move(of_track));
    evaluation_.report["metrics.svg"] = plot::svg(charts);
  }

  const rows::TaskRows& data_;
  const std::vector<Method>& methods_;
  const EvaluationOptions& options_;
  ResampledRows sample_;
  const std::vector<int64_t>& rows_;
  const Resamples& resamples_;
  const std::string split_;
  std::vector<size_t> labels_;  // the features that are no counts
  std::vector<metrics::ScoreSpill> spills_;
  std::vector<int64_t> positives_;
  std::vector<Results> results_;
  Evaluation evaluation_;
  nlohmann::ordered_json multiqc_ = multiqc_section(data_, "metrics", "metrics of the held-out rows", "table");
};
}  // namespace

Evaluation evaluate_chromatin(const rows::TaskRows& data, const std::vector<Method>& methods,
                              const EvaluationOptions& options) {
  return ChromatinEvaluation(data, methods, options).run();
}

}  // namespace bigdna::evaluation
