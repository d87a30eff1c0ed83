#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "io/lines.h"
#include "prediction/chromatin_regions.h"
#include "prediction/chromatin_writer.h"
#include "prediction/predict.h"
#include "prediction/predictor.h"

namespace bigdna::prediction {

namespace {
namespace fs = std::filesystem;

std::string bytes_text(double bytes) { return log::human(bytes) + "B"; }

/// Says how much will be written, and warns where the disk has less room.
void say_size(const PredictChromatinOptions& options, const ChromatinColumns& columns,
              std::optional<int64_t> regions) {
  const double each = chromatin_bytes_a_region(options, columns);
  if (!regions) {
    log::info(columns.chosen.size(), " features: about ", bytes_text(each), " a region");
    return;
  }
  const double size = each * static_cast<double>(*regions);
  log::info(*regions, " regions x ", columns.chosen.size(), " features: about ", bytes_text(size),
            " will be written");
  for (const auto& path : {options.output, options.bigwig}) {
    if (path.empty() || path == "-") continue;
    std::error_code unknown;
    const auto space = fs::space(fs::absolute(path).parent_path(), unknown);
    if (!unknown && static_cast<double>(space.available) < size)
      log::warn(path, ": its disk has only ", bytes_text(static_cast<double>(space.available)), " left");
  }
}
}  // namespace

void predict_chromatin(const PredictChromatinOptions& options) {
  Predictor predictor(options.model, options.ensemble, "chromatin", options.run);
  const auto& details = predictor.details();
  const ChromatinColumns columns{predictor.features(),
                                 dataset::choose_features(predictor.features(), options.features),
                                 details.positive_weights};
  const auto outputs = chromatin_outputs(options, columns);
  io::refuse_shared_files(outputs, {options.regions, options.genome});
  const std::string journal_path = (options.output.empty() ? options.bigwig : options.output) + ".journal";
  auto inputs = predictor.weights_paths();
  for (const std::string& path : {options.regions, options.genome}) inputs.push_back(path);
  io::Job job;
  if (options.resume) {
    job = io::job();
    job.set("weights", predictor.identity());
    if (finished_before(outputs, inputs, journal_path, job)) return;
  } else if (outputs.front() != "-") {
    std::error_code ignored;
    std::filesystem::remove(job_record(outputs.front()), ignored);  // of what is replaced now
  }
  const auto regions_from_the_start = [&](genome::IntervalSet seen) {
    return ChromatinRegions(options, details.upstream, details.downstream, std::move(seen));
  };
  // opened before the model: bad input is told at once
  auto regions = regions_from_the_start(predictor.training_intervals());
  regions.say_left_out();
  std::optional<int64_t> total;
  if (!io::reads_once(options.regions)) total = regions_from_the_start({}).count();
  std::pair<int64_t, int64_t> range{0, std::numeric_limits<int64_t>::max()};
  if (total) {
    range = options.shard.of(*total);
    total = range.second - range.first;
  }
  say_size(options, columns, total);
  regions.skip(range.first);
  std::optional<ScoreJournal> journal;
  if (options.resume) {
    journal.emplace(journal_path, job);
    if (journal->recorded())
      log::info(journal_path, ": goes on after ", journal->recorded() * session::kPredictionChunk, " regions");
  }
  const auto writers = chromatin_writers(options, columns, regions);
  predictor.load();

  log::Progress progress("chromatin", static_cast<uint64_t>(total.value_or(0)), "regions");
  uint64_t rows = 0;
  const auto labels = static_cast<size_t>(predictor.labels());
  predict_chunks<ChromatinRegion>(
      predictor, options.strands, journal ? &*journal : nullptr, range.second - range.first,
      [&](bool with_bases) { return regions.next(with_bases); },
      [&](std::vector<ChromatinRegion>&& chunk, std::vector<float>&& scores) {
        for (size_t i = 0; i < chunk.size(); ++i)
          for (const auto& writer : writers)
            writer->write(chunk[i], std::span(scores).subspan(i * labels, labels));
        progress.update(rows += chunk.size());
      });
  for (const auto& writer : writers) writer->commit();
  if (journal) journal->finish(outputs.front());
  predictor.report_truncated();
  if (regions.seen_count() && !options.seen)
    log::warn(regions.seen_count(), " regions overlap what the model was trained on (--seen adds a column)");
  log::info(rows, " regions, ", columns.chosen.size(), " features");
}

}  // namespace bigdna::prediction
