#include "variant_effects/predict_variants.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "genome/contigs.h"
#include "jobs/output_job.h"
#include "model_folder/profile_config.h"
#include "prediction/predict.h"
#include "variant_effects/profile_variants.h"
#include "variant_effects/variant_background.h"
#include "variant_effects/variant_pictures.h"
#include "variant_effects/variant_records.h"
#include "variant_effects/variant_scorer.h"
#include "variants/index_check.h"

namespace bigdna::variant_effects {

namespace {
/// Refuses outputs that are inputs or each other, or lie in a model's folder, and pictures by a model that has none.
void refuse_outputs(const VariantOptions& options, const models::Ensemble& models,
                    const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  io::refuse_shared_files(outputs, inputs);
  io::refuse_outputs_in(outputs, models.folders());
  io::refuse_outputs_in({options.pictures}, models.folders());
  if (const auto& folder = models.members().front().folder(); !options.pictures.empty() && !folder.labels_bins())
    throw UsageError("--pictures: only for networks that label bins (bigdna train on a chromatin dataset), and " +
                     options.model + (folder.network ? " predicts for whole sequences" : " reads tokens"));
}
}  // namespace

void complete_index(const VariantOptions& options) {
  const std::string index = options.output + ".csi";
  if (options.write_index &&
      (!io::is_current(index, options.output) || !variants::fault_of_index(index, options.output).empty()))
    variants::write_index(options.output, options.run.threads);
}

void predict_variants(const VariantOptions& options) {
  if (model_folder::is_profile_model(options.model)) return predict_profile_variants(options);
  if (!options.peaks.empty())
    throw UsageError("--peaks: only for profile models (BPNet, ChromBPNet), and " + options.model + " is none");
  if (options.part)
    throw UsageError("--part: only for profile models (BPNet, ChromBPNet), and " + options.model + " is none");
  const auto format = io::format_of(options.output, prediction::kVariantFormats);
  VariantScorer scorer(options);
  const models::Ensemble& models = scorer.models();
  auto inputs = models.weights_paths();
  std::ranges::copy(input_files(options), std::back_inserter(inputs));
  const auto files = output_files(options);
  refuse_outputs(options, models, inputs, files);
  jobs::OutputJob job(options.resume, files, files, scorer.identity()["models"]);
  if (job.is_finished(inputs)) return complete_index(options);

  const genome::Genome genome(options.genome, options.invalid_bases);
  const VariantPlaces places(options, models.task(), scorer.details(), genome);
  VariantInput input(options, genome);
  genome::Signals signals(options.tracks, genome);
  prediction::warn_of_auto_precision(options.shard, options.run, models.placement().precision());
  jobs::ScoreJournal* const journal = job.open_journal("records", session::kPredictionChunk);
  scorer.load();
  std::optional<variants::Background> background;
  if (options.null > 0) background = background_of(options, background_model(options, scorer, places), genome);
  if (options.model_background) background = background_of_model(options, scorer, places);
  const int64_t drawn = options.pictures.empty() ? 0 : options.strongest.value_or(VariantOptions::kDrawn);
  VariantOutputs outputs(options,
                         {.format = format,
                          .provenance = models.provenance(),
                          .columns = scorer.columns(),
                          .features = models.features(),
                          .percentiles = background.has_value(),
                          .top = options.top.value_or(VariantOptions::kTop),
                          .strand = places.strand()},
                         input.reader.header(), genome, drawn);
  RecordChunks chunks(options, input.reader, genome, [&](variants::Allele allele, variants::GenomeWindow& window) {
    return plan(std::move(allele), places, window, options.null > 0 || options.model_background);
  });
  const auto seen = models.training_intervals();
  genome::warn_of_other_genome(seen, options.model, genome.contigs(), genome.path());
  RecordSink sink(scorer.columns(), genome, seen, background ? &*background : nullptr, signals, outputs.writer(),
                  outputs.strongest());
  score_records(options, input, chunks, sink, journal, scorer.threads(), scorer.columns().size(),
                [&](std::span<const PlannedAllele> alleles) { return scorer.score(alleles, places); });
  outputs.strongest().describe(scorer, places);
  draw_variants(options.pictures, outputs.strongest().first(drawn), scorer, places);
  outputs.commit(sink, chunks.faults());
  job.finish();
  models.report_truncated();
  sink.report(options.genome, chunks.faults());
}

}  // namespace bigdna::variant_effects
