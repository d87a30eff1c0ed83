#include <cstdio>
#include <optional>
#include <string>

#include "base/counted.h"
#include "base/log.h"
#include "prediction/predict.h"
#include "prediction/promoter_sinks.h"

namespace bigdna::prediction {

namespace {

constexpr int64_t kMergeDistanceOfBins = 500;  // bp: promoters have several start sites within some hundred bases

IntervalInput input_of(const PredictPromoterOptions& options) {
  IntervalInput input(options);
  input.contigs = options.contigs;
  input.strand = options.strands == session::Strands::both ? input.Strand::decides_sites : input.Strand::decides;
  return input;
}

/// "0.2", "12": few have a digit behind the point.
std::string expected_text(double expected) {
  char text[32];
  std::snprintf(text, sizeof text, expected < 10 ? "%.1f" : "%.0f", expected);
  return text;
}

}  // namespace

void predict_promoter(const PredictPromoterOptions& given) {
  models::Predictor predictor(models::Ensemble(given.model, given.ensemble, "promoter", given.run));
  const auto& details = predictor.models().details();
  auto options = given;
  options.strands = details.site_strands(given.strands, /*scan=*/given.whole_genome());
  if (options.parts) predictor.give_parts();
  const int64_t length = details.upstream + details.downstream;
  // a network that labels bins has one interval for each, and reads what lies around it too
  const bool bins = details.context > 0;
  const PromoterTiling tiling(details.upstream, details.downstream, options.stride, options.max_n_fraction,
                              details.context);
  const PromoterCalls calls{.threshold = options.threshold.value_or(details.threshold),
                            .anchor = static_cast<double>(details.upstream) / static_cast<double>(length),
                            .merge_distance = options.merge_distance.value_or(bins ? kMergeDistanceOfBins : length / 2),
                            .stride = tiling.stride(),
                            .parts = predictor.parts()};
  PromoterCounts counts;
  const auto provenance = predictor.models().provenance().add("threshold", concat(calls.threshold));
  const auto result = run_prediction(
      predictor, options,
      {.command = "predict-promoter",
       .what = "interval",
       .input = input_of(options),
       .tiling = tiling,
       .strands = *options.strands,
       .sinks = promoter_sinks(options, calls, provenance, counts),
       .outputs = {},
       .provenance = provenance,
       .lengths = {length},
       // calls depend on the intervals around; a region's last interval is less than a stride away
       .halo = options.bed.empty() ? 0 : calls.merge_distance / calls.stride + 2,
       .announce = [&](std::optional<int64_t>) {
         if (!predictor.models().was_trained_on("genomic"))
           log::warn(options.model,
                     ": was trained on synthetic negatives only, so it calls far too many promoters in real sequence");
       }});
  if (!result) return;
  if (!given.strands && *options.strands == session::Strands::forward && !options.fasta.empty() && result->tiled)
    log::warn(
        "records longer than the model's interval were read on their + strand only (--strands both reads both strands; "
        "-g does so for a genome)");
  log::info(counted(counts.rows, "row"), ", ", counts.called, " called",
            counts.without_score ? concat(", ", counts.without_score, " without a score (too many N)") : "",
            options.bed.empty() ? "" : concat(", ", counted(counts.sites, "start site")),
            // these are calibrated on rows as rare as start sites are in a genome
            bins && counts.sites && !details.chosen_by_label
                ? concat("; about ", expected_text(counts.expected), " of them are expected to be right")
                : "");
}

}  // namespace bigdna::prediction
