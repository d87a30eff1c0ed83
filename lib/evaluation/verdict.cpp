#include "evaluation/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/table.h"
#include "evaluation/evaluation_text.h"
#include "io/lines.h"

namespace bigdna::evaluation {

namespace {
using Json = nlohmann::ordered_json;
constexpr size_t kNamed = 3;  // outputs in a sentence
constexpr std::string_view kLine = "##verdict=";
constexpr std::string_view kWorse = "WORSE";

/// What a model may be judged by.
struct Rival {
  std::string_view name, words, use;  // `use`: what to do where the model is worse
  std::string_view help = {};         // what may help where it is no better
};
constexpr std::string_view kBeginFrom =
    "more training examples, longer training, a trained model to begin from or an encoder may help (bigdna train "
    "--epochs, --from, --encoder)";
constexpr std::string_view kUseKmers =
    "use k-mers (bigdna train has them), train longer, or begin from a trained model (bigdna train --epochs, --from)";
constexpr Rival kRivals[] = {
    {"kmers", "k-mers", kUseKmers, kBeginFrom},
    {"kmers-bin", "k-mers of the bin", kUseKmers, kBeginFrom},
    {"kmers-refit", "k-mers fitted to these training examples", "train on such examples, or use k-mers"},
    {"kmers-refit-bin", "k-mers of the bin fitted to these training examples", "train on such examples, or use k-mers"},
    {"gc", "GC content", "use GC content, or begin from a trained model (train --from)"},
    {"constant", "a constant", "do not use this model"},
    {"mean", "the mean of the training regions", "do not use this model"},
    {"shuffled", "the observed profile in random order", "do not use this model"},
    {"bias", "the bias model alone", "use the bias model alone"},
    {kChance, "chance", "do not use this model"}};

/// What models are judged by, the first that they have; `chance`: what knowing nothing reaches. The second is for what
/// has none of the first, such as the correlation of a constant.
struct JudgedBy {
  std::string_view name, words;
  double chance;
  std::string_view second, second_words;
};
constexpr JudgedBy kJudgedBy[] = {
    {"auroc", "AUROC", 0.5, "", ""},
    {"auroc_median", "median AUROC", 0.5, "", ""},
    {"pearson_log1p", "Pearson's r of log(1 + count)", 0, "r2_log1p", "R2 of log(1 + count)"},
    {"pearson", "Pearson's r", 0, "r2", "R2"},
    {"jsd_median", "median Jensen-Shannon distance", 0, "", ""}};

std::string_view words_of(std::string_view metric) {
  for (const auto& known : kJudgedBy) {
    if (known.name == metric) return known.words;
    if (known.second == metric) return known.second_words;
  }
  return metric;
}

Standing standing_of(const metrics::Estimate& difference) {
  if (difference.high < 0) return Standing::worse;
  if (difference.low > 0) return Standing::better;
  return std::isnan(difference.low) ? Standing::undecided : Standing::no_better;
}

/// "0.061 [0.030, 0.095]"
std::string interval_text(const metrics::Estimate& estimate) {
  const int digits = std::abs(estimate.value) < 0.01 ? 4 : 3;
  const auto text = [&](double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
    return std::string(buffer);
  };
  if (std::isnan(estimate.low)) return text(estimate.value);
  return concat(text(estimate.value), " [", text(estimate.low), ", ", text(estimate.high), "]");
}

std::string sentence(Standing standing, const Comparison& comparison) {
  const auto* baseline = find_row(kRivals, comparison.than);
  const auto& difference = comparison.difference;
  const std::string than(baseline->words), metric = concat(" (", words_of(comparison.metric), ")");
  switch (standing) {
    case Standing::worse:
      return concat(kWorse, " than ", than, " by ",
                    interval_text({-difference.value, -difference.high, -difference.low}), metric, ": ", baseline->use);
    case Standing::no_better:
      return concat("no better than ", than, ": difference ", interval_text(difference), metric,
                    baseline->help.empty() ? "" : "; ", baseline->help);
    case Standing::better:
      return concat("better than ", than, " by ", interval_text(difference), metric);
    case Standing::undecided:
      break;
  }
  return concat("no verdict: ", interval_text(difference), " from ", than, metric, ", without an interval");
}

/// Whether a model's metric is a baseline's in every resample, as where both predict the same.
bool is_same(const Comparison& comparison) {
  const auto& difference = comparison.difference;
  return comparison.than != kChance && difference.value == 0 && difference.low == 0 && difference.high == 0;
}

double number_of(const Json& estimate, const char* key) {
  return estimate.contains(key) && estimate[key].is_number() ? estimate[key].get<double>() : NAN;
}
metrics::Estimate estimate_of(const Json& json) {
  return {number_of(json, "value"), number_of(json, "low"), number_of(json, "high")};
}

const Json& member(const Json& json, const std::string& key) {
  static const Json none = Json::object();
  return json.contains(key) ? json[key] : none;
}

/// `methods`: the metrics of each. `differences`: of "FIRST-OTHER".
std::vector<Comparison> comparisons_of(const Json& methods, const Json& differences, const std::string& first) {
  std::vector<Comparison> all;
  const Json& own = member(methods, first);
  const auto* metric = std::ranges::find_if(kJudgedBy, [&](const auto& each) { return own.contains(each.name); });
  if (metric == std::end(kJudgedBy)) return all;
  for (const auto& baseline : kRivals) {
    const Json& difference = member(differences, concat(first, "-", baseline.name));
    for (const auto name : {metric->name, metric->second}) {
      const auto estimate = estimate_of(member(difference, std::string(name)));
      if (std::isnan(estimate.value)) continue;
      all.push_back({std::string(baseline.name), std::string(name), estimate});
      break;
    }
  }
  auto over_chance = estimate_of(own[std::string(metric->name)]);
  for (double* end : {&over_chance.value, &over_chance.low, &over_chance.high}) *end -= metric->chance;
  all.push_back({std::string(kChance), std::string(metric->name), over_chance});
  return all;
}

/// Of each of the outputs in a list: its difference to the baseline that decided, by `difference_of`.
template <class DifferenceOf>
void add_outputs_of(Verdict& verdict, const Json& list, const std::vector<std::string>& names,
                    DifferenceOf difference_of) {
  if (!verdict.comparison) return;
  int64_t outputs = 0;
  std::vector<std::string> worse;
  for (const auto& output : list) {
    const auto difference = estimate_of(difference_of(output));
    if (std::isnan(difference.value)) continue;
    ++outputs;
    if (standing_of(difference) == Standing::worse) worse.push_back(names[output["index"].template get<size_t>()]);
  }
  add_outputs(verdict, outputs, std::move(worse));
}
}  // namespace

Verdict verdict_on(std::string of, const std::vector<Comparison>& comparisons) {
  Verdict verdict{.of = std::move(of)};
  std::vector<std::string> metrics;
  for (const auto& each : comparisons)
    if (std::ranges::find(metrics, each.metric) == metrics.end()) metrics.push_back(each.metric);
  const auto weight = [&](const Comparison& each) {
    return std::tuple(standing_of(each.difference), std::ranges::find(metrics, each.metric), each.difference.value);
  };
  for (const auto& each : comparisons)
    if (!std::isnan(each.difference.value) && !is_same(each) &&
        (!verdict.comparison || weight(each) < weight(*verdict.comparison)))
      verdict.comparison = each;
  if (!verdict.comparison) {
    verdict.text = "no verdict: no baseline has a score of these rows";
    return verdict;
  }
  verdict.standing = standing_of(verdict.comparison->difference);
  verdict.text = sentence(verdict.standing, *verdict.comparison);
  if (const auto same = std::ranges::find_if(comparisons, is_same); same != comparisons.end())
    verdict.text += concat("; no different in any resample from ", find_row(kRivals, same->than)->words);
  else if (std::ranges::all_of(comparisons, [](const auto& each) { return each.than == kChance; }))
    verdict.text += "; no other baseline was measured";
  return verdict;
}

void add_outputs(Verdict& verdict, int64_t outputs, std::vector<std::string> worse) {
  verdict.outputs = outputs;
  verdict.worse = std::move(worse);
  if (outputs < 2 || verdict.worse.empty()) return;
  verdict.text += concat("; ", kWorse, " in ", verdict.worse.size(), " of ", counted(outputs, "output"), " (",
                         first_of(verdict.worse, kNamed), ")");
}

void add_seen(Verdict& verdict, std::optional<int64_t> seen, int64_t rows) {
  if (seen.value_or(0) > 0)
    verdict.text += concat("; ", *seen, " of these ", counted(rows, "example"), *seen == 1 ? " was" : " were",
                           " in the training data, which flatters the model");
}

std::vector<Verdict> verdicts_of(const Json& evaluation, const std::string& method,
                                 const std::vector<std::string>& outputs, std::optional<int64_t> seen, int64_t rows) {
  std::vector<Verdict> verdicts;
  if (evaluation.contains("methods"))
    verdicts.push_back(
        verdict_on("labels", comparisons_of(evaluation["methods"], member(evaluation, "differences"), method)));
  if (evaluation.contains("groups")) {
    const Json& all = evaluation["groups"].back();  // its last group is all of them
    auto& verdict = verdicts.emplace_back(verdict_on("labels", comparisons_of(all, all, method)));
    add_outputs_of(verdict, evaluation["features"], outputs, [&](const Json& feature) -> const Json& {
      return member(feature, "minus_" + verdict.comparison->than);
    });
  }
  if (evaluation.contains("all_tracks")) {
    const Json& all = evaluation["all_tracks"];
    auto& verdict = verdicts.emplace_back(verdict_on("tracks", comparisons_of(all, all, method)));
    add_outputs_of(verdict, evaluation["tracks"], outputs, [&](const Json& track) -> const Json& {
      return member(member(track["all"], concat(method, "-", verdict.comparison->than)), verdict.comparison->metric);
    });
  }
  for (auto& verdict : verdicts) {
    if (verdicts.size() > 1) verdict.text.insert(0, verdict.of + ": ");
    add_seen(verdict, seen, rows);
  }
  return verdicts;
}

Json to_json(const std::vector<Verdict>& verdicts) {
  constexpr const char* kStandings[] = {"worse", "no better", "undecided", "better"};
  Json list = Json::array();
  for (const auto& verdict : verdicts) {
    Json& json = list.emplace_back();
    json = {{"of", verdict.of}, {"standing", kStandings[static_cast<size_t>(verdict.standing)]}};
    if (verdict.comparison) {
      json["than"] = verdict.comparison->than;
      json["metric"] = verdict.comparison->metric;
      json["difference"] = json_estimate(verdict.comparison->difference);
    }
    if (verdict.outputs > 0) json["outputs"] = verdict.outputs;
    if (verdict.outputs > 0) json["worse"] = verdict.worse;
    json["text"] = verdict.text;
  }
  return list;
}

void log_verdicts(std::string_view table) {
  constexpr std::string_view kDataset = "##dataset=";
  std::string of;  // the dataset, where there are several
  for (const auto line : io::split(table, '\n')) {
    if (line.starts_with(kDataset)) of = concat(line.substr(kDataset.size()), ": ");
    if (!line.starts_with(kLine)) continue;
    const auto text = of + std::string(line.substr(kLine.size()));
    if (text.find(kWorse) != text.npos)
      log::warn("verdict: ", text);
    else
      log::info("verdict: ", text);
  }
}

}  // namespace bigdna::evaluation
