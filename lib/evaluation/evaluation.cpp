#include "evaluation/evaluation.h"

#include <memory>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "io/manifest.h"
#include "metrics/bootstrap.h"
#include "metrics/classification.h"
#include "model_folder/model_folder.h"
#include "evaluation/chromatin_evaluation.h"
#include "evaluation/promoter_evaluation.h"
#include "rows/row_sequences.h"
#include "evaluation/table_evaluation.h"
#include "evaluation/table_header.h"
#include "evaluation/verdict.h"

namespace bigdna::evaluation {

nlohmann::ordered_json evaluation_json(const rows::TaskRows& data, const EvaluationOptions& options) {
  return {{"task", data.task->name},
          {"split", dataset::split_name(options.split)},
          {"dataset", data.folder},
          {"strands", session::strands_name(options.strands)}};
}

namespace {
/// The task; of one whose labels may be of any type also their type, as each has metrics of its own: MultiQC keeps one
/// set of columns for what has one id.
std::string kind_of_rows(const rows::TaskRows& data, const char* separator) {
  std::string kind(data.task->name);
  if (data.task->site == dataset::Task::Site::whole) kind += concat(separator, dataset::label_type_name(data.type));
  return kind;
}

/// The name, changed so that MultiQC leaves it as it is: it cuts a name at each of some 150 endings, wherever they
/// stand ("K562.dedup", "a_counts"), at these words, and at a slash, and takes marks off its beginning.
std::string spared_by_multiqc(const std::string& name) {
  std::string spared = std::isalnum(static_cast<unsigned char>(name.front())) ? "" : "model ";
  for (const char c : name) {
    spared += c == '/' ? '|' : c;
    if (c == '.' || c == '_') spared += ' ';
  }
  for (const std::string_view word : {"ReadsPerGene", "Aligned", "ccs", "| stdin"})
    for (size_t at = spared.find(word); at != spared.npos; at = spared.find(word)) spared.insert(at + 1, " ");
  return spared;
}
}  // namespace

nlohmann::ordered_json multiqc_section(const rows::TaskRows& data, const std::string& id, const std::string& title,
                                       const char* type) {
  const std::string rows = kind_of_rows(data, ", "), name = "bigdna_" + kind_of_rows(data, "_") + "_" + id;
  auto section = rows;
  section[0] = static_cast<char>(std::toupper(section[0]));
  return {{"id", name},
          {"section_name", section + ": " + title},
          {"parent_id", "bigdna"},
          {"parent_name", "bigdna"},
          {"plot_type", type},
          {"pconfig", {{"id", name + "_plot"}, {"title", "bigdna: " + rows + ", " + title}}},
          {"data", nlohmann::ordered_json::object()}};
}

std::string multiqc_sample(const EvaluationOptions& options, const std::string& method) {
  return spared_by_multiqc(concat(method, " (", options.run, ")"));
}

void add_multiqc(Evaluation& result, const rows::TaskRows& data, nlohmann::ordered_json metrics) {
  const std::string task(data.task->name);
  result.report["bigdna_mqc_versions.yml"] = concat("bigdna: \"", io::program_version(), "\"\n");
  auto columns = nlohmann::ordered_json::object();
  for (const auto& [sample, values] : metrics.at("data").items())
    for (const auto& [name, value] : values.items())
      columns[name] = {{"title", name}, {"format", value.is_number_integer() ? "{:,.0f}" : "{:.3f}"}};
  metrics["headers"] = std::move(columns);
  result.report[task + "_metrics_mqc.json"] = metrics.dump(2) + "\n";
  const auto first = metrics.at("data").begin();
  if (first == metrics.at("data").end()) return;
  // All are declared, also what this model has no value for: MultiQC takes the columns from one of several files.
  constexpr std::string_view kHeadlines[] = {"auroc", "auprc",        "mcc",          "pearson",
                                             "r2",    "auroc_median", "auprc_median", "pearson_log1p"};
  auto general = multiqc_section(data, "general", "headline figures", "generalstats");
  const auto key_of = [&](std::string_view metric) { return concat("bigdna_", kind_of_rows(data, "_"), "_", metric); };
  general["pconfig"] = nlohmann::ordered_json::array();
  for (const auto metric : kHeadlines)
    general["pconfig"].push_back(
        {{key_of(metric),
          {{"title", concat(task, " ", metric)},
           {"description", concat("bigdna, ", kind_of_rows(data, ", "), ": ", metric, " of the held-out rows")},
           {"format", "{:.3f}"}}}});
  for (const auto& [name, value] : first.value().items()) {
    // of "TF auroc_median"; the last group is all features
    const std::string metric = name.substr(name.rfind(' ') + 1);
    if (std::ranges::find(kHeadlines, metric) != std::end(kHeadlines))
      general["data"][first.key()][key_of(metric)] = value;
  }
  result.report[task + "_general_mqc.json"] = general.dump(2) + "\n";
}

std::string with_header(std::string text, io::TableHeader header) {
  if (header == io::TableHeader::hash) return text;
  std::string kept;
  for (size_t first = 0; first < text.size();) {
    const size_t end = std::min(text.find('\n', first), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(first, end - first);
    if (!line.starts_with('#')) {
      kept += line;
    } else if (header == io::TableHeader::plain && !line.starts_with("##")) {
      kept += line.substr(1);
    }
    first = end;
  }
  return kept;
}

ScoreTable::ScoreTable(const EvaluationOptions& options, const rows::TaskRows& data,
                       const std::vector<std::pair<std::string, double>>& methods)
    : data_(data), out_(*options.scores) {
  io::Provenance provenance = options.provenance;
  const auto names = dataset::column_names(data.features);
  std::string columns = "#chrom\tstart\tend\tname\tscore\tstrand";
  for (const auto& name : names) columns += "\tlabel:" + name;
  for (const auto& [method, threshold] : methods) {
    char exact[32];
    const std::string_view number(exact, std::to_chars(exact, exact + sizeof exact, threshold).ptr);
    for (size_t f = 0; f < names.size(); ++f) {
      const std::string column = method + ":" + names[f];
      if (data.is_called(f)) provenance.add("threshold", concat(column, ' ', number));
      columns += "\t" + column;
    }
  }
  out_ << with_header(provenance.comments() + columns + "\n", options.scores_header);
}

void ScoreTable::write(std::span<const int64_t> rows, const std::vector<std::vector<float>>& scores) {
  const auto labels = static_cast<size_t>(data_.labels());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& region = data_.regions[static_cast<size_t>(rows[i])];
    out_ << concat(region.contig, '\t', region.start, '\t', region.end, '\t', data_.name(rows[i]), "\t.\t",
                   region.strand);
    for (size_t f = 0; f < labels; ++f)
      if (dataset::are_numbers(data_.type_of(f))) {
        const float value = data_.label(rows[i], static_cast<int64_t>(f));
        char text[32];
        std::snprintf(text, sizeof text, "\t%.9g", value);
        out_ << (std::isnan(value) ? "\tNA" : text);
      } else {
        out_ << (data_.label(rows[i], static_cast<int64_t>(f)) > 0 ? "\t1" : "\t0");
      }
    for (const auto& method : scores)
      for (size_t f = 0; f < labels; ++f) {
        const float value = method[i * labels + f];
        char text[32];
        std::snprintf(text, sizeof text, "\t%.9g", value);  // nine digits give the float back
        out_ << (std::isnan(value) ? "\tNA" : text);
      }
    out_ << "\n";
  }
}

std::string sample_name(const std::string& folder) {
  const auto names_of = [](const std::filesystem::path& path) {
    std::vector<std::string> names;
    for (const auto& part : path.lexically_normal())
      if (part != path.root_path() && !part.empty() && part != "." && part != ".." && part.extension() != ".unpacked")
        names.push_back(part);  // NAME.tar.unpacked is only there until NAME.tar is written
    return names;
  };
  const auto names = names_of(std::filesystem::absolute(folder));
  const auto count = std::min(names.size(), std::max<size_t>(2, names_of(folder).size()));
  std::string text;
  for (size_t i = names.size() - count; i < names.size(); ++i) text += (text.empty() ? "" : ", ") + names[i];
  return text;
}

void make_report_folder(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::create_directories(folder, error); error) fail(folder, ": ", error.message());
  io::Output(folder + "/metrics.tsv");  // and leaves nothing behind
}

void write_report(const Evaluation& evaluation, const std::string& folder) {
  io::write_file(folder + "/metrics.tsv", evaluation.table);
  io::write_file(folder + "/metrics.json", evaluation.json.dump(2) + "\n");
  if (!evaluation.feature_table.empty()) io::write_file(folder + "/features.tsv", evaluation.feature_table);
  if (!evaluation.track_table.empty()) io::write_file(folder + "/tracks.tsv", evaluation.track_table);
  for (const auto& [name, content] : evaluation.report) io::write_file(folder + "/" + name, content);
}

std::string evaluate_run(const std::string& folder, const rows::TaskRows& data, const std::vector<Method>& methods,
                         EvaluationOptions options) {
  if (data.of(options.split).empty()) {
    log::warn(data.folder, ": the test split is empty, so there are no metrics");
    io::write_file(folder + "/metrics.tsv", "");
    return "";
  }
  options.run = sample_name(folder);
  io::Output scores(folder + "/scores.tsv.gz");
  options.scores = &scores;
  const auto scored = evaluate(data, methods, options);
  write_report(scored, folder);
  return scored.table;
}

Method remembering(Method method) {
  constexpr size_t kMost = (size_t{256} << 20) / sizeof(float);
  using Chunks = std::map<std::vector<int64_t>, std::vector<float>>;
  method.score = [score = method.score, chunks = std::make_shared<Chunks>(),
                  size = std::make_shared<size_t>(0)](const std::vector<int64_t>& rows) {
    if (const auto known = chunks->find(rows); known != chunks->end()) return known->second;
    auto values = score(rows);
    if (*size + values.size() <= kMost) {
      chunks->emplace(rows, values);
      *size += values.size();
    }
    return values;
  };
  return method;
}

double choose_threshold(const std::vector<float>& probabilities, const std::vector<uint8_t>& labels) {
  if (std::find(labels.begin(), labels.end(), 1) == labels.end()) return 0.5;
  return metrics::Ranking(probabilities, labels).best_f1_threshold();
}

namespace {
/// Promoters and tables: all scores in memory.
Evaluation of_rows(const rows::TaskRows& data, const std::vector<Method>& methods, const EvaluationOptions& options) {
  const auto rows = data.of(options.split);
  if (rows.empty()) fail(data.folder, ": the ", dataset::split_name(options.split), " split is empty");
  std::vector<MethodScores> scored;
  for (const auto& method : methods) scored.push_back({method.name, {}, method.threshold});
  constexpr size_t kChunk = 2048;  // rows whose bases are in memory at a time
  log::Progress progress(concat("evaluate ", dataset::split_name(options.split)), rows.size(), "rows");
  for (size_t begin = 0; begin < rows.size(); begin += kChunk) {
    const std::vector<int64_t> chunk(rows.begin() + static_cast<int64_t>(begin),
                                     rows.begin() + static_cast<int64_t>(std::min(rows.size(), begin + kChunk)));
    for (size_t m = 0; m < methods.size(); ++m) {
      const auto values = methods[m].score(chunk);
      scored[m].values.insert(scored[m].values.end(), values.begin(), values.end());
    }
    progress.update(begin + chunk.size());
  }
  Evaluation result;
  result.json = evaluation_json(data, options);
  if (!data.task->named_outputs) {
    evaluate_promoter(data, rows, scored, options, result);
  } else {
    evaluate_table(data, rows, scored, options, result);
  }
  if (options.scores) {
    std::vector<std::pair<std::string, double>> names;
    std::vector<std::vector<float>> scores;
    for (auto& method : scored) {
      names.emplace_back(method.name, method.threshold);
      scores.push_back(std::move(method.values));
    }
    ScoreTable table(options, data, names);
    table.write(rows, scores);
    table.commit();
  }
  return result;
}
}  // namespace

Evaluation evaluate(const rows::TaskRows& data, const std::vector<Method>& methods, const EvaluationOptions& options) {
  rows::warn_of_telling_lengths(data, options.split);
  auto result = data.task->site == dataset::Task::Site::bin ? evaluate_chromatin(data, methods, options)
                                                            : of_rows(data, methods, options);
  io::Provenance provenance = options.provenance;
  if (options.resamples > 0) provenance.add("resampled", data.resampled);
  provenance.add_to(result.json);
  const auto rows = std::ssize(data.of(options.split));
  const auto verdicts =
      verdicts_of(result.json, methods.front().name, dataset::column_names(data.features), options.seen, rows);
  if (options.seen) result.json["rows_seen_in_training"] = *options.seen;
  result.json["verdicts"] = to_json(verdicts);
  for (const auto& verdict : verdicts) provenance.add("verdict", verdict.text);
  const std::string comments = provenance.comments();
  result.table.insert(0, comments);
  for (auto* table : {&result.feature_table, &result.track_table})
    if (!table->empty()) table->insert(0, comments);
  for (auto& [name, content] : result.report)
    if (name.ends_with(".tsv")) content.insert(0, comments);
  return result;
}

}  // namespace bigdna::evaluation
