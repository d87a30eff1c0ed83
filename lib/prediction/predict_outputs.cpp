#include <filesystem>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/chromatin_dataset.h"
#include "genome/signals.h"
#include "prediction/output_sinks.h"
#include "prediction/predict.h"

namespace bigdna::prediction {

namespace {
namespace fs = std::filesystem;

IntervalInput input_of(const PredictionOptions& options, dataset::Task::Site site) {
  using Site = dataset::Task::Site;
  IntervalInput input(options);
  input.tables = true;
  input.sequence_column = options.sequence_column;
  input.contigs = options.contigs;
  if (site != Site::bin) input.strand = site == Site::start ? input.Strand::decides : input.Strand::read;
  return input;
}

std::string bytes_text(double bytes) { return log::human(bytes) + "B"; }

/// Logs how much will be written, `each` bytes per region, and warns if the disk has less space.
void say_size(const PredictionOptions& options, double each, const std::string& features,
              std::optional<int64_t> regions, const std::string& what) {
  if (!regions) {
    log::info(features, ": about ", bytes_text(each), " per ", what);
    return;
  }
  const double size = each * static_cast<double>(*regions);
  log::info(counted(*regions, what), " x ", features, ": about ", bytes_text(size), " will be written");
  for (const auto& path : {options.output, options.bigwig}) {
    if (path.empty() || path == "-") continue;
    std::error_code unknown;
    const auto space = fs::space(fs::absolute(path).parent_path(), unknown);
    if (!unknown && static_cast<double>(space.available) < size)
      log::warn(path, ": the disk has only ", bytes_text(static_cast<double>(space.available)), " left");
  }
}
}  // namespace

void predict_outputs(const PredictionOptions& options) {
  const std::string what = options.fasta.empty() ? "region" : "sequence";
  const std::string head =
      options.head.empty() ? model_folder::ModelFolder::open_any(options.model).config.head : options.head;
  const dataset::Task* task = dataset::find_task(head);
  if (!task)
    fail(options.model, ": its head is '", head,
         "', which does not predict; use a model made by bigdna train or finetune");
  const auto site = task->site;
  models::Predictor predictor(models::Ensemble(options.model, options.ensemble, head, options.run));
  if (options.parts) predictor.give_parts();
  if (options.spread) predictor.give_spread();
  const auto& details = predictor.models().details();
  const auto weights = predictor.models().positive_weights();
  const bool numbers = details.link.gives_numbers();
  // labels 1 count w times in training; a prediction is q / (q + w (1 - q)) of the model's q
  auto provenance =
      predictor.models().provenance().add("positive_weight", weights.empty()       ? "differs by model"
                                                             : weights.size() == 1 ? concat(weights[0])
                                                                                   : "differs by feature");
  if (numbers) provenance.add("prediction", "number");
  const OutputColumns columns{predictor.models().features(),
                              dataset::choose_features(predictor.models().features(), options.features),
                              weights,
                              provenance,
                              predictor.parts(),
                              options.spread,
                              numbers};
  Sinks sinks = output_sinks(options, columns);
  const bool bins = site == dataset::Task::Site::bin;
  std::unique_ptr<const Tiling> tiling;
  if (!bins)
    tiling = std::make_unique<WholeTiling>();
  else if (!options.fasta.empty())
    tiling = std::make_unique<WholeTiling>(details.anchor, details.bin);
  else
    tiling = std::make_unique<ChromatinTiling>(details.bin, details.upstream, details.downstream,
                                               options.by_bins ? details.bin : options.tile);
  // a record may be too short for a promoter, or for a bin with its context
  const bool sized = site == dataset::Task::Site::start || (bins && !options.fasta.empty());
  const std::string features = counted(static_cast<int64_t>(columns.chosen.size()), "feature");
  double each = options.resume ? 4 * static_cast<double>(columns.features.size()) : 0;  // the journal
  for (const auto& sink : sinks) each += sink->bytes_per_interval();
  std::vector<std::string> beside;
  for (const auto& track : options.tracks) beside.push_back(genome::path_of_named(track));
  const auto result = run_prediction(
      predictor, options,
      {.command = options.command,
       .what = what,
       .input = input_of(options, site),
       .tiling = *tiling,
       .strands = options.strands.value_or(details.strands),
       .sinks = std::move(sinks),
       .beside = std::move(beside),
       .outputs = {options.output, options.bigwig, options.counts},
       .provenance = provenance,
       .lengths = sized ? models::TrainedLengths{details.upstream + details.downstream + (bins ? details.bin : 0)}
                        : details.lengths,
       .announce = [&](std::optional<int64_t> regions) { say_size(options, each, features, regions, what); }});
  if (result)
    log::info(counted(result->intervals, what), ", ", features,
              result->without_score ? concat(", ", result->without_score, " without a score (all of it is N)") : "");
}

}  // namespace bigdna::prediction
