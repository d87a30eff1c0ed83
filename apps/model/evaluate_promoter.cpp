#include "apps/options/evaluate_task.h"
#include "apps/options/run_options.h"

#include "base/log.h"
#include "io/output.h"
#include "tasks/evaluation.h"
#include "tasks/finetune.h"

namespace bigdna::apps {

namespace {
void evaluate(const EvaluatePromoterOptions& options) {
  const auto folder = tasks::open_task_model(options.model, options.task);
  const auto details = tasks::TaskDetails::of(folder);
  const auto data = tasks::promoter_rows(options.dataset);
  if (data.labels() != folder.config.labels)
    fail(options.dataset, ": ", data.labels(), " features, the model ", folder.path, " has ",
         folder.config.labels);
  if (data.upstream != details.upstream || data.downstream != details.downstream)
    log::warn(options.dataset, ": intervals of -", data.upstream, "/+", data.downstream,
              " bp, the model was trained on -", details.upstream, "/+", details.downstream);
  const auto run = details.applied_to(run_options(options.common, options.device));
  const tasks::Classifier classifier(folder.config, folder.vocabulary, run);
  const auto parameters =
      tasks::to_device(model::load_weights(folder.config, folder.weights_path()), classifier.device(), classifier.forward().compute);

  tasks::EvaluationOptions settings;
  settings.split = *dataset::split_of_name(options.split);
  settings.strands = options.strands;
  settings.baseline = !options.no_baseline;
  settings.resamples = options.resamples;
  settings.seed = options.common.seed;
  settings.threads = options.common.threads;
  settings.positive_weights = details.positive_weights;
  settings.threshold = details.threshold;
  settings.scores = options.scores;
  const auto rows = data.of(settings.split);
  if (const int64_t met = data.count_on(folder.training_intervals(), rows); met && options.split == "test")
    log::warn(met, " of ", rows.size(), " rows lie on sequence that the model was trained on");

  const auto result = tasks::evaluate(classifier, parameters, data, settings);
  if (!options.report.empty()) tasks::write_report(result, options.report);
  if (!options.json.empty()) io::write_file(options.json, result.json.dump(2) + "\n");
  classifier.report_truncated();
  io::Output out("-");
  out << result.table;
  out.commit();
}
}  // namespace

void run(const EvaluatePromoterOptions& options) { evaluate(options); }

}  // namespace bigdna::apps
