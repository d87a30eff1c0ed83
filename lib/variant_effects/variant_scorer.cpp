#include "variant_effects/variant_scorer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "variants/background.h"

namespace bigdna::variant_effects {

using variants::Effect;
using variants::Prediction;

/// A sequence that a model reads: an interval of the reference, or an allele in it.
struct VariantScorer::Sequence {
  variants::EditedText text;
  int64_t original = -1;  // the reference that it was made from; -1 if it is one
  bool reversed = false;  // a reverse complement, whose site is as far from its end
};

/// What a model, or one of its networks, gives for each sequence.
struct VariantScorer::Logits {
  size_t member = 0;          // of the models
  std::vector<float> values;  // [sequences, features]
};

/// One model's results for each sequence.
struct VariantScorer::Outputs {
  Logits logits;                 // from the head
  std::vector<Logits> networks;  // of each network alone; with SPREAD
  std::vector<float> hidden;     // [sequences, hidden_size]: means over tokens
  size_t hidden_size = 0;
  // LLR and GAP of each change: models::log_likelihood_ratios(), models::Model::gap_ratios()
  std::map<Effect, std::vector<double>> ratios;
};

/// The sequences of one strand, by their places among all that are read.
struct VariantScorer::Strand {
  size_t ref, left, right;
  size_t change;  // among the changes; with LLR or GAP
};

struct VariantScorer::Layout {
  std::vector<Sequence> sequences;
  std::vector<models::Change> changes;                     // with LLR or GAP: the whole interval with REF and with ALT
  std::vector<std::vector<std::vector<Strand>>> readings;  // of each allele, of each interval
};

PlannedAllele plan(variants::Allele allele, const VariantPlaces& places, variants::GenomeWindow& window, bool with_gc) {
  PlannedAllele planned;
  planned.change = variants::minimal(allele);
  planned.intervals = places.of(planned.change, window);
  planned.allele = std::move(allele);
  planned.allele.skip = planned.change.skip;
  if (planned.intervals.empty()) return planned;
  int64_t start = planned.intervals[0].start, end = planned.intervals[0].end;
  for (const auto& region : planned.intervals) start = std::min(start, region.start), end = std::max(end, region.end);
  const auto& of = planned.change;
  const int64_t margin = std::abs(static_cast<int64_t>(of.alt.size()) - static_cast<int64_t>(of.ref.size()));
  planned.around_start = start - margin;
  planned.around = window.fetch(of.contig, start - margin, end + margin);
  const std::string_view inside =
      std::string_view(planned.around).substr(static_cast<size_t>(margin), static_cast<size_t>(end - start));
  planned.contains_n = inside.find('N') != std::string_view::npos;
  if (with_gc) planned.gc = variants::gc_around(window, of.contig, of.position);
  return planned;
}

VariantScorer::VariantScorer(const VariantOptions& options)
    : options_(options), models_(options.model, options.ensemble, /*head=*/"", options.run) {
  const auto* task = models_.task();
  const bool numbers = task && models_.details().link.kind == models::Link::Kind::linear;
  others_ = numbers ? variants::Predicted::numbers : variants::Predicted::probabilities;
  auto effects = !options.effects.empty() ? variants::parse_effects(options.effects)
                 : !task                  ? std::vector{Effect::dist}
                 : numbers                ? std::vector{Effect::diff}
                                          : std::vector{Effect::diff, Effect::logit, Effect::sar, Effect::lfc};
  if (options.spread && std::ranges::find(effects, Effect::spread) == effects.end()) effects.push_back(Effect::spread);
  needs_spread_ = std::ranges::find(effects, Effect::spread) != effects.end();
  if (needs_spread_) models::Spread::require_several(models_);
  for (const Effect effect : effects)
    (effect == Effect::dist  ? needs_hidden_
     : effect == Effect::llr ? needs_likelihoods_
     : effect == Effect::gap ? needs_gaps_
                             : needs_scores_) = true;
  if (needs_scores_ && !task)
    throw UsageError(
        concat("--effects ", options.effects, ": ", models_.path(),
               " has no task head, so DIST and LLR are its only effects (and GAP, if it was trained with gaps; bigdna "
               "finetune makes a model with one)"));
  for (const auto& member : models_.members())
    if (needs_hidden_ && member.folder().network)
      throw UsageError(concat("--effects ", options.effects, ": ", member.folder().path,
                              " is a network on bases, which has no DIST"));
  for (const auto& member : models_.members())
    if (needs_likelihoods_ && !member.is_language_model())
      throw UsageError(concat("--effects ", options.effects, ": ", member.folder().path,
                              " is not a language model, so it has no LLR (bigdna pretrain makes one)"));
  for (const auto& member : models_.members())
    if (needs_gaps_ && !member.reads_gaps())
      throw UsageError(concat("--effects ", options.effects, ": ", member.folder().path,
                              " was not trained with gaps, so it has no GAP (bigdna pretrain --objective next --gaps "
                              "SHARE makes a model that was)"));
  details_ = models_.details();
  if (needs_likelihoods_ || needs_gaps_) details_.strands = session::Strands::average;
  if (!options.features.empty() && !(task && task->named_outputs))
    throw UsageError("--features: only for models of chromatin and of tables");
  const auto chosen = models_.features().empty() ? std::vector<int64_t>()
                                                 : dataset::choose_features(models_.features(), options.features);
  columns_ = variants::columns_of(effects, models_.features(), chosen, others_);
  for (const Effect effect : effects)
    if (!options.effects.empty() &&
        std::ranges::find(columns_, effect, &variants::EffectColumn::effect) == columns_.end())
      throw UsageError(concat("--effects ", options.effects, ": ", models_.path(), " predicts ",
                              effect == Effect::lfc ? "no counts"
                              : numbers             ? "numbers, not probabilities"
                                                    : "counts, not probabilities",
                              ": it has no ", variants::effect_name(effect)));
}

std::vector<variants::EffectColumn> VariantScorer::columns_of(const std::vector<Effect>& effects,
                                                              const std::vector<int64_t>& features) const {
  if (!needs_scores_) return {};
  return variants::columns_of(effects, models_.features(), features, others_);
}

void VariantScorer::load() {
  models_.load();
  if (needs_spread_) spread_.emplace(models_);
}

std::vector<variants::EffectColumn> VariantScorer::ranked_columns() const {
  std::vector<variants::EffectColumn> ranked;
  for (const auto& column : columns_)
    if (variants::has_percentile(column.effect)) ranked.push_back(column);
  return ranked;
}

nlohmann::ordered_json VariantScorer::identity() const {
  auto columns = nlohmann::ordered_json::array();
  for (const auto& column : columns_) columns.push_back(column.name);
  const auto& placement = models_.placement();
  return {{"models", models_.identity()},
          {"columns", columns},
          {"precision", placement.precision()},
          {"device", placement.device.is_cpu() ? "cpu" : "cuda"},
          {"backend", placement.backend}};
}

VariantScorer::Outputs VariantScorer::outputs_of(size_t member, const Layout& layout) const {
  const auto& model = models_.members()[member];
  std::vector<models::Reading> readings;
  for (const auto& sequence : layout.sequences)
    readings.push_back({.bases = &sequence.text.bases,
                        .reversed = sequence.reversed,
                        .original = sequence.original,
                        .shared = sequence.text.shared});
  Outputs outputs;
  if (needs_hidden_) {
    outputs.hidden = model.text_means(readings);
    outputs.hidden_size = outputs.hidden.size() / std::max<size_t>(1, readings.size());
  }
  if (needs_scores_) outputs.logits = {member, model.logits(readings)};
  if (needs_spread_)
    for (auto& logits : spread_->logits(models_, member, readings))
      outputs.networks.push_back({member, std::move(logits)});
  if (needs_likelihoods_) outputs.ratios[Effect::llr] = model.log_likelihood_ratios(layout.changes);
  if (needs_gaps_) outputs.ratios[Effect::gap] = model.gap_ratios(layout.changes);
  return outputs;
}

namespace {
/// The interval with REF and with ALT, on the strand that is read.
models::Change change_of(const variants::Allele& allele, const genome::Region& region,
                         const std::function<std::string(int64_t, int64_t)>& fetch, bool backward) {
  models::Change change;
  change.before = change.after = fetch(region.start, region.end);
  change.at = allele.position - region.start;
  change.before_length = std::ssize(allele.ref), change.after_length = std::ssize(allele.alt);
  change.after.replace(static_cast<size_t>(change.at), allele.ref.size(), allele.alt);
  return backward ? models::reverse_complement(change) : change;
}
}  // namespace

VariantScorer::Layout VariantScorer::lay_out(std::span<const PlannedAllele> alleles,
                                             const VariantPlaces& places) const {
  Layout layout;
  layout.readings.resize(alleles.size());
  std::map<std::tuple<std::string, int64_t, int64_t, char, bool>, size_t> references;
  for (size_t i = 0; i < alleles.size(); ++i) {
    const auto& planned = alleles[i];
    const auto fetch = [&](int64_t start, int64_t end) {
      return planned.around.substr(static_cast<size_t>(start - planned.around_start), static_cast<size_t>(end - start));
    };
    for (const auto& region : planned.intervals) {
      auto& of_interval = layout.readings[i].emplace_back();
      for (const bool reversed : {false, true}) {
        if (reversed && !places.averaged()) continue;
        const bool backward = (region.strand == '-') != reversed;
        const auto add = [&](variants::EditedText text, int64_t original) {
          if (backward) text = reverse_complement(std::move(text), region.length());
          layout.sequences.push_back({std::move(text), original, reversed});
          return layout.sequences.size() - 1;
        };
        const auto [found, added] = references.try_emplace(
            {region.contig, region.start, region.end, region.strand, reversed}, layout.sequences.size());
        if (added) add({fetch(region.start, region.end), {}}, -1);
        const auto ref = found->second;
        const auto alternative = [&](variants::Shared side) {
          return add(edited(planned.change, region.start, region.end, side, fetch), static_cast<int64_t>(ref));
        };
        const size_t left = alternative(variants::Shared::left);
        const bool same_length = planned.change.ref.size() == planned.change.alt.size();
        of_interval.push_back(
            {ref, left, same_length ? left : alternative(variants::Shared::right), layout.changes.size()});
        if (needs_likelihoods_ || needs_gaps_)
          layout.changes.push_back(change_of(planned.change, region, fetch, backward));
      }
    }
  }
  return layout;
}

namespace {
/// As Predictor::score(): the mean of the strands' logits, corrected for the weights of training, [features]. Log-odds
/// are the model's own, so that none is lost near probabilities of 0 and 1. `rows`: of the strands, among `logits`.
std::vector<Prediction> predictions(const models::Link& link, const std::vector<float>& logits,
                                    std::span<const size_t> rows, size_t features) {
  std::vector<double> log_odds(features, 0);
  for (const size_t row : rows)
    for (size_t f = 0; f < features; ++f) log_odds[f] += logits[row * features + f] / static_cast<double>(rows.size());
  std::vector<double> answer = log_odds;
  link.to_log_odds(log_odds);
  link.apply(answer, static_cast<int64_t>(features));
  link.correct(answer, static_cast<int64_t>(features));
  std::vector<Prediction> all(features);
  for (size_t f = 0; f < features; ++f) all[f] = {answer[f], log_odds[f]};
  return all;
}
}  // namespace

Scores VariantScorer::scores_of(const std::vector<const Logits*>& logits,
                                const std::vector<Strand>& of_interval) const {
  const size_t features = needs_scores_ ? models_.features().size() : 0;
  const auto mean = [&](size_t Strand::*which) {
    std::vector<size_t> rows;
    for (const auto& strand : of_interval) rows.push_back(strand.*which);
    std::vector<Prediction> sum(features);
    for (size_t m = 0; m < logits.size() && features > 0; ++m) {
      const auto of =
          predictions(models_.members()[logits[m]->member].details().link, logits[m]->values, rows, features);
      for (size_t f = 0; f < features; ++f) {
        sum[f].logit += of[f].logit / static_cast<double>(logits.size());
        sum[f].probability += of[f].probability / static_cast<double>(logits.size());
      }
    }
    return sum;
  };
  return {mean(&Strand::ref), mean(&Strand::left), mean(&Strand::right)};
}

namespace {
/// The Euclidean distance of two sequences' states, [sequences, `size`].
double distance(const std::vector<float>& hidden, size_t size, size_t one, size_t other) {
  double sum = 0;
  for (size_t k = 0; k < size; ++k) {
    const double difference = static_cast<double>(hidden[one * size + k]) - hidden[other * size + k];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}
}  // namespace

void VariantScorer::effects(const std::vector<Outputs>& outputs, const std::vector<std::vector<Strand>>& of_allele,
                            bool largest_score, std::span<const variants::EffectColumn> columns,
                            std::span<float> row) const {
  const auto scores_by = [&](const std::vector<const Logits*>& logits) {
    return collect(of_allele.size(), largest_score, [&](size_t i) { return scores_of(logits, of_allele[i]); });
  };
  std::vector<const Logits*> of_models;
  for (const auto& of_model : outputs) of_models.push_back(&of_model.logits);
  const AlleleScores scores = scores_by(of_models);
  std::vector<AlleleScores> networks;
  if (std::ranges::find(columns, Effect::spread, &variants::EffectColumn::effect) != columns.end())
    for (const auto& of_model : outputs)
      for (const auto& network : of_model.networks) networks.push_back(scores_by({&network}));
  // of each interval: the mean over models and strands, and for DIST over both ways to align the allele
  std::map<Effect, std::vector<double>> of_intervals;
  for (const auto& interval : of_allele) {
    std::map<Effect, double> sums;
    for (const auto& of_model : outputs)
      for (const auto& reading : interval) {
        if (needs_hidden_)
          sums[Effect::dist] += (distance(of_model.hidden, of_model.hidden_size, reading.left, reading.ref) +
                                 distance(of_model.hidden, of_model.hidden_size, reading.right, reading.ref)) /
                                2;
        for (const auto& [effect, ratios] : of_model.ratios) sums[effect] += ratios[reading.change];
      }
    for (const auto& [effect, sum] : sums)
      of_intervals[effect].push_back(sum / static_cast<double>(outputs.size() * interval.size()));
  }
  for (size_t column = 0; column < columns.size(); ++column) {
    const auto effect = columns[column].effect;
    const auto f = static_cast<size_t>(columns[column].feature);
    double value = 0;
    if (!is_of_outputs(effect)) {
      for (const double of_interval : of_intervals[effect])
        if (std::isnan(of_interval) || std::abs(of_interval) > std::abs(value)) value = of_interval;
    } else if (effect == Effect::spread) {
      value = spread_of(f, variants::predicted(models_.features()[f], others_), networks);
    } else {
      value = effect_of(effect, f, scores);
    }
    row[column] = static_cast<float>(value);
  }
}

std::vector<float> VariantScorer::score(std::span<const PlannedAllele> alleles, const VariantPlaces& places,
                                        std::span<const variants::EffectColumn> columns) const {
  const Layout layout = lay_out(alleles, places);
  std::vector<Outputs> outputs;  // of each model
  if (!layout.sequences.empty())
    for (size_t member = 0; member < models_.size(); ++member) outputs.push_back(outputs_of(member, layout));
  const size_t width = columns.size();
  std::vector<float> values(alleles.size() * width, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < alleles.size(); ++i)
    if (!layout.readings[i].empty())
      effects(outputs, layout.readings[i], places.largest_score(), columns,
              std::span(values).subspan(i * width, width));
  return values;
}

}  // namespace bigdna::variant_effects
