#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/error.h"
#include "io/json.h"
#include "io/output.h"
#include "io/paths.h"
#include "report/readers.h"

namespace bigdna::report {

namespace fs = std::filesystem;

namespace {
/// A number of metrics.jsonl in a picture: baselines are drawn as lines across it.
struct Curve {
  std::string key, name;
  bool baseline = false;
};
struct Panel {
  std::string title, y, note;
  std::vector<Curve> curves;
};

const std::vector<Panel> kPanels = {
    {"Held-out sequence: bits per base of masked tokens",
     "bits per base",
     "Lower is better. Dashed lines are n-gram models at the same masked tokens; the unigram model knows only how "
     "frequent each token is. The model with its context in random order shows what it knows without context.",
     {{"held_out_bpc", "model, held out"},
      {"held_out_bpc_shuffled", "model, context shuffled"},
      {"bpc", "model, in training"},
      {"two_sided_trigram_bpc", "trigrams on both sides", true},
      {"one_sided_trigram_bpc", "trigrams of the tokens before", true},
      {"two_sided_bigram_bpc", "bigrams on both sides", true},
      {"one_sided_bigram_bpc", "bigrams of the token before", true},
      {"unigram_bpc", "unigrams", true}}},
    {"Validation",
     "AUROC or AUPRC",
     "Measured on the validation examples; for several labels the median or, for correlations, the mean.",
     {{"validation_auroc", "AUROC"}, {"validation_auprc", "AUPRC"}}},
    {"Validation",
     "correlation",
     "Measured on the validation examples; for several labels the median or, for correlations, the mean.",
     {{"validation_pearson", "Pearson's r"}, {"validation_spearman", "Spearman's rho"}}},
    {"Training loss",
     "loss",
     "",
     {{"loss", "loss"}, {"mlm_loss", "of masked tokens"}, {"nsp_loss", "of next sentences"}}},
    {"Accuracy",
     "share correct",
     "",
     {{"held_out_accuracy", "masked tokens, held out"},
      {"accuracy", "masked tokens, in training"},
      {"held_out_nsp_accuracy", "next sentences, held out"},
      {"nsp_accuracy", "next sentences, in training"}}},
    {"Learning rate", "learning rate", "", {{"learning_rate", "learning rate"}}}};

using Points = std::vector<std::pair<double, double>>;

constexpr size_t kMostSteps = 120;  // of a curve

/// At most kMostSteps: each the mean of as many neighbours.
Points thinned(const Points& points) {
  const size_t together = (points.size() + kMostSteps - 1) / kMostSteps;
  if (together < 2) return points;
  Points thin;
  for (size_t begin = 0; begin < points.size(); begin += together) {
    const size_t end = std::min(points.size(), begin + together);
    double x = 0, y = 0;
    for (size_t i = begin; i < end; ++i) x += points[i].first, y += points[i].second;
    thin.emplace_back(x / static_cast<double>(end - begin), y / static_cast<double>(end - begin));
  }
  return thin;
}

using Series = std::map<std::string, Points>;  // by key of metrics.jsonl

Series read_series(const std::string& path) {
  Series series;
  std::istringstream text(io::read_file(path));
  int64_t number = 0;
  for (std::string line; std::getline(text, line);) {
    const auto json = io::parse_json(line, concat(path, ':', ++number));
    const auto step = json.find("step");
    if (step == json.end() || !step->is_number()) fail(path, ':', number, ": has no step");
    for (const auto& [key, value] : json.items())
      if (value.is_number() && key != "step") series[key].emplace_back(step->get<double>(), value.get<double>());
  }
  return series;
}

/// Of the last evaluation of pretraining.
void add_bits_headline(Item& item, const Series& series) {
  std::vector<Figure> methods;
  for (const auto& curve : kPanels.front().curves)
    if (const auto found = series.find(curve.key); found != series.end() && curve.key != "bpc")
      methods.push_back({curve.name, "", "", found->second.back().second});
  const auto null = series.find("unigram_bpc");
  if (!series.contains("held_out_bpc")) return;
  item.headline = headline_of("Bits per base of masked tokens in held-out sequence", methods,
                              null == series.end() ? NAN : null->second.back().second, /*lower_is_better=*/true);
}
}  // namespace

void add_training(Item& item, const std::string& folder, int64_t kept) {
  std::vector<std::pair<std::string, Series>> parts;  // by the name of the network, "" for the run itself
  if (io::exists(folder + "/metrics.jsonl")) parts.emplace_back("", read_series(folder + "/metrics.jsonl"));
  for (int network = 1; io::exists(concat(folder, "/network-", network, "/metrics.jsonl")); ++network)
    parts.emplace_back(concat(", network ", network),
                       read_series(concat(folder, "/network-", network, "/metrics.jsonl")));
  for (const auto& panel : kPanels) {
    Section section{"lines", panel.title, panel.note, {"step", panel.y, "series", "baseline"}};
    section.options = {{"x", "step"}, {"y", panel.y}, {"series", "series"}};
    if (&panel != &kPanels.front()) section.options["training"] = true;
    size_t longest = 0;
    for (const auto& [part, series] : parts)
      for (const auto& curve : panel.curves)
        if (const auto found = series.find(curve.key); found != series.end()) {
          longest = std::max(longest, found->second.size());
          for (const auto& [step, value] : thinned(found->second))
            section.add(number(step), number(value), curve.name + part, curve.baseline ? 1 : 0);
        }
    if (longest > kMostSteps)
      section.say(
          concat("Of a curve with more than ", kMostSteps, " steps each point is the mean of neighbouring steps."));
    if (panel.curves.front().key == "learning_rate") section.options["small"] = true;
    if (kept >= 0) section.options["kept"] = kept;
    const auto is_later = [&](const Json& row) { return row[0] != section.rows[0][0]; };  // a point is no curve
    if (std::ranges::any_of(section.rows, is_later)) item.add(std::move(section));
  }
  if (!parts.empty() && !item.headline.is_object()) add_bits_headline(item, parts.front().second);
}

}  // namespace bigdna::report
