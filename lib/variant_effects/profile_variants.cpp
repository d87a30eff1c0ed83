#include "variant_effects/profile_variants.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "genome/interval_set.h"
#include "jobs/output_job.h"
#include "model_folder/model_folder.h"
#include "prediction/predict.h"
#include "profile/distance.h"
#include "profile/network.h"
#include "profile/windows.h"
#include "session/stream.h"
#include "variant_effects/predict_variants.h"
#include "variant_effects/variant_background.h"
#include "variant_effects/variant_records.h"
#include "variants/effects.h"

namespace bigdna::variant_effects {

using profile::Part;
using variants::Effect;

namespace {

/// The options that a profile model has no use for.
void refuse_options(const VariantOptions& options) {
  struct Row {
    bool given;
    const char* name;
  };
  for (const auto& [given, name] : std::initializer_list<Row>{{!options.features.empty(), "--features"},
                                                              {!options.sites.empty(), "--sites"},
                                                              {options.reach.has_value(), "--reach"},
                                                              {options.context.has_value(), "--context"},
                                                              {options.model_background, "--model-background"},
                                                              {options.top.value_or(0) > 0, "--top"},
                                                              {!options.pictures.empty(), "--pictures"}})
    if (given) throw UsageError(concat(name, ": not for profile models, and ", options.model, " is one"));
  if (options.strands == session::Strands::both)
    throw UsageError(
        concat("--strands both: ", options.model, " is a profile model, which reads one strand or averages both"));
  profile::refuse_bf16(options.run, options.model);
}

class ProfileScorer {
 public:
  explicit ProfileScorer(const VariantOptions& options)
      : placement_(options.run), strands_(options.strands.value_or(session::Strands::average)) {
    std::vector<std::string> paths{options.model};
    paths.insert(paths.end(), options.ensemble.begin(), options.ensemble.end());
    for (const auto& path : paths) {
      folders_.push_back(model_folder::ProfileFolder::open(path));
      const auto &own = folders_.back().config, &first = folders_.front().config;
      if (own.window != first.window || own.output != first.output || own.strands != first.strands)
        fail(path, ": cannot be averaged with ", folders_.front().path, ": it reads ", own.window, " bp and predicts ",
             own.output, " bp of ", own.strands, " strands");
      if (options.part) profile::check_part(*options.part, folders_.back());
    }
    if (options.spread)
      throw UsageError("--spread: only for networks on bases and fine-tuned models, and " + options.model +
                       " is a profile model");
    part_ = options.part.value_or(Part::model);
    auto effects = options.effects.empty() ? std::vector{Effect::p_ref, Effect::p_alt, Effect::lfc, Effect::jsd}
                                           : variants::parse_effects(options.effects);
    if (options.effects.empty() && !options.peaks.empty()) effects.push_back(Effect::aaq);
    const bool has_aaq = std::ranges::find(effects, Effect::aaq) != effects.end();
    if (has_aaq && options.peaks.empty())
      throw UsageError("--effects AAQ needs --peaks, among which quantiles are taken");
    if (!has_aaq && !options.peaks.empty())
      throw UsageError("--peaks: only AAQ reads them, and --effects leaves it out");
    for (const Effect effect : effects)
      if (!variants::applies(effect, variants::Predicted::profile))
        throw UsageError(concat("--effects ", options.effects, ": ", options.model,
                                " is a profile model, which has no ", variants::effect_name(effect)));
    columns_ = variants::columns_of(effects, features_, std::vector<int64_t>{0}, variants::Predicted::profile);
  }

  const std::vector<variants::EffectColumn>& columns() const { return columns_; }
  const std::vector<dataset::Feature>& features() const { return features_; }
  char strand() const { return strands_ == session::Strands::forward ? '+' : '.'; }
  int threads() const { return placement_.streams(); }
  void load(const VariantOptions& options) {
    if (!options.part && config().has_bias())
      log::info(options.model, ": alleles are scored without the bias model (--part whole adds it)");
    for (const auto& folder : folders_) networks_.emplace_back(folder, placement_);
    if (options.peaks.empty()) return;
    profile::ProfileOptions reading;
    reading.genome = options.genome, reading.regions = options.peaks, reading.invalid_bases = options.invalid_bases;
    profile::Windows windows(reading, config().window, config().output, /*in_order=*/false);
    if (windows.total() == 0) fail(options.peaks, ": has no peaks");
    peaks_.resize(networks_.size());
    log::Progress progress("peaks", windows.total(), "windows");
    session::stream(
        threads(), [&] { return windows.next(); },
        [&](profile::ProfileWindow&& window) {
          std::vector<double> counts;
          for (const auto& network : networks_)
            counts.push_back(network.predict(window.bases, part_, strands_).log_counts);
          return counts;
        },
        [&](std::vector<double>&& counts) {
          for (size_t m = 0; m < counts.size(); ++m) peaks_[m].push_back(counts[m]);
          progress.add(1);
        });
    for (auto& counts : peaks_) std::ranges::sort(counts);
  }
  std::vector<std::string> weights_paths() const {
    std::vector<std::string> paths;
    for (const auto& folder : folders_) paths.push_back(folder.weights_path());
    return paths;
  }
  std::vector<std::string> folders() const {
    std::vector<std::string> paths;
    for (const auto& folder : folders_) paths.push_back(folder.path);
    return paths;
  }
  genome::IntervalSet training_intervals() const {
    genome::IntervalSet all;
    for (const auto& folder : folders_) all.add(folder.training_intervals());
    return all;
  }
  /// What a background of random variants needs.
  BackgroundModel background(const VariantOptions& options, const genome::Genome& genome) const {
    auto columns = nlohmann::ordered_json::array();
    for (const auto& column : columns_) columns.push_back(column.name);
    std::vector<genome::Region> places;
    for (const auto& contig : genome.contigs()) places.push_back({contig.name, 0, contig.length, '.'});
    return {.places = places,
            .plan =
                [this](variants::Allele allele, variants::GenomeWindow& window) {
                  auto planned = plan(std::move(allele), window);
                  planned.gc = variants::gc_around(window, planned.allele.contig, planned.allele.position);
                  return planned;
                },
            .score = [this](std::span<const PlannedAllele> alleles) { return score(alleles); },
            .columns = columns_.size(),
            .threads = threads(),
            .identity = {{"models", identity()}, {"columns", columns}},
            .settings = {{"strands", session::strands_name(strands_)},
                         {"part", static_cast<int>(part_)},
                         {"peaks", options.peaks.empty() ? "" : io::md5_of_file(options.peaks)}}};
  }
  nlohmann::ordered_json identity() const {
    auto all = nlohmann::ordered_json::array();
    for (const auto& folder : folders_) all.push_back(model_folder::identity_of(folder.path));
    return all;
  }
  io::Provenance provenance() const {
    io::Provenance provenance;
    for (const auto& folder : folders_) provenance.add("model", model_folder::name_and_md5(folder.path));
    return provenance;
  }

  /// The window whose middle is the change's first base, and what a deletion draws in.
  PlannedAllele plan(variants::Allele allele, variants::GenomeWindow& window) const {
    PlannedAllele planned;
    planned.change = variants::minimal(allele);
    planned.allele = std::move(allele);
    const auto& of = planned.change;
    auto& skip = planned.allele.skip;
    const int64_t ref = std::ssize(of.ref), alt = std::ssize(of.alt);
    if (skip == variants::Skip::none && std::max(ref, alt) > config().output / 2)
      skip = variants::Skip::allele_too_long;
    if (skip != variants::Skip::none) return planned;
    const int64_t start = of.position - config().window / 2;
    planned.intervals = {{of.contig, start, start + config().window, '+'}};
    planned.around_start = start;
    planned.around = window.fetch(of.contig, start, start + config().window + std::max<int64_t>(0, ref - alt));
    const auto of_ref = std::string_view(planned.around).substr(0, static_cast<size_t>(config().window));
    planned.contains_n = of_ref.find('N') != std::string_view::npos;
    if (2 * genome::count_n(of_ref) > config().window) {
      skip = variants::Skip::mostly_n;
      planned.intervals.clear();
    }
    return planned;
  }

  /// [alleles, columns]; NaN for alleles that are skipped.
  std::vector<float> score(std::span<const PlannedAllele> alleles) const {
    std::vector<float> all(alleles.size() * columns_.size(), NAN);
    std::map<std::pair<std::string, int64_t>, std::vector<profile::ProfileNetwork::Original>> references;
    for (size_t i = 0; i < alleles.size(); ++i) {
      const auto& of = alleles[i].change;
      if (alleles[i].allele.skip != variants::Skip::none) continue;
      const auto length = static_cast<size_t>(config().window), before = length / 2;
      const std::string& around = alleles[i].around;
      auto& ref = references[{of.contig, of.position}];
      if (ref.empty())
        for (const auto& network : networks_)
          ref.push_back(network.original(std::string_view(around).substr(0, length), part_, strands_));
      const auto with_alt =
          (around.substr(0, before) + of.alt + around.substr(before + of.ref.size())).substr(0, length);
      std::vector<profile::ProfilePrediction> alt;
      for (size_t m = 0; m < networks_.size(); ++m) alt.push_back(networks_[m].edited(ref[m], with_alt));
      for (size_t c = 0; c < columns_.size(); ++c)
        all[i * columns_.size() + c] = static_cast<float>(mean_effect(columns_[c].effect, of, ref, alt));
    }
    return all;
  }

 private:
  const model_folder::ProfileConfig& config() const { return folders_.front().config; }
  /// The share of the peaks that have fewer counts by a model, and at least one peak's.
  double quantile(size_t m, double log_counts) const {
    const auto& peaks = peaks_[m];
    const auto fewer = std::ranges::lower_bound(peaks, log_counts) - peaks.begin();
    return static_cast<double>(std::max<int64_t>(1, fewer)) / static_cast<double>(peaks.size());
  }
  double mean_effect(Effect effect, const variants::Allele& allele,
                     std::span<const profile::ProfileNetwork::Original> ref,
                     std::span<const profile::ProfilePrediction> alt) const {
    double sum = 0;
    for (size_t m = 0; m < ref.size(); ++m) {
      if (effect == Effect::jsd) {
        auto of_ref = profile::probabilities(ref[m].prediction.logits), of_alt = profile::probabilities(alt[m].logits);
        profile::align_profiles(of_ref, of_alt, config().strands, config().output / 2, std::ssize(allele.ref),
                                std::ssize(allele.alt));
        sum += profile::profile_distance(of_ref, of_alt);
      } else if (effect == Effect::aaq) {
        sum += quantile(m, std::max(ref[m].prediction.log_counts, alt[m].log_counts));
      } else {
        sum += variants::effect_of(effect, {std::exp(ref[m].prediction.log_counts), ref[m].prediction.log_counts},
                                   {std::exp(alt[m].log_counts), alt[m].log_counts});
      }
    }
    return sum / static_cast<double>(ref.size());
  }

  session::Placement placement_;
  session::Strands strands_;
  Part part_ = Part::model;
  std::vector<model_folder::ProfileFolder> folders_;
  std::vector<profile::ProfileNetwork> networks_;
  std::vector<std::vector<double>> peaks_;  // by model: logarithms of expected counts, sorted
  std::vector<dataset::Feature> features_{{"counts", "-", "-", "counts"}};
  std::vector<variants::EffectColumn> columns_;
};

}  // namespace

void predict_profile_variants(const VariantOptions& options) {
  const auto format = io::format_of(options.output, prediction::kVariantFormats);
  refuse_options(options);
  ProfileScorer scorer(options);
  auto inputs = scorer.weights_paths();
  std::ranges::copy(input_files(options), std::back_inserter(inputs));
  const auto files = output_files(options);
  io::refuse_shared_files(files, inputs);
  io::refuse_outputs_in(files, scorer.folders());
  jobs::OutputJob job(options.resume, files, files, scorer.identity());
  if (job.is_finished(inputs)) return complete_index(options);

  const genome::Genome genome(options.genome, options.invalid_bases);
  VariantInput input(options, genome);
  genome::Signals signals(options.tracks, genome);
  jobs::ScoreJournal* const journal = job.open_journal("records", session::kPredictionChunk);
  scorer.load(options);
  std::optional<variants::Background> background;
  if (options.null > 0) background = background_of(options, scorer.background(options, genome), genome);
  VariantOutputs outputs(options,
                         {.format = format,
                          .provenance = scorer.provenance(),
                          .columns = scorer.columns(),
                          .features = scorer.features(),
                          .percentiles = background.has_value(),
                          .strand = scorer.strand()},
                         input.reader.header(), genome);
  RecordChunks chunks(options, input.reader, genome, [&](variants::Allele allele, variants::GenomeWindow& window) {
    auto planned = scorer.plan(std::move(allele), window);
    if (background) planned.gc = variants::gc_around(window, planned.allele.contig, planned.allele.position);
    return planned;
  });
  const auto seen = scorer.training_intervals();
  genome::warn_of_other_genome(seen, options.model, genome.contigs(), genome.path());
  RecordSink sink(scorer.columns(), genome, seen, background ? &*background : nullptr, signals, outputs.writer(),
                  outputs.strongest());
  score_records(options, input, chunks, sink, journal, scorer.threads(), scorer.columns().size(),
                [&](std::span<const PlannedAllele> alleles) { return scorer.score(alleles); });
  outputs.commit(sink, chunks.faults());
  job.finish();
  sink.report(options.genome, chunks.faults());
}

}  // namespace bigdna::variant_effects
