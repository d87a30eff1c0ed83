#include "tasks/evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/log.h"
#include "metrics/bootstrap.h"
#include "metrics/classification.h"
#include "tasks/chromatin_evaluation.h"

namespace bigdna::tasks {

namespace {
/// Probabilities of one method, row-major [rows, labels].
struct Method {
  std::string name;
  std::vector<float> probabilities;
  double threshold = 0.5;
};

void evaluate_promoter(const TaskRows& data, const std::vector<int64_t>& rows,
                       const std::vector<Method>& methods, const EvaluationOptions& options,
                       Evaluation& result) {
  const auto labels = data.labels_of(rows, 0);
  const auto blocks = data.blocks_of(rows);
  const auto split = std::string(dataset::split_name(options.split));
  result.table = "#method\tsplit\tmetric\tvalue\tlow\thigh\n";
  for (const auto& method : methods) {
    const auto metrics = metrics::binary_metrics(method.probabilities, labels, blocks, method.threshold,
                                                 options.resamples, options.seed, options.threads);
    auto& json = result.json["methods"][method.name];
    auto plain = [&](const char* name, const std::string& value) {
      result.table += concat(method.name, '\t', split, '\t', name, '\t', value, "\t.\t.\n");
    };
    plain("rows", std::to_string(metrics.rows));
    plain("positives", std::to_string(metrics.positives));
    plain("threshold", number_text(metrics.threshold));
    json["rows"] = metrics.rows;
    json["positives"] = metrics.positives;
    json["threshold"] = metrics.threshold;
    const auto& counts = metrics.counts;
    json["confusion"] = {{"true_positives", counts.true_positives},
                         {"false_positives", counts.false_positives},
                         {"true_negatives", counts.true_negatives},
                         {"false_negatives", counts.false_negatives}};
    const std::pair<const char*, const metrics::Estimate*> named[] = {
        {"f1", &metrics.f1},      {"precision", &metrics.precision}, {"recall", &metrics.recall},
        {"mcc", &metrics.mcc},    {"accuracy", &metrics.accuracy},   {"auroc", &metrics.auroc},
        {"auprc", &metrics.auprc}};
    for (const auto& [name, estimate] : named) {
      result.table += concat(method.name, '\t', split, '\t', name, '\t', number_text(estimate->value), '\t',
                             number_text(estimate->low), '\t', number_text(estimate->high), '\n');
      json[name] = {{"value", json_number(estimate->value)},
                    {"low", json_number(estimate->low)},
                    {"high", json_number(estimate->high)}};
    }
  }
}

}  // namespace

nlohmann::ordered_json json_number(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

nlohmann::ordered_json json_estimate(const metrics::Estimate& estimate) {
  return {{"value", json_number(estimate.value)},
          {"low", json_number(estimate.low)},
          {"high", json_number(estimate.high)}};
}

nlohmann::ordered_json evaluation_json(const TaskRows& data, const EvaluationOptions& options) {
  return {{"task", data.task},
          {"split", dataset::split_name(options.split)},
          {"dataset", data.folder},
          {"strands", options.strands == Strands::average ? "average" : "forward"}};
}

ScoreTable::ScoreTable(const std::string& path, const TaskRows& data, const std::vector<std::string>& methods)
    : data_(data), out_(path) {
  out_ << "#chrom\tstart\tend\tname\tscore\tstrand";
  for (const auto& feature : data.features) out_ << "\tlabel:" << feature.name;
  for (const auto& method : methods)
    for (const auto& feature : data.features) out_ << "\t" << method << ":" << feature.name;
  out_ << "\n";
}

void ScoreTable::write(std::span<const int64_t> rows, const std::vector<std::vector<float>>& scores) {
  const auto labels = static_cast<size_t>(data_.labels());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& region = data_.regions[static_cast<size_t>(rows[i])];
    out_ << concat(region.contig, '\t', region.start, '\t', region.end, "\trow", rows[i] + 1, "\t.\t",
                   region.strand);
    for (size_t f = 0; f < labels; ++f)
      out_ << (data_.label(rows[i], static_cast<int64_t>(f)) ? "\t1" : "\t0");
    for (const auto& method : scores)
      for (size_t f = 0; f < labels; ++f) {
        char text[32];
        std::snprintf(text, sizeof text, "\t%.9g",
                      method[i * labels + f]);  // nine digits give the float back
        out_ << text;
      }
    out_ << "\n";
  }
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NA";
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

double choose_threshold(const std::vector<float>& probabilities, const std::vector<uint8_t>& labels) {
  if (std::find(labels.begin(), labels.end(), 1) == labels.end()) return 0.5;
  return metrics::Ranking(probabilities, labels).best_f1_threshold();
}

namespace {
std::vector<float> corrected_scores(const Classifier& classifier, const model::Parameters& parameters,
                                    const TaskRows& data, const std::vector<int64_t>& rows,
                                    const EvaluationOptions& options) {
  auto scores = classifier.score(parameters, data.bases_of(rows), options.strands);
  correct_for_weights(scores, options.positive_weights);
  return scores;
}

Evaluation of_chromatin(const Classifier& classifier, const model::Parameters& parameters,
                        const TaskRows& data, const EvaluationOptions& options) {
  std::vector<ChromatinMethod> methods{{"bigdna", [&](const std::vector<int64_t>& rows) {
                                          return corrected_scores(classifier, parameters, data, rows,
                                                                  options);
                                        }}};
  if (options.baseline) methods.push_back(kmer_method(data, options.threads));
  return evaluate_chromatin(data, methods, options);
}

Evaluation of_promoter(const Classifier& classifier, const model::Parameters& parameters,
                       const TaskRows& data, const EvaluationOptions& options) {
  const auto rows = data.of(options.split);
  if (rows.empty()) fail(data.folder, ": the ", dataset::split_name(options.split), " split is empty");
  std::vector<Method> methods{{"bigdna", {}, options.threshold}};
  constexpr size_t kChunk = 2048;  // rows whose bases are in memory at a time
  log::Progress progress(concat("evaluate ", dataset::split_name(options.split)), rows.size(), "rows");
  for (size_t begin = 0; begin < rows.size(); begin += kChunk) {
    const std::vector<int64_t> chunk(
        rows.begin() + static_cast<int64_t>(begin),
        rows.begin() + static_cast<int64_t>(std::min(rows.size(), begin + kChunk)));
    const auto values = corrected_scores(classifier, parameters, data, chunk, options);
    methods[0].probabilities.insert(methods[0].probabilities.end(), values.begin(), values.end());
    progress.update(begin + chunk.size());
  }
  if (options.baseline) {
    auto wanted = data.of(dataset::Split::validation);
    const auto validation = static_cast<int64_t>(wanted.size());
    const auto truth = data.labels_of(wanted, 0);
    wanted.insert(wanted.end(), rows.begin(), rows.end());
    auto values = kmer_baseline(data, wanted, options.threads);
    const auto border = values.begin() + validation;
    methods.push_back({"kmers", {border, values.end()}, choose_threshold({values.begin(), border}, truth)});
  }
  Evaluation result{{}, {}, {}, evaluation_json(data, options)};
  evaluate_promoter(data, rows, methods, options, result);
  if (!options.scores.empty()) {
    std::vector<std::string> names;
    std::vector<std::vector<float>> scores;
    for (const auto& method : methods) {
      names.push_back(method.name);
      scores.push_back(method.probabilities);
    }
    ScoreTable table(options.scores, data, names);
    table.write(rows, scores);
    table.commit();
  }
  return result;
}
}  // namespace

Evaluation evaluate(const Classifier& classifier, const model::Parameters& parameters, const TaskRows& data,
                    const EvaluationOptions& options) {
  return data.task == "promoter" ? of_promoter(classifier, parameters, data, options)
                                 : of_chromatin(classifier, parameters, data, options);
}

}  // namespace bigdna::tasks
