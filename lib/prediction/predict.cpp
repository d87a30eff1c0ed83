#include "prediction/predict.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/even_chunk.h"
#include "base/log.h"
#include "genome/contigs.h"
#include "io/output.h"
#include "jobs/journalled_stream.h"
#include "jobs/output_job.h"
#include "prediction/record_counts.h"

namespace bigdna::prediction {

namespace {

/// As from Predictor::score(); NaN for intervals without bases. Takes the intervals' bases.
std::vector<float> score(const models::Predictor& predictor, std::vector<Interval>& intervals,
                         session::Strands strands) {
  const size_t sides = strands == session::Strands::both ? 2 : 1, columns = static_cast<size_t>(predictor.columns());
  std::vector<std::string> bases;
  std::vector<size_t> places;
  for (size_t i = 0; i < intervals.size(); ++i)
    if (!intervals[i].bases.empty()) {
      bases.push_back(std::move(intervals[i].bases));
      places.push_back(i);
    }
  std::vector<float> all(sides * intervals.size() * columns, std::numeric_limits<float>::quiet_NaN());
  if (bases.empty()) return all;
  const auto scores = predictor.score(std::move(bases), strands);
  for (size_t side = 0; side < sides; ++side)
    for (size_t i = 0; i < places.size(); ++i)
      std::copy_n(scores.begin() + static_cast<int64_t>((side * places.size() + i) * columns), columns,
                  all.begin() + static_cast<int64_t>((side * intervals.size() + places[i]) * columns));
  return all;
}

/// The intervals of a shard, and the halo of neighbouring shards' intervals that is read only for suppression. Where
/// numbers depend on the batch by rounding (on a GPU, and of networks on bases), both begin with a chunk of the whole
/// input.
struct ShardRange {
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();            // the shard: [first, last)
  int64_t read_first = 0, read_last = std::numeric_limits<int64_t>::max();  // with the halo
  bool to_end = false;  // the last shard: after its intervals there may be records without any
};

ShardRange part_of(const PredictionPlan& plan, const Shard& shard, const IntervalStream& intervals,
                   const models::Predictor& predictor) {
  if (shard.whole()) return {};
  const int64_t total =
      plan.input.fasta.empty() ? intervals.total().value() : count_record_intervals(plan.input, plan.tiling);
  const bool rounds =
      !predictor.models().placement().device.is_cpu() ||
      std::ranges::any_of(predictor.models().members(), [](const auto& model) { return !!model.folder().network; });
  const int64_t most = predictor.chunk(), chunk = rounds ? most : even_chunk(shard, total, most);
  const auto [first, last] = shard.of(total, chunk);
  const int64_t halo = first == last ? 0 : (plan.halo + chunk - 1) / chunk * chunk;
  return {first, last, std::max<int64_t>(0, first - halo), std::min(total, last + halo), shard.last()};
}

/// Scores the part's intervals and writes them to the sinks, which must be open. Returns the number of intervals.
int64_t stream_predictions(const models::Predictor& predictor, const PredictionPlan& plan, IntervalStream& intervals,
                           const ShardRange& part, jobs::ScoreJournal* journal, log::Progress& progress) {
  const size_t sides = plan.strands == session::Strands::both ? 2 : 1,
               columns = static_cast<size_t>(predictor.columns());
  intervals.skip(part.read_first);
  int64_t left = part.read_last - part.read_first, written = part.read_first;
  const int64_t most = predictor.chunk();
  std::vector<float> row(sides * columns);
  jobs::JournalledStream<std::vector<Interval>>{
      .threads = predictor.threads(),
      .journal = journal,
      .first = part.read_first / most,
      .read = [&](int64_t, bool recorded) -> std::optional<std::vector<Interval>> {
        std::vector<Interval> chunk;
        for (; std::ssize(chunk) < most && (left > 0 || part.to_end); --left) {
          auto interval = intervals.next(/*with_bases=*/!recorded);
          if (!interval) break;
          chunk.push_back(std::move(*interval));
        }
        if (chunk.empty()) return std::nullopt;
        return chunk;
      },
      .size = [&](const auto& chunk) { return sides * chunk.size() * columns; },
      .score = [&](auto& chunk) { return score(predictor, chunk, plan.strands); },
      .write =
          [&](const auto& chunk, const auto& scores) {
            for (size_t i = 0; i < chunk.size(); ++i, ++written) {
              for (size_t side = 0; side < sides; ++side)
                std::copy_n(scores.begin() + static_cast<int64_t>((side * chunk.size() + i) * columns), columns,
                            row.begin() + static_cast<int64_t>(side * columns));
              for (const auto& sink : plan.sinks)
                sink->write(chunk[i], row, written >= part.first && written < part.last);
            }
            return static_cast<uint64_t>(written - part.read_first);
          }}
      .run(progress);
  return written - part.read_first;
}

}  // namespace

void warn_of_auto_precision(const Shard& shard, const session::RunOptions& run, const char* precision) {
  if (!shard.whole() && run.precision == "auto")
    log::warn("--shard with --precision auto, which is ", precision,
              " here: give --precision to all parts, because it may be another on other machines");
}

std::optional<PredictionResult> run_prediction(models::Predictor& predictor, const IntervalOptions& options,
                                               PredictionPlan plan) {
  const models::Ensemble& models = predictor.models();
  auto& sinks = plan.sinks;
  sinks.push_back(
      std::make_unique<RecordCounts>(plan.command, options.counts, options.strict, plan.lengths, plan.provenance));
  const auto& records = static_cast<const RecordCounts&>(*sinks.back());
  std::vector<std::string> outputs, inputs = models.weights_paths();
  for (const auto& sink : sinks)
    for (auto& file : sink->files()) outputs.push_back(std::move(file));
  for (const std::string& path : {options.fasta, options.regions, options.genome}) inputs.push_back(path);
  std::ranges::copy(plan.beside, std::back_inserter(inputs));
  io::refuse_shared_files(outputs, inputs);
  io::refuse_outputs_in(outputs, models.folders());
  jobs::OutputJob job(options.resume, outputs, plan.outputs.empty() ? outputs : plan.outputs, models.identity());
  if (job.is_finished(inputs)) return std::nullopt;
  // opened before the model is loaded, so that errors in the input are reported first
  IntervalStream intervals(plan.input, plan.tiling, models.training_intervals(), models.held_out_intervals());
  if (options.fasta.empty())
    genome::warn_of_other_genome(models.training_intervals(), options.model, intervals.genome().contigs(),
                                 intervals.genome().path());
  if (options.whole_genome()) models.warn_of_chosen_rows();
  const bool whole = options.shard.whole();
  const ShardRange part = part_of(plan, options.shard, intervals, predictor);
  plan.announce(whole ? intervals.total() : part.last - part.first);
  warn_of_auto_precision(options.shard, options.run, models.placement().precision());
  jobs::ScoreJournal* const journal = job.open_journal((plan.what + "s").c_str(), predictor.chunk());
  for (const auto& sink : sinks) sink->open(intervals);
  predictor.load();
  log::Progress progress(plan.command,
                         whole ? expected_intervals(intervals, plan.input, plan.tiling)
                               : static_cast<uint64_t>(part.read_last - part.read_first),
                         plan.what + "s");
  const int64_t rows = stream_predictions(predictor, plan, intervals, part, journal, progress);
  for (const auto& sink : sinks) sink->commit();
  job.finish();
  models.report_truncated();
  records.warn(plan.what, options.seen);
  return PredictionResult{rows, records.without_score(), records.tiled()};
}

}  // namespace bigdna::prediction
