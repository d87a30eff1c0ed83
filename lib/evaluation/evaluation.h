/// Evaluates models on a split of a dataset, in comparison with the k-mer baseline and each other: tables, JSON,
/// scores.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "rows/task_rows.h"
#include "io/output.h"
#include "io/provenance.h"
#include "io/row_writer.h"
#include "models/calibration.h"
#include "session/run_options.h"

namespace bigdna::evaluation {

struct EvaluationOptions {
  dataset::Split split = dataset::Split::test;
  session::Strands strands = session::Strands::forward;
  int resamples = 1000;  // of the bootstrap
  uint64_t seed = 1;
  int threads = 1;
  std::string run = "bigdna";  // what MultiQC's samples are called, before the method
  /// How many of the split's rows the first method's model has read in training, if that is known.
  std::optional<int64_t> seen = {};
  /// Gets a line for each row of the split and is committed: chrom, start, end, name (TaskRows::name), score (.),
  /// strand, the labels, each method's probabilities. nullptr for none.
  io::Output* scores = nullptr;
  io::TableHeader scores_header = io::TableHeader::hash;
  io::Provenance provenance = {};  // of tables and JSON
};

/// A method that is compared: a model, an ensemble, or a baseline.
struct Method {
  std::string name;
  /// Probabilities of rows of the dataset, row-major [rows, labels], corrected for the positive weight of training; NaN
  /// for a feature that it has none of.
  std::function<std::vector<float>(const std::vector<int64_t>& rows)> score;
  double threshold = 0.5;                            // promoters, start sites of bins: least probability of a call
  std::optional<models::Calibration> calibration{};  // of a baseline: what its logits pass through
};

/// The method, which computes the scores of each chunk of rows but once, as long as all of them take at most 256 MiB:
/// for two evaluations of the same rows.
Method remembering(Method method);

/// The tables begin with the provenance as ## lines, and both they and the JSON say what was resampled. The verdicts
/// (evaluation/verdict.h) are their ##verdict lines, and "verdicts" in the JSON.
struct Evaluation {
  /// promoter, table: "#method split metric value low high"; chromatin: one row per group and method or, of a dataset
  /// of tracks alone, track_table.
  std::string table;
  /// chromatin: one row per feature; table: one row per output, method and metric if there are several outputs; else
  /// "".
  std::string feature_table;
  /// chromatin: one row per track, bins, method and metric; "" without tracks.
  std::string track_table;
  nlohmann::ordered_json json;
  /// More files by name: those of add_multiqc(); chromatin: metrics.svg; one label of 0 and 1: those of
  /// evaluation/curves.h.
  std::map<std::string, std::string> report;
};
/// What MultiQC's samples of a folder are called: the names of its path as given, at least its parent's and its own,
/// joined by ", " ("A/ev": "A, ev"; of a path MultiQC would leave the last name alone).
std::string sample_name(const std::string& folder);
/// Makes the folder, so that an Error says before the evaluation that it cannot be written.
void make_report_folder(const std::string& folder);
/// Writes metrics.tsv, metrics.json, features.tsv where there are several features, tracks.tsv where there are tracks,
/// and the report's files into the folder.
void write_report(const Evaluation& evaluation, const std::string& folder);

/// Error if the split has no rows. The first method is the one that is evaluated; see
/// evaluation/promoter_evaluation.h, evaluation/chromatin_evaluation.h and evaluation/table_evaluation.h.
/// Features without both classes are logged, and NA in the tables.
Evaluation evaluate(const rows::TaskRows& data, const std::vector<Method>& methods, const EvaluationOptions& options);

/// What a run of training writes of the test split: the report (above), with RUN/scores.tsv.gz, named after the folder.
/// Returns the table. Without test rows it warns, and RUN/metrics.tsv is empty.
std::string evaluate_run(const std::string& folder, const rows::TaskRows& data, const std::vector<Method>& methods,
                         EvaluationOptions options);

/// The threshold with the best F1 on the validation rows; 0.5 if none is of class 1.
double choose_threshold(const std::vector<float>& probabilities, const std::vector<uint8_t>& labels);

/// A section of MultiQC's custom content (https://docs.seqera.io/multiqc/custom_content) without data: the metrics of
/// the task (`id` "metrics"), or one of its curves. `type`: table or linegraph.
nlohmann::ordered_json multiqc_section(const rows::TaskRows& data, const std::string& id, const std::string& title,
                                       const char* type);
/// "METHOD (PARENT, RUN)", so that the reports of several runs are told apart in one page of MultiQC, with a blank
/// behind each "." and "_", so that it does not cut the name.
std::string multiqc_sample(const EvaluationOptions& options, const std::string& method);
/// Adds a section of metrics to the report (TASK_metrics_mqc.json), its first sample's headline figures as general
/// statistics (TASK_general_mqc.json), and the program's version (bigdna_mqc_versions.yml).
void add_multiqc(Evaluation& result, const rows::TaskRows& data, nlohmann::ordered_json metrics);

/// The beginning of every evaluation's JSON.
nlohmann::ordered_json evaluation_json(const rows::TaskRows& data, const EvaluationOptions& options);

/// EvaluationOptions::scores, row by row.
class ScoreTable {
 public:
  /// `methods`: the name of each, and its threshold. A line "##threshold=COLUMN NUMBER" names it for each column of
  /// scores of which calls are made: promoters, start sites of bins.
  ScoreTable(const EvaluationOptions& options, const rows::TaskRows& data,
             const std::vector<std::pair<std::string, double>>& methods);
  /// `scores`: of each method, row-major [rows, labels].
  void write(std::span<const int64_t> rows, const std::vector<std::vector<float>>& scores);
  void commit() { out_.commit(); }

 private:
  const rows::TaskRows& data_;
  io::Output& out_;
};

}  // namespace bigdna::evaluation
