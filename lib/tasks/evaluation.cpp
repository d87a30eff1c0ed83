#include "tasks/evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "io/output.h"
#include "metrics/bootstrap.h"
#include "metrics/classification.h"
#include "tasks/promoter_evaluation.h"

namespace bigdna::tasks {

namespace {
nlohmann::ordered_json json_number(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

/// Probabilities of one method, row-major [rows, labels].
using Method = PromoterMethod;

std::vector<float> column_of(const Method& method, size_t feature, size_t labels) {
  std::vector<float> values;
  for (size_t i = feature; i < method.probabilities.size(); i += labels)
    values.push_back(method.probabilities[i]);
  return values;
}

void evaluate_chromatin(const TaskRows& data, const std::vector<int64_t>& rows,
                        const std::vector<Method>& methods, const EvaluationOptions& options,
                        Evaluation& result) {
  const auto labels = static_cast<size_t>(data.labels());
  struct Scores {
    std::vector<double> auroc, auprc;
  };
  std::vector<Scores> scores(methods.size(), {std::vector<double>(labels), std::vector<double>(labels)});
  std::vector<int64_t> positives(labels);
  parallel_for(static_cast<int64_t>(labels), options.threads, [&](int64_t number) {
    const auto feature = static_cast<size_t>(number);
    const auto truth = data.labels_of(rows, number);
    positives[feature] = std::count(truth.begin(), truth.end(), 1);
    const bool both = positives[feature] > 0 && positives[feature] < static_cast<int64_t>(rows.size());
    for (size_t m = 0; m < methods.size(); ++m) {
      const auto column = column_of(methods[m], feature, labels);
      const bool known = both && !std::isnan(column.front());
      const metrics::Ranking ranking(known ? column : std::vector<float>{},
                                     known ? truth : std::vector<uint8_t>{});
      scores[m].auroc[feature] = ranking.auroc();
      scores[m].auprc[feature] = ranking.auprc();
    }
  });

  result.feature_table = "#index\tname\tcell\tassay\tgroup\trows\tpositives";
  for (const auto& method : methods)
    result.feature_table += concat('\t', method.name, "_auroc\t", method.name, "_auprc");
  result.feature_table += "\n";
  std::string one_class;
  auto features = nlohmann::ordered_json::array();
  for (size_t f = 0; f < labels; ++f) {
    const auto& feature = data.features[f];
    result.feature_table += concat(f, '\t', feature.name, '\t', feature.cell, '\t', feature.assay, '\t',
                                   feature.group, '\t', rows.size(), '\t', positives[f]);
    nlohmann::ordered_json json{
        {"index", f}, {"name", feature.name}, {"group", feature.group}, {"positives", positives[f]}};
    for (size_t m = 0; m < methods.size(); ++m) {
      result.feature_table +=
          concat('\t', number_text(scores[m].auroc[f]), '\t', number_text(scores[m].auprc[f]));
      json[methods[m].name] = {{"auroc", json_number(scores[m].auroc[f])},
                               {"auprc", json_number(scores[m].auprc[f])}};
    }
    result.feature_table += "\n";
    features.push_back(json);
    if (positives[f] == 0 || positives[f] == static_cast<int64_t>(rows.size()))
      one_class += concat(one_class.empty() ? "" : ", ", f, " ", feature.name);
  }
  if (!one_class.empty())
    log::warn("features with one class only in the ", dataset::split_name(options.split),
              " split, without a score: ", one_class);

  result.table =
      "#group\tmethod\tsplit\tfeatures\tscored\tauroc_median\tauroc_mean\tauprc_median\tauprc_mean\n";
  auto groups = dataset::groups_of(data.features);
  if (groups.size() > 1) groups.emplace_back("all");
  for (const auto& group : groups)
    for (size_t m = 0; m < methods.size(); ++m) {
      std::vector<double> auroc, auprc;
      int64_t scored = 0;
      for (size_t f = 0; f < labels; ++f)
        if (group == "all" || data.features[f].group == group) {
          auroc.push_back(scores[m].auroc[f]);
          auprc.push_back(scores[m].auprc[f]);
          scored += !std::isnan(auroc.back());
        }
      const double values[] = {metrics::median(auroc), metrics::mean(auroc), metrics::median(auprc),
                               metrics::mean(auprc)};
      result.table += concat(group, '\t', methods[m].name, '\t', dataset::split_name(options.split), '\t',
                             auroc.size(), '\t', scored);
      for (const double value : values) result.table += concat('\t', number_text(value));
      result.table += "\n";
      result.json["groups"][group][methods[m].name] = {{"features", auroc.size()},
                                                       {"scored", scored},
                                                       {"auroc_median", json_number(values[0])},
                                                       {"auroc_mean", json_number(values[1])},
                                                       {"auprc_median", json_number(values[2])},
                                                       {"auprc_mean", json_number(values[3])}};
    }
  result.json["features"] = features;
}

void write_scores(const TaskRows& data, const std::vector<int64_t>& rows, const std::vector<Method>& methods,
                  const std::string& path) {
  io::Output out(path);
  out << "#chrom\tstart\tend\tname\tscore\tstrand";
  for (const auto& feature : data.features) out << "\tlabel:" << feature.name;
  for (const auto& method : methods)
    for (const auto& feature : data.features) out << "\t" << method.name << ":" << feature.name;
  out << "\n";
  const auto labels = static_cast<size_t>(data.labels());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& region = data.regions[static_cast<size_t>(rows[i])];
    out << concat(region.contig, '\t', region.start, '\t', region.end, "\trow", rows[i] + 1, "\t.\t",
                  region.strand);
    for (size_t f = 0; f < labels; ++f) out << (data.label(rows[i], static_cast<int64_t>(f)) ? "\t1" : "\t0");
    for (const auto& method : methods)
      for (size_t f = 0; f < labels; ++f) {
        char text[32];
        std::snprintf(text, sizeof text, "\t%.9g",
                      method.probabilities[i * labels + f]);  // nine digits give the float back
        out << text;
      }
    out << "\n";
  }
  out.commit();
}
}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NA";
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

void write_report(const Evaluation& evaluation, const std::string& folder) {
  std::filesystem::create_directories(folder);
  io::write_file(folder + "/metrics.tsv", evaluation.table);
  io::write_file(folder + "/metrics.json", evaluation.json.dump(2) + "\n");
  for (const auto& [name, content] : evaluation.report) io::write_file(folder + "/" + name, content);
}

double choose_threshold(const std::vector<float>& probabilities, const std::vector<uint8_t>& labels) {
  if (std::find(labels.begin(), labels.end(), 1) == labels.end()) return 0.5;
  return metrics::Ranking(probabilities, labels).best_f1_threshold();
}

Evaluation evaluate(const Classifier& classifier, const model::Parameters& parameters, const TaskRows& data,
                    const EvaluationOptions& options) {
  const auto rows = data.of(options.split);
  if (rows.empty()) fail(data.folder, ": the ", dataset::split_name(options.split), " split is empty");
  std::vector<Method> methods{{"bigdna", {}, options.threshold}};
  constexpr size_t kChunk = 2048;  // rows whose bases are in memory at a time
  log::Progress progress(concat("evaluate ", dataset::split_name(options.split)), rows.size(), "rows");
  for (size_t begin = 0; begin < rows.size(); begin += kChunk) {
    const std::vector<int64_t> chunk(
        rows.begin() + static_cast<int64_t>(begin),
        rows.begin() + static_cast<int64_t>(std::min(rows.size(), begin + kChunk)));
    const auto values = classifier.score(parameters, data.bases_of(chunk), options.strands);
    methods[0].probabilities.insert(methods[0].probabilities.end(), values.begin(), values.end());
    progress.update(begin + chunk.size());
  }
  for (float& p : methods[0].probabilities) p = correct_for_weight(p, options.positive_weight);
  if (options.baseline) {
    auto wanted = data.of(dataset::Split::validation);
    const auto validation = static_cast<int64_t>(wanted.size());
    const auto truth = data.labels_of(wanted, 0);
    wanted.insert(wanted.end(), rows.begin(), rows.end());
    auto values = kmer_baseline(data, wanted, options.threads);
    const auto border = values.begin() + validation * data.labels();
    const double threshold = data.labels() == 1 ? choose_threshold({values.begin(), border}, truth) : 0.5;
    methods.push_back({"kmers", {border, values.end()}, threshold});
  }
  Evaluation result;
  result.json["task"] = data.task;
  result.json["split"] = dataset::split_name(options.split);
  result.json["dataset"] = data.folder;
  result.json["strands"] = options.strands == Strands::average ? "average" : "forward";
  if (data.task == "promoter")
    evaluate_promoter(data, rows, methods, options, result);
  else
    evaluate_chromatin(data, rows, methods, options, result);

  if (!options.scores.empty()) write_scores(data, rows, methods, options.scores);
  return result;
}

}  // namespace bigdna::tasks
