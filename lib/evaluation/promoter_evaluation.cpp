#include "evaluation/promoter_evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/log.h"
#include "evaluation/evaluation_text.h"
#include "metrics/bootstrap.h"
#include "metrics/calibration.h"
#include "metrics/classification.h"

namespace bigdna::evaluation {

namespace {
/// Some of the rows, and the scores of one method for them.
struct RowGroup {
  std::string prefix;  // of its metrics' names
  std::vector<size_t> places;
  template <class T>
  std::vector<T> of(const std::vector<T>& values) const {
    std::vector<T> chosen;
    for (const size_t i : places) chosen.push_back(values[i]);
    return chosen;
  }
};

/// "0.123", for messages.
std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

std::vector<RowGroup> parts_of(const rows::TaskRows& data, const std::vector<int64_t>& rows) {
  std::vector<RowGroup> parts{{"", {}}};
  for (size_t i = 0; i < rows.size(); ++i) parts[0].places.push_back(i);
  if (data.cpg.empty()) return parts;
  for (const bool cpg : {true, false}) {
    RowGroup part{cpg ? "cpg_" : "non_cpg_", {}};
    for (size_t i = 0; i < rows.size(); ++i)
      if ((data.cpg[static_cast<size_t>(rows[i])] != 0) == cpg) part.places.push_back(i);
    if (!part.places.empty() && part.places.size() < rows.size()) parts.push_back(std::move(part));
  }
  return parts;
}

/// Tables and JSON of one method.
void add_metrics(const MethodScores& method, const RowGroup& part, const std::vector<uint8_t>& labels,
                 const std::vector<int64_t>& blocks, const EvaluationOptions& options, Evaluation& result) {
  const auto metrics = metrics::binary_metrics(part.of(method.values), part.of(labels), part.of(blocks),
                                               method.threshold, options.resamples, options.seed, options.threads);
  auto& json = result.json["methods"][method.name];
  const auto name = [&](const char* text) { return part.prefix + text; };
  const auto line = [&](const char* text, const std::string& value, const std::string& interval) {
    result.table += concat(method.name, '\t', dataset::split_name(options.split), '\t', name(text), '\t', value, '\t',
                           interval, '\n');
  };
  const auto plain = [&](const char* text, const auto& value) {
    line(text, concat(value), "NA\tNA");
    json[name(text)] = value;
  };
  plain("rows", metrics.rows);
  plain("positives", metrics.positives);
  line("threshold", number_text(metrics.threshold), "NA\tNA");
  json[name("threshold")] = metrics.threshold;
  plain("true_positives", metrics.counts.true_positives);
  plain("false_positives", metrics.counts.false_positives);
  plain("true_negatives", metrics.counts.true_negatives);
  plain("false_negatives", metrics.counts.false_negatives);
  const std::pair<const char*, const metrics::Estimate*> named[] = {{"f1", &metrics.f1},
                                                                    {"precision", &metrics.precision},
                                                                    {"recall", &metrics.recall},
                                                                    {"mcc", &metrics.mcc},
                                                                    {"accuracy", &metrics.accuracy},
                                                                    {"auroc", &metrics.auroc},
                                                                    {"auprc", &metrics.auprc},
                                                                    {"calibration_error", &metrics.calibration_error},
                                                                    {"brier", &metrics.brier}};
  for (const auto& [text, estimate] : named) {
    line(text, number_text(estimate->value), number_text(estimate->low) + "\t" + number_text(estimate->high));
    json[name(text)] = json_estimate(*estimate);
  }
}

/// How much better the first method is than another, on the same rows in every resample.
void add_differences(const std::vector<MethodScores>& methods, const std::vector<uint8_t>& labels,
                     const std::vector<int64_t>& blocks, const EvaluationOptions& options, Evaluation& result) {
  const metrics::Ranking first(methods[0].values, labels);
  for (size_t m = 1; m < methods.size(); ++m) {
    const metrics::Ranking other(methods[m].values, labels);
    const auto difference = [&](const char* text, double (metrics::Ranking::*value)(std::span<const int64_t>) const) {
      const auto estimate =
          metrics::bootstrap(blocks, options.resamples, options.seed, options.threads,
                             [&](auto weights) { return (first.*value)(weights) - (other.*value)(weights); });
      const auto name = concat(methods[0].name, "-", methods[m].name);
      result.table +=
          concat(name, '\t', dataset::split_name(options.split), '\t', text, '\t', number_text(estimate.value), '\t',
                 number_text(estimate.low), '\t', number_text(estimate.high), '\n');
      result.json["differences"][name][text] = json_estimate(estimate);
    };
    difference("auroc", &metrics::Ranking::auroc);
    difference("auprc", &metrics::Ranking::auprc);
  }
}

/// Says how far the method's probabilities are off, with a warning where chance does not explain it: where the interval
/// of its calibration error lies above that of probabilities that are right.
void report_calibration(const MethodScores& method, const std::vector<uint8_t>& labels, const Evaluation& result,
                        const EvaluationOptions& options) {
  const auto& json = result.json.at("methods").at(method.name).at("calibration_error");
  if (!json["low"].is_number()) return;  // one block of the genome has no interval
  const double low = json["low"];
  const auto chance =
      metrics::chance_calibration_error(method.values, options.resamples, options.seed, options.threads);
  const std::string text = concat("calibration error ", short_text(json["value"]), " (95 % interval ", short_text(low),
                                  " to ", short_text(json["high"]), "; correct probabilities would show ",
                                  short_text(chance.low), " to ", short_text(chance.high), ")");
  if (!(low > chance.high)) return log::info(method.name, ": ", text);
  const auto bins = metrics::calibration(method.values, labels);
  const auto off = [](const metrics::CalibrationBin& bin) {
    return std::abs(static_cast<double>(bin.positives) - bin.probabilities);
  };
  const auto worst =
      std::max_element(bins.begin(), bins.end(), [&](const auto& a, const auto& b) { return off(a) < off(b); });
  log::warn(method.name, ": ", text, ": its probabilities do not fit these examples: among ", worst->rows,
            " examples with about ", short_text(worst->mean_probability()), ", ",
            short_text(worst->share_of_positives()), " are promoters");
}
}  // namespace

void evaluate_promoter(const rows::TaskRows& data, const std::vector<int64_t>& rows,
                       const std::vector<MethodScores>& methods, const EvaluationOptions& options, Evaluation& result) {
  const auto labels = data.labels_of(rows, 0);
  const auto blocks = data.blocks_of(rows);
  data.warn_of_few(blocks);
  result.table = "#method\tsplit\tmetric\tvalue\tlow\thigh\n";
  const auto parts = parts_of(data, rows);
  auto table = multiqc_section(data, "metrics", "metrics of the held-out rows", "table");
  for (const auto& method : methods) {
    auto& sample = table["data"][multiqc_sample(options, method.name)];
    for (const auto& part : parts) add_metrics(method, part, labels, blocks, options, result);
    for (const auto& [name, value] : result.json["methods"][method.name].items())
      if (value.is_number())
        sample[name] = value;
      else if (value.contains("value") && value["value"].is_number())
        sample[name] = value["value"];
  }
  add_differences(methods, labels, blocks, options, result);
  report_calibration(methods.front(), labels, result, options);
  add_multiqc(result, data, table);
  add_curves(data, labels, methods, options, result);
}

}  // namespace bigdna::evaluation
