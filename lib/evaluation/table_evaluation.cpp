#include "evaluation/table_evaluation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "evaluation/evaluation_text.h"
#include "evaluation/resamples.h"
#include "metrics/counts.h"
#include "metrics/multiclass.h"
#include "metrics/regression.h"

namespace bigdna::evaluation {

namespace {
using dataset::LabelType;
using Weights = std::span<const int64_t>;

/// A number of a method that can be resampled.
struct Metric {
  std::string name;
  std::function<double(Weights)> value;
  bool has_unit = false;  // that of its output, so that several outputs have no mean
};

/// The measured and the predicted numbers of one output, where none is missing.
struct Pairs {
  std::vector<size_t> places;
  std::optional<metrics::RegressionPairs> pairs;
  double of(double (metrics::RegressionPairs::*metric)(Weights) const, Weights weights) const {
    if (weights.empty()) return ((*pairs).*metric)({});
    std::vector<int64_t> chosen;
    for (const size_t i : places) chosen.push_back(weights[i]);
    return ((*pairs).*metric)(chosen);
  }
};

/// The blocks that the bootstrap draws, in which all rows have one weight.
class Blocks {
 public:
  explicit Blocks(std::span<const int64_t> named) : of_rows(Resamples(named, /*resamples=*/0, /*seed=*/0).blocks) {
    for (size_t row = 0; row < of_rows.size(); ++row)
      if (of_rows[row] == std::ssize(first_)) first_.push_back(row);
  }
  int32_t count() const { return static_cast<int32_t>(first_.size()); }
  /// The weight of each block, given those of rows; none for none.
  std::vector<double> weights(Weights of) const {
    std::vector<double> weights;
    for (size_t block = 0; block < first_.size() && !of.empty(); ++block)
      weights.push_back(static_cast<double>(of[first_[block]]));
    return weights;
  }
  const std::vector<int32_t> of_rows;  // numbered in the order of their first rows

 private:
  std::vector<size_t> first_;  // row of each block
};

/// One method on the rows, sorted once for all resamples.
class Scored {
 public:
  /// `blocks` must outlive it.
  Scored(const rows::TaskRows& data, const std::vector<int64_t>& rows, const MethodScores& scores, const Blocks& blocks)
      : type_(data.type), labels_(data.labels()), values_(scores.values), blocks_(blocks) {
    const auto count = static_cast<size_t>(labels_);
    for (size_t f = 0; f < count; ++f) {
      std::vector<float> column;
      for (size_t i = f; i < values_.size(); i += count) column.push_back(values_[i]);
      if (type_ == LabelType::counts) {
        std::vector<float> observed;
        for (const int64_t row : rows) observed.push_back(data.label(row, static_cast<int64_t>(f)));
        counts_.emplace_back(observed, column, blocks.of_rows, blocks.count());
        continue;
      }
      if (type_ == LabelType::regression) {
        Pairs pairs;
        std::vector<float> measured, predicted;
        for (size_t i = 0; i < rows.size(); ++i)
          if (const float value = data.label(rows[i], static_cast<int64_t>(f)); !std::isnan(value)) {
            pairs.places.push_back(i);
            measured.push_back(value);
            predicted.push_back(column[i]);
          }
        pairs.pairs.emplace(measured, predicted);
        pairs_.push_back(std::move(pairs));
        continue;
      }
      truth_.push_back(data.labels_of(rows, static_cast<int64_t>(f)));
      rankings_.emplace_back(column, truth_.back());
      columns_.push_back(std::move(column));
    }
    if (type_ == LabelType::classes)
      for (size_t i = 0; i < rows.size(); ++i) {
        int32_t c = 0;
        while (!truth_[static_cast<size_t>(c)][i]) ++c;
        classes_.push_back(c);
      }
  }

  /// Of output f alone.
  std::vector<Metric> of_output(size_t f) const {
    if (type_ == LabelType::counts) {
      std::vector<Metric> metrics;
      for (const auto& metric : metrics::kCountMetrics)
        metrics.push_back({std::string(metric.name),
                           [this, f, of = metric.of](Weights w) { return (counts_[f].*of)(blocks_.weights(w)); }});
      return metrics;
    }
    if (type_ == LabelType::regression)
      return {{"pearson", [this, f](Weights w) { return pairs_[f].of(&metrics::RegressionPairs::pearson, w); }},
              {"spearman", [this, f](Weights w) { return pairs_[f].of(&metrics::RegressionPairs::spearman, w); }},
              {"r2", [this, f](Weights w) { return pairs_[f].of(&metrics::RegressionPairs::r2, w); }},
              {"rmse", [this, f](Weights w) { return pairs_[f].of(&metrics::RegressionPairs::rmse, w); }, true}};
    return {{"f1", [this, f](Weights w) { return confusion_of(f, w).f1(); }},
            {"auroc", [this, f](Weights w) { return rankings_[f].auroc(w); }},
            {"auprc", [this, f](Weights w) { return rankings_[f].auprc(w); }}};
  }

  /// Of all outputs.
  std::vector<Metric> all() const {
    std::vector<Metric> metrics;
    switch (type_) {
      case LabelType::binary:
        metrics = {{"accuracy", [this](Weights w) { return confusion_of(0, w).accuracy(); }},
                   {"f1", [this](Weights w) { return confusion_of(0, w).f1(); }},
                   {"f1_macro", [this](Weights w) { return macro_of(confusion_of(0, w)); }},
                   {"mcc", [this](Weights w) { return confusion_of(0, w).mcc(); }}};
        break;
      case LabelType::classes:
        metrics = {{"accuracy", [this](Weights w) { return counts(w).accuracy(); }},
                   {"f1_macro", [this](Weights w) { return counts(w).f1_macro(); }},
                   {"mcc", [this](Weights w) { return counts(w).mcc(); }}};
        break;
      case LabelType::multilabel:
        metrics = {{"f1_macro", [this](Weights w) { return metrics::f1_macro(confusions(w)); }},
                   {"f1_micro", [this](Weights w) { return metrics::f1_micro(confusions(w)); }}};
        break;
      case LabelType::regression:
      case LabelType::counts:
        break;
    }
    const auto outputs = of_output(0);
    for (size_t m = dataset::are_numbers(type_) ? 0 : 1; m < outputs.size(); ++m) {
      if (outputs[m].has_unit && labels_ > 1) continue;
      metrics.push_back({outputs[m].name, [this, m](Weights w) {
                           std::vector<double> values;
                           for (size_t f = 0; f < static_cast<size_t>(labels_); ++f)
                             if (labels_ == 1 || has_both_classes(f, w)) values.push_back(of_output(f)[m].value(w));
                           return metrics::mean(values);
                         }});
    }
    return metrics;
  }

 private:
  /// A label that all rows have, or none has, is left out of the means. Of numbers: true.
  bool has_both_classes(size_t f, Weights weights) const {
    if (dataset::are_numbers(type_)) return true;
    bool seen[2] = {false, false};
    for (size_t i = 0; i < truth_[f].size() && !(seen[0] && seen[1]); ++i)
      if (weights.empty() || weights[i]) seen[truth_[f][i] != 0] = true;
    return seen[0] && seen[1];
  }
  metrics::Confusion confusion_of(size_t f, Weights weights) const {
    if (type_ != LabelType::classes) return metrics::confusion(columns_[f], truth_[f], 0.5, weights);
    return counts(weights).of(static_cast<int64_t>(f));
  }
  std::vector<metrics::Confusion> confusions(Weights weights) const {
    std::vector<metrics::Confusion> all;
    for (size_t f = 0; f < columns_.size(); ++f) all.push_back(confusion_of(f, weights));
    return all;
  }
  static double macro_of(const metrics::Confusion& counts) {
    const std::vector<metrics::Confusion> both{
        counts, {counts.true_negatives, counts.false_negatives, counts.true_positives, counts.false_positives}};
    return metrics::f1_macro(both);
  }
  metrics::ClassCounts counts(Weights weights) const {
    return metrics::class_counts(classes_, values_, labels_, weights);
  }

  LabelType type_;
  int64_t labels_;
  const std::vector<float>& values_;
  std::vector<std::vector<float>> columns_;
  std::vector<std::vector<uint8_t>> truth_;
  std::vector<metrics::Ranking> rankings_;
  std::vector<int32_t> classes_;
  std::vector<Pairs> pairs_;
  const Blocks& blocks_;
  std::vector<metrics::CountPairs> counts_;  // of each output
};

void check(const rows::TaskRows& data, const MethodScores& scores) {
  if (std::any_of(scores.values.begin(), scores.values.end(), [](float value) { return !std::isfinite(value); }))
    fail(data.folder, ": the method ", scores.name, " gives a score that is not a number");
}
}  // namespace

void evaluate_table(const rows::TaskRows& data, const std::vector<int64_t>& rows,
                    const std::vector<MethodScores>& methods, const EvaluationOptions& options, Evaluation& result) {
  const auto blocks = data.blocks_of(rows);
  const Blocks numbered(blocks);
  data.warn_of_few(blocks);
  const auto split = dataset::split_name(options.split);
  result.table = "#method\tsplit\tmetric\tvalue\tlow\thigh\n";
  const auto line = [&](const std::string& method, const std::string& metric, const std::string& value,
                        const std::string& interval) {
    result.table += concat(method, '\t', split, '\t', metric, '\t', value, '\t', interval, '\n');
  };
  const auto estimate = [&](const std::function<double(Weights)>& statistic) {
    return metrics::bootstrap(blocks, options.resamples, options.seed, options.threads, statistic);
  };
  const auto add = [&](const std::string& method, const std::string& metric, const metrics::Estimate& value) {
    line(method, metric, number_text(value.value), number_text(value.low) + "\t" + number_text(value.high));
  };
  result.json["label_type"] = dataset::label_type_name(data.type);
  std::vector<std::unique_ptr<const Scored>> scored;
  auto multiqc = multiqc_section(data, "metrics", "metrics of the held-out rows", "table");
  for (const auto& method : methods) {
    check(data, method);
    scored.push_back(std::make_unique<const Scored>(data, rows, method, numbered));
    auto& json = result.json["methods"][method.name];
    line(method.name, "rows", std::to_string(rows.size()), "NA\tNA");
    json["rows"] = rows.size();
    if (data.type == LabelType::binary) {
      const auto labels = data.labels_of(rows, 0);
      json["positives"] = std::count(labels.begin(), labels.end(), 1);
      line(method.name, "positives", json["positives"].dump(), "NA\tNA");
    }
    for (const auto& metric : scored.back()->all()) {
      const auto value = estimate(metric.value);
      add(method.name, metric.name, value);
      json[metric.name] = json_estimate(value);
      if (std::isfinite(value.value)) multiqc["data"][multiqc_sample(options, method.name)][metric.name] = value.value;
    }
  }
  add_multiqc(result, data, multiqc);
  const auto first = scored.front()->all();
  for (size_t m = 1; m < methods.size(); ++m) {
    const auto other = scored[m]->all();
    const std::string name = methods[0].name + "-" + methods[m].name;
    for (size_t i = 0; i < first.size(); ++i) {
      const auto value = estimate([&](Weights weights) { return first[i].value(weights) - other[i].value(weights); });
      add(name, first[i].name, value);
      result.json["differences"][name][first[i].name] = json_estimate(value);
    }
  }
  if (data.type == LabelType::binary) add_curves(data, data.labels_of(rows, 0), methods, options, result);
  if (data.labels() < 2) return;
  result.feature_table = "#index\tname\tmethod\tsplit\tmetric\tvalue\n";
  for (size_t f = 0; f < static_cast<size_t>(data.labels()); ++f)
    for (size_t m = 0; m < methods.size(); ++m)
      for (const auto& metric : scored[m]->of_output(f))
        result.feature_table += concat(f, '\t', data.features[f].name, '\t', methods[m].name, '\t', split, '\t',
                                       metric.name, '\t', number_text(metric.value({})), '\n');
}

}  // namespace bigdna::evaluation
