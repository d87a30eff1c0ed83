#include "evaluation/validation_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/classification.h"
#include "metrics/counts.h"
#include "metrics/regression.h"

namespace bigdna::evaluation {
namespace {

std::vector<float> column(const std::vector<double>& scores, size_t feature, int64_t labels) {
  std::vector<float> column;
  for (size_t i = feature; i < scores.size(); i += static_cast<size_t>(labels))
    column.push_back(static_cast<float>(scores[i]));
  return column;
}

}  // namespace

ValidationMetrics::ValidationMetrics(const rows::TaskRows& data, std::vector<int64_t> rows)
    : data_(data), rows_(std::move(rows)) {
  for (int64_t f = 0; f < data.labels() && !numbers(); ++f)
    if (data.type_of(static_cast<size_t>(f)) != dataset::LabelType::counts) {
      known_.push_back(data.known_of(rows_, f));
      std::vector<int64_t> rows;
      for (const int64_t place : known_.back()) rows.push_back(rows_[static_cast<size_t>(place)]);
      truth_.push_back(data.labels_of(rows, f));
    }
}

std::map<std::string, double> ValidationMetrics::of(const std::vector<double>& scores) const {
  if (numbers()) return of_numbers(scores);
  auto values = of_counts(scores);
  if (!truth_.empty()) values.merge(of_labels(scores));
  return values;
}

const char* ValidationMetrics::of_type(dataset::LabelType type) {
  return dataset::are_numbers(type) ? "pearson" : "auroc";
}

std::string ValidationMetrics::best_of(dataset::LabelType type) { return std::string("validation_") + of_type(type); }

std::map<std::string, double> ValidationMetrics::of_labels(const std::vector<double>& scores) const {
  std::vector<double> aurocs, auprcs;
  std::map<std::string, std::vector<double>> of_groups;
  for (size_t f = 0; f < truth_.size(); ++f) {
    const auto all = column(scores, f, data_.labels());
    std::vector<float> of_known;
    for (const int64_t place : known_[f]) of_known.push_back(all[static_cast<size_t>(place)]);
    const metrics::Ranking ranking(of_known, truth_[f]);
    aurocs.push_back(ranking.auroc());
    of_groups[data_.features[f].group].push_back(aurocs.back());
    auprcs.push_back(ranking.auprc());
  }
  std::map<std::string, double> values{{"validation_auroc", metrics::median(aurocs)},
                                       {"validation_auprc", metrics::median(auprcs)}};
  if (of_groups.size() > 1)
    for (const auto& [group, list] : of_groups) values["validation_auroc_" + group] = metrics::median(list);
  return values;
}

std::map<std::string, double> ValidationMetrics::of_counts(const std::vector<double>& scores) const {
  std::vector<double> pearsons, deviances;
  for (int64_t f = 0; f < data_.labels(); ++f) {
    if (data_.type_of(static_cast<size_t>(f)) != dataset::LabelType::counts) continue;
    const auto logarithms = column(scores, static_cast<size_t>(f), data_.labels());
    std::vector<float> observed, expected;
    for (const int64_t place : data_.known_of(rows_, f)) {
      const auto i = static_cast<size_t>(place);
      observed.push_back(data_.label(rows_[i], f));
      expected.push_back(std::min(std::exp(logarithms[i]), std::numeric_limits<float>::max()));
    }
    const metrics::CountPairs pairs(observed, expected);
    pearsons.push_back(pairs.pearson_log1p());
    deviances.push_back(pairs.deviance_explained());
  }
  if (pearsons.empty()) return {};
  return {{"validation_pearson", metrics::mean(pearsons)}, {"validation_deviance_explained", metrics::mean(deviances)}};
}

std::map<std::string, double> ValidationMetrics::of_numbers(const std::vector<double>& scores) const {
  std::vector<double> pearsons, spearmans;
  for (int64_t f = 0; f < data_.labels(); ++f) {
    const auto scored = column(scores, static_cast<size_t>(f), data_.labels());
    std::vector<float> measured, predicted;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (const float value = data_.target(rows_[i], f); !std::isnan(value)) {
        measured.push_back(value);
        predicted.push_back(scored[i]);
      }
    const metrics::RegressionPairs pairs(measured, predicted);
    pearsons.push_back(pairs.pearson());
    spearmans.push_back(pairs.spearman());
  }
  return {{"validation_pearson", metrics::mean(pearsons)}, {"validation_spearman", metrics::mean(spearmans)}};
}

}  // namespace bigdna::evaluation
