#include <algorithm>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/contigs.h"
#include "io/output.h"
#include "prediction/output_job.h"
#include "prediction/predict.h"
#include "prediction/promoter_sinks.h"
#include "prediction/record_counts.h"

namespace bigdna::prediction {

namespace {

constexpr int64_t kMergeDistanceOfBins = 500;  // bp: promoters have several start sites within some hundred bases

IntervalInput input_of(const PredictPromoterOptions& o) {
  return {.fasta = o.fasta,
          .tables = false,
          .sequence_column = "",
          .genome = o.genome,
          .regions = o.regions,
          .region = o.region,
          .contigs = o.contigs,
          .invalid_bases = o.invalid_bases,
          .strict = o.strict,
          .strand = o.strands == session::Strands::both ? IntervalInput::Strand::decides_sites
                                                        : IntervalInput::Strand::decides};
}

/// With --bed a shard's calls depend on the intervals around it.
Part part_of(const PredictPromoterOptions& options, const PromoterTiling& tiling, const IntervalStream& intervals,
             int64_t merge_distance, int64_t chunk) {
  if (options.shard.whole()) return {};
  const int64_t total =
      options.fasta.empty() ? intervals.total().value() : count_record_intervals(input_of(options), tiling);
  const auto [first, last] = options.shard.of(total, chunk);
  const bool to_end = options.shard.last();
  if (options.bed.empty() || first == last) return {first, last, first, last, to_end};
  const int64_t halo = merge_distance / tiling.stride() + 2;  // a region's last interval is less than a stride away
  const int64_t whole = (halo + chunk - 1) / chunk * chunk;
  return {first, last, std::max<int64_t>(0, first - whole), std::min(total, last + whole), to_end};
}

}  // namespace

void predict_promoter(const PredictPromoterOptions& given) {
  Predictor predictor(Ensemble(given.model, given.ensemble, "promoter", given.run));
  const auto& details = predictor.models().details();
  auto options = given;
  if (!options.strands)
    options.strands =
        details.site_strands(/*scan=*/given.fasta.empty() && given.regions.empty() && given.region.empty());
  if (options.parts) predictor.give_parts();
  const int64_t length = details.upstream + details.downstream;
  // a network that labels bins has one interval for each, and reads what lies around it too
  const bool bins = details.context > 0;
  const PromoterTiling tiling(details.upstream, details.downstream, options.stride, options.max_n_fraction,
                              details.context);
  const int64_t merge_distance = options.merge_distance.value_or(bins ? kMergeDistanceOfBins : length / 2);
  PromoterCounts counts;
  const double anchor = static_cast<double>(details.upstream) / static_cast<double>(length);
  const double threshold = options.threshold.value_or(details.threshold);
  const auto provenance = predictor.models().provenance().add("threshold", concat(threshold));
  Sinks sinks = promoter_sinks(options, threshold, anchor, merge_distance, tiling.stride(), provenance, counts);
  sinks.push_back(
      std::make_unique<RecordCounts>("predict-promoter", options.counts, options.strict, length, provenance));
  const auto& records = static_cast<const RecordCounts&>(*sinks.back());
  const auto outputs = files_of(sinks);
  auto inputs = predictor.models().weights_paths();
  for (const std::string& path : {options.fasta, options.regions, options.genome}) inputs.push_back(path);
  io::refuse_shared_files(outputs, inputs);
  io::refuse_outputs_in(outputs, predictor.models().folders());
  OutputJob job(options.resume, outputs, outputs, predictor.models().identity());
  if (job.is_finished(inputs)) return;
  IntervalStream intervals(input_of(options), tiling, predictor.models().training_intervals(),
                           predictor.models().held_out_intervals());
  if (options.fasta.empty())
    genome::warn_of_other_genome(predictor.models().training_intervals(), options.model, intervals.genome());
  const Part part = part_of(options, tiling, intervals, merge_distance, predictor.chunk());
  warn_of_auto_precision(options.shard, options.run, predictor.models().placement().precision());
  ScoreJournal* const journal = job.open_journal("intervals", predictor.chunk());
  if (!predictor.models().was_trained_on("genomic"))
    log::warn(options.model,
              ": was trained on synthetic negatives only, so it calls far too many promoters in real sequence");
  for (const auto& sink : sinks) sink->open(intervals);
  predictor.load();
  log::Progress progress("predict-promoter",
                         options.shard.whole() ? expected_intervals(intervals, input_of(options), tiling)
                                               : static_cast<uint64_t>(part.read_last - part.read_first),
                         "intervals");
  stream_predictions(predictor, intervals, part, *options.strands, journal, sinks, progress);
  for (const auto& sink : sinks) sink->commit();
  job.finish();

  predictor.models().report_truncated();
  records.warn("interval", options.seen);
  if (!given.strands && *options.strands == session::Strands::forward && !options.fasta.empty() && records.tiled())
    log::warn(
        "records longer than the model's interval were read on their + strand alone (--strands both reads both; so "
        "does "
        "-g, for a genome)");
  log::info(counted(counts.rows, "row"), ", ", counts.called, " called",
            counts.without_score ? concat(", ", counts.without_score, " without a score (too many N)") : "",
            options.bed.empty() ? "" : concat(", ", counted(counts.sites, "start site")),
            // these are calibrated on rows as rare as start sites are in a genome
            bins && counts.sites
                ? concat(", of which about ", std::lround(counts.expected), " are expected to be right")
                : "");
}

}  // namespace bigdna::prediction
