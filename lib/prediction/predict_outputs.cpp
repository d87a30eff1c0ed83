#include <filesystem>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/chromatin_dataset.h"
#include "genome/contigs.h"
#include "io/output.h"
#include "prediction/output_job.h"
#include "prediction/output_sinks.h"
#include "prediction/predict.h"
#include "prediction/record_counts.h"

namespace bigdna::prediction {

namespace {
namespace fs = std::filesystem;

IntervalInput input_of(const PredictionOptions& o, dataset::Task::Site site) {
  using Strand = IntervalInput::Strand;
  using Site = dataset::Task::Site;
  return {.fasta = o.fasta,
          .tables = true,
          .sequence_column = o.sequence_column,
          .genome = o.genome,
          .regions = o.regions,
          .region = "",
          .contigs = o.contigs,
          .invalid_bases = o.invalid_bases,
          .strict = o.strict,
          .strand = site == Site::start   ? Strand::decides
                    : site == Site::whole ? Strand::read
                                          : Strand::ignored};
}

/// Pipes have no total: they are not divided.
Part part_of(const Shard& shard, std::optional<int64_t> total, int64_t chunk) {
  if (!total) return {};
  const auto [first, last] = shard.of(*total, chunk);
  return {first, last, first, last, shard.last()};
}

std::string bytes_text(double bytes) { return log::human(bytes) + "B"; }

/// Logs how much will be written, and warns if the disk has less space.
void say_size(const PredictionOptions& options, const Sinks& sinks, const OutputColumns& columns,
              std::optional<int64_t> regions, const std::string& what) {
  const std::string features = counted(static_cast<int64_t>(columns.chosen.size()), "feature");
  double each = options.resume ? 4 * static_cast<double>(columns.features.size()) : 0;  // the journal
  for (const auto& sink : sinks) each += sink->bytes_per_interval();
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
    fail(options.model, ": its head is '", head, "', which does not predict; use a model made by bigdna finetune");
  const auto site = task->site;
  Predictor predictor(Ensemble(options.model, options.ensemble, head, options.run));
  if (options.parts) predictor.give_parts();
  const auto& details = predictor.models().details();
  const auto weights = predictor.models().positive_weights();
  // labels 1 count w times in training; a prediction is q / (q + w (1 - q)) of the model's q
  const auto provenance =
      predictor.models().provenance().add("positive_weight", weights.empty()       ? "differs by model"
                                                             : weights.size() == 1 ? concat(weights[0])
                                                                                   : "differs by feature");
  const OutputColumns columns{predictor.models().features(),
                              dataset::choose_features(predictor.models().features(), options.features), weights,
                              provenance, details.answers.link == task_model::Answers::Link::linear};
  Sinks sinks = output_sinks(options, columns);
  // a record may be too short for a promoter, or for a bin with its context; tables have any lengths
  const bool bins = site == dataset::Task::Site::bin;
  const bool sized = site == dataset::Task::Site::start || (bins && !options.fasta.empty());
  sinks.push_back(std::make_unique<RecordCounts>(
      options.command, options.counts, options.strict,
      sized ? details.upstream + details.downstream + (bins ? dataset::kBin : 0) : 0, provenance));
  const auto& records = static_cast<const RecordCounts&>(*sinks.back());
  auto inputs = predictor.models().weights_paths();
  for (const std::string& path : {options.fasta, options.regions, options.genome}) inputs.push_back(path);
  const auto outputs = files_of(sinks);
  io::refuse_shared_files(outputs, inputs);
  io::refuse_outputs_in(outputs, predictor.models().folders());
  OutputJob job(options.resume, outputs, {options.output, options.bigwig, options.counts},
                predictor.models().identity());
  if (job.is_finished(inputs)) return;
  // opened before the model is loaded, so that errors in the input are reported first
  std::unique_ptr<const Tiling> tiling;
  if (!bins)
    tiling = std::make_unique<WholeTiling>();
  else if (!options.fasta.empty())
    tiling = std::make_unique<WholeTiling>(details.anchor);
  else
    tiling = std::make_unique<ChromatinTiling>(details.upstream, details.downstream, options.tile);
  IntervalStream intervals(input_of(options, site), *tiling, predictor.models().training_intervals(),
                           predictor.models().held_out_intervals());
  if (options.fasta.empty())
    genome::warn_of_other_genome(predictor.models().training_intervals(), options.model, intervals.genome());
  const auto total = options.fasta.empty() || options.shard.whole()
                         ? intervals.total()
                         : count_record_intervals(input_of(options, site), *tiling);
  const Part part = part_of(options.shard, total, predictor.chunk());
  const auto size = total ? std::optional(part.last - part.first) : std::nullopt;
  say_size(options, sinks, columns, size, what);
  warn_of_auto_precision(options.shard, options.run, predictor.models().placement().precision());
  ScoreJournal* const journal = job.open_journal("regions", predictor.chunk());
  for (const auto& sink : sinks) sink->open(intervals);
  predictor.load();
  log::Progress progress(
      options.command,
      size ? static_cast<uint64_t>(*size) : expected_intervals(intervals, input_of(options, site), *tiling),
      what + "s");
  const int64_t rows = stream_predictions(predictor, intervals, part, options.strands.value_or(details.strands),
                                          journal, sinks, progress);
  for (const auto& sink : sinks) sink->commit();
  job.finish();
  predictor.models().report_truncated();
  records.warn(what, options.seen);
  log::info(counted(rows, what), ", ", counted(static_cast<int64_t>(columns.chosen.size()), "feature"),
            records.without_score() ? concat(", ", records.without_score(), " without a score (all of it is N)") : "");
}

}  // namespace bigdna::prediction
