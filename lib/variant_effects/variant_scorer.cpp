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

/// One model's results for each sequence.
struct VariantScorer::Outputs {
  std::vector<float> logits;  // [sequences, features], from the head
  std::vector<float> hidden;  // [sequences, hidden_size]: means over tokens
  size_t hidden_size = 0;
  std::vector<double> ratios;  // of each change: models::log_likelihood_ratios()
};

/// The sequences of one strand, by their places among all that are read.
struct VariantScorer::Strand {
  size_t ref, left, right;
  size_t change;  // among the changes; with LLR
};

struct VariantScorer::Layout {
  std::vector<Sequence> sequences;
  std::vector<models::Change> changes;  // with LLR: the whole interval with REF and with ALT, of another length
  std::vector<std::vector<std::vector<Strand>>> readings;  // of each allele, of each interval
};

PlannedAllele plan(variants::Allele allele, const VariantPlaces& places, variants::GenomeWindow& window, bool with_gc) {
  PlannedAllele planned;
  planned.intervals = places.of(allele, window);
  planned.allele = std::move(allele);
  if (planned.intervals.empty()) return planned;
  int64_t start = planned.intervals[0].start, end = planned.intervals[0].end;
  for (const auto& region : planned.intervals) start = std::min(start, region.start), end = std::max(end, region.end);
  const auto& of = planned.allele;
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
  const auto effects = !options.effects.empty() ? variants::parse_effects(options.effects)
                       : !task                  ? std::vector{Effect::dist}
                       : numbers                ? std::vector{Effect::diff}
                                                : std::vector{Effect::diff, Effect::logit, Effect::sar, Effect::lfc};
  for (const Effect effect : effects)
    (effect == Effect::dist ? needs_hidden_ : effect == Effect::llr ? needs_likelihoods_ : needs_scores_) = true;
  if (needs_scores_ && !task)
    throw UsageError(
        concat("--effects ", options.effects, ": ", models_.path(),
               " has no task head, so DIST and LLR are its only effects (bigdna finetune makes a model with "
               "one)"));
  for (const auto& member : models_.members())
    if (needs_hidden_ && member.folder().network)
      throw UsageError(concat("--effects ", options.effects, ": ", member.folder().path,
                              " is a network on bases, which has no DIST"));
  for (const auto& member : models_.members())
    if (needs_likelihoods_ && !member.is_language_model())
      throw UsageError(concat("--effects ", options.effects, ": ", member.folder().path,
                              " is not a language model, so it has no LLR (bigdna pretrain makes one)"));
  details_ = models_.details();
  if (needs_likelihoods_) details_.strands = session::Strands::average;
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

VariantScorer::Outputs VariantScorer::outputs_of(const models::Model& model, const Layout& layout) const {
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
  if (needs_scores_) outputs.logits = model.logits(readings);
  if (needs_likelihoods_) outputs.ratios = model.log_likelihood_ratios(layout.changes);
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
          return add(edited(planned.allele, region.start, region.end, side, fetch), static_cast<int64_t>(ref));
        };
        const size_t left = alternative(variants::Shared::left);
        const bool same_length = planned.allele.ref.size() == planned.allele.alt.size();
        of_interval.push_back(
            {ref, left, same_length ? left : alternative(variants::Shared::right), layout.changes.size()});
        if (needs_likelihoods_) layout.changes.push_back(change_of(planned.allele, region, fetch, backward));
      }
    }
  }
  return layout;
}

/// As Predictor::score(): the mean of the strands' logits, corrected for the weights of training, then the mean over
/// models. Log-odds are the models' own, so that none is lost near probabilities of 0 and 1.
std::vector<Prediction> VariantScorer::predictions(const std::vector<Outputs>& outputs,
                                                   const std::vector<Strand>& of_interval,
                                                   size_t Strand::*which) const {
  const size_t features = models_.features().size();
  std::vector<Prediction> mean(needs_scores_ ? features : 0);
  for (size_t m = 0; m < models_.size() && needs_scores_; ++m) {
    const auto& meaning = models_.members()[m].details().link;
    std::vector<double> logits(features, 0);
    for (const auto& strand : of_interval) {
      const float* of_strand = outputs[m].logits.data() + strand.*which * features;
      for (size_t f = 0; f < features; ++f) logits[f] += of_strand[f] / static_cast<double>(of_interval.size());
    }
    std::vector<double> answer = logits;
    meaning.to_log_odds(logits);
    meaning.apply(answer, static_cast<int64_t>(features));
    meaning.correct(answer, static_cast<int64_t>(features));
    for (size_t f = 0; f < features; ++f) {
      mean[f].logit += logits[f] / static_cast<double>(models_.size());
      mean[f].probability += answer[f] / static_cast<double>(models_.size());
    }
  }
  return mean;
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

void add(std::vector<Prediction>& sums, const std::vector<Prediction>& others) {
  for (size_t f = 0; f < others.size(); ++f) sums[f].probability += others[f].probability;
}

/// Of each feature the larger of both.
void keep_larger(std::vector<Prediction>& all, const std::vector<Prediction>& others) {
  for (size_t f = 0; f < all.size(); ++f) {
    all[f].probability = std::max(all[f].probability, others[f].probability);
    all[f].logit = std::max(all[f].logit, others[f].logit);
  }
}
}  // namespace

void VariantScorer::effects(const std::vector<Outputs>& outputs, const std::vector<std::vector<Strand>>& of_allele,
                            bool largest_score, std::span<const variants::EffectColumn> columns,
                            std::span<float> row) const {
  struct Scores {
    std::vector<Prediction> ref, left, right;  // by feature
  };
  std::vector<Scores> scores;     // of each interval, or the largest of all
  Scores sums;                    // over all intervals
  std::vector<double> distances;  // of each interval: the mean over models, strands and both ways to align the allele
  std::vector<double> ratios;     // of each interval: the mean over models and strands
  for (const auto& interval : of_allele) {
    Scores of{predictions(outputs, interval, &Strand::ref), predictions(outputs, interval, &Strand::left),
              predictions(outputs, interval, &Strand::right)};
    if (sums.ref.empty()) {
      sums = of;
    } else {
      add(sums.ref, of.ref);
      add(sums.left, of.left);
      add(sums.right, of.right);
    }
    if (scores.empty() || !largest_score) {
      scores.push_back(std::move(of));
    } else {
      keep_larger(scores[0].ref, of.ref);
      keep_larger(scores[0].left, of.left);
      keep_larger(scores[0].right, of.right);
    }
    double distance_sum = 0, ratio_sum = 0;
    for (const auto& of_model : outputs)
      for (const auto& reading : interval) {
        if (needs_hidden_)
          distance_sum += (distance(of_model.hidden, of_model.hidden_size, reading.left, reading.ref) +
                           distance(of_model.hidden, of_model.hidden_size, reading.right, reading.ref)) /
                          2;
        if (needs_likelihoods_) ratio_sum += of_model.ratios[reading.change];
      }
    const auto readings = static_cast<double>(outputs.size() * interval.size());
    distances.push_back(distance_sum / readings);
    ratios.push_back(ratio_sum / readings);
  }
  for (size_t column = 0; column < columns.size(); ++column) {
    const auto effect = columns[column].effect;
    const auto f = static_cast<size_t>(columns[column].feature);
    double value = 0;
    const auto take = [&](double candidate) {
      if (std::isnan(candidate) || std::abs(candidate) > std::abs(value)) value = candidate;
    };
    const auto mean_of_sides = [&](const Scores& of) {
      return (effect_of(effect, of.ref[f], of.left[f]) + effect_of(effect, of.ref[f], of.right[f])) / 2;
    };
    if (!is_of_outputs(effect))
      for (const double of_interval : effect == Effect::dist ? distances : ratios) take(of_interval);
    else if (effect == Effect::lfc)
      value = mean_of_sides(sums);
    else
      for (const auto& of_interval : scores) take(mean_of_sides(of_interval));
    row[column] = static_cast<float>(value);
  }
}

std::vector<float> VariantScorer::score(std::span<const PlannedAllele> alleles, const VariantPlaces& places,
                                        std::span<const variants::EffectColumn> columns) const {
  const Layout layout = lay_out(alleles, places);
  std::vector<Outputs> outputs;  // of each model
  if (!layout.sequences.empty())
    for (const auto& member : models_.members()) outputs.push_back(outputs_of(member, layout));
  const size_t width = columns.size();
  std::vector<float> values(alleles.size() * width, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < alleles.size(); ++i)
    if (!layout.readings[i].empty())
      effects(outputs, layout.readings[i], places.largest_score(), columns,
              std::span(values).subspan(i * width, width));
  return values;
}

}  // namespace bigdna::variant_effects
