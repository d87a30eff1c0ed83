#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/options/evaluate_task.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "io/output.h"
#include "tasks/chromatin_evaluation.h"
#include "tasks/predictor.h"

namespace bigdna::apps {

namespace {
/// A model (or an ensemble) and the dataset's rows with the context that it reads.
struct Candidate {
  std::unique_ptr<tasks::Predictor> predictor;
  tasks::TaskRows data;

  Candidate(const EvaluateChromatinOptions& options, const std::string& model,
            const std::vector<std::string>& others)
      : predictor(std::make_unique<tasks::Predictor>(model, others, "chromatin",
                                                     run_options(options.common, options.device))),
        data(tasks::chromatin_rows(options.dataset, options.genome, predictor->details().upstream,
                                   predictor->details().downstream)) {
    if (data.labels() != predictor->labels())
      fail(options.dataset, ": ", data.labels(), " features, the model ", model, " has ",
           predictor->labels());
  }
};

tasks::ChromatinMethod method_of(const Candidate& candidate, const std::string& name,
                                 tasks::Strands strands) {
  return {name, [&candidate, strands](const std::vector<int64_t>& rows) {
            return candidate.predictor->score_all(candidate.data.bases_of(rows), strands);
          }};
}

/// The folder's own name, once.
std::string name_of(const std::string& model, const std::vector<tasks::ChromatinMethod>& before) {
  auto path = std::filesystem::path(model);
  if (path.filename().empty()) path = path.parent_path();
  std::string name = path.filename() == "model" ? path.parent_path().filename() : path.filename();
  if (name.empty()) name = "other";
  while (std::any_of(before.begin(), before.end(), [&](const auto& method) { return method.name == name; }))
    name += "'";
  return name;
}
}  // namespace

void run(const EvaluateChromatinOptions& options) {
  const Candidate first(options, options.model, options.ensemble);
  std::vector<Candidate> others;
  for (const auto& model : options.compare) others.emplace_back(options, model, std::vector<std::string>{});

  tasks::EvaluationOptions settings;
  settings.split = *dataset::split_of_name(options.split);
  settings.strands = options.strands;
  settings.resamples = options.resamples;
  settings.seed = options.common.seed;
  settings.threads = options.common.threads;
  settings.scores = options.scores;
  const auto rows = first.data.of(settings.split);
  if (const int64_t met = first.data.count_on(first.predictor->training_intervals(), rows); met && options.split == "test")
    log::warn(met, " of ", rows.size(), " rows lie on sequence that the model was trained on");

  first.predictor->load();
  std::vector<tasks::ChromatinMethod> methods{method_of(first, "bigdna", options.strands)};
  if (!options.no_baseline) methods.push_back(tasks::kmer_method(first.data, options.common.threads));
  for (size_t i = 0; i < others.size(); ++i) {
    others[i].predictor->load();
    methods.push_back(method_of(others[i], name_of(options.compare[i], methods), options.strands));
  }
  auto result = tasks::evaluate_chromatin(first.data, methods, settings);
  if (!options.json.empty()) io::write_file(options.json, result.json.dump(2) + "\n");
  if (!options.features.empty()) io::write_file(options.features, result.feature_table);
  if (!options.picture.empty()) io::write_file(options.picture, result.report.at("metrics.svg"));
  first.predictor->report_truncated();
  for (const auto& other : others) other.predictor->report_truncated();
  io::Output out("-");
  out << result.table;
  out.commit();
}

}  // namespace bigdna::apps
