#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/table.h"
#include "dataset/features.h"
#include "report/readers.h"

namespace bigdna::report {

namespace {
/// What the first screen may show, the best first, and what a model that knows nothing would reach.
struct Headline {
  const char* metric;
  const char* title;
  double null;
};
constexpr Headline kHeadlines[] = {{"auroc", "AUROC", 0.5},
                                   {"auroc_median", "Median AUROC of the features", 0.5},
                                   {"pearson_log1p", "Pearson's correlation of log(1 + count)", 0},
                                   {"pearson", "Pearson's correlation of predicted and measured numbers", 0},
                                   {"mcc", "Matthews' correlation coefficient", 0}};
constexpr std::string_view kCounts[] = {"features", "scored", "rows", "positives"};  // the same for every method
/// What the methods of a picture are, those that it has.
constexpr std::pair<const char*, const char*> kMethods[] = {
    {"bigdna", "the model"},
    {"kmers", "a regression on k-mer frequencies of the same training examples"},
    {"kmers-bin", "the same for the bin alone"},
    {"network", "its network alone"},
    {"encoder", "its encoder alone"},
    {"kernel", "its kernel model alone"},
    {"gc", "a regression on GC content"},
    {"constant", "the same prediction for every example"},
    {"halves", "one half of the reads compared with the other"}};
std::string text_of_methods(const std::vector<Figure>& figures) {
  std::string text;
  for (const auto& [name, what] : kMethods)
    if (std::ranges::find(figures, name, &Figure::method) != figures.end())
      text += concat(text.empty() ? "Methods: " : "; ", name, ", ", what);
  return text.empty() ? text : text + ". ";
}

/// What the bars of a picture are. `resampled`: what the evaluation says that it resampled, "" if it does not.
std::string bars_text(const std::string& resampled) {
  return resampled.empty() ? "Bars are 95 % intervals." : "Bars are 95 % intervals over resampled " + resampled + ".";
}

/// A value of a table's ## lines; "" without it.
std::string fact_of(const Table& table, std::string_view wanted) {
  for (const auto& [key, value] : table.facts())
    if (key == wanted) return value;
  return "";
}

/// The first method less each other one: "bigdna-kmers", if there is a method "kmers".
std::set<std::string> differences_of(const std::vector<Figure>& figures) {
  std::set<std::string> differences;
  for (const auto& figure : figures) differences.insert(concat(figures.front().method, '-', figure.method));
  return differences;
}

void add_figures(Item& item, const std::vector<Figure>& figures, const std::string& split,
                 const std::string& resampled) {
  if (figures.empty()) return;
  const auto is_difference = [names = differences_of(figures)](const Figure& figure) {
    return names.contains(figure.method);
  };
  Section metrics{"intervals",
                  "Metrics of the " + split + " examples",
                  text_of_methods(figures) + bars_text(resampled),
                  {"method", "examples", "metric", "value", "low", "high"}};
  Section differences{
      "intervals",
      "The model minus each other method",
      "Paired differences: the same resamples for both. An interval that leaves out 0 shows which is better.",
      {"method", "examples", "metric", "value", "low", "high"}};
  metrics.options = {{"filter", {"metric", "examples"}}};
  differences.options = {{"filter", {"metric", "examples"}}, {"null", 0}};
  for (const auto& figure : figures) {
    const bool difference = is_difference(figure);
    if (difference && std::ranges::find(kCounts, figure.metric) != std::end(kCounts)) continue;
    (difference ? differences : metrics)
        .add(figure.method, figure.group, figure.metric, number(figure.value), number(figure.low), number(figure.high));
  }
  for (const auto& headline : kHeadlines) {
    std::vector<Figure> methods;
    for (const auto& figure : figures)
      if (figure.metric == headline.metric && figure.group == figures.back().group && !is_difference(figure) &&
          !std::isnan(figure.value))
        methods.push_back(figure);
    if (methods.empty()) continue;
    item.headline = headline_of(concat(headline.title, ", ", split, " examples"), methods, headline.null, false);
    item.headline["metric"] = headline.metric;
    const auto count = [&](const char* metric) {
      for (const auto& figure : figures)
        if (figure.metric == metric && figure.group == methods[0].group && figure.method == methods[0].method)
          return figure.value;
      return std::nan("");
    };
    if (const double all = count("features"), scored = count("scored"); all > 1 && !std::isnan(scored))
      item.headline["averaged"] = averaged("median", static_cast<size_t>(scored), static_cast<size_t>(all), "features");
    metrics.options["first"] = headline.metric;
    differences.options["first"] = headline.metric;
    break;
  }
  item.add(std::move(metrics));
  item.add(std::move(differences));
  item.figures = figures;
}

/// "cpg_auroc" is the AUROC of one part of the rows.
Figure of_part(Figure figure) {
  for (const auto& [prefix, group] : {std::pair{"non_cpg_", "promoters without CpG island"}, {"cpg_", "CpG promoters"}})
    if (figure.metric.starts_with(prefix)) {
      figure.metric.erase(0, std::string_view(prefix).size());
      figure.group = group;
      return figure;
    }
  figure.group = "all";
  return figure;
}

/// All rows come last, as the headline's. Where some features are of a group "all", they are called "all features".
void put_all_last(std::vector<Figure>& figures) {
  const auto is_of = [](const char* group) { return [group](const Figure& figure) { return figure.group == group; }; };
  const char* all = std::ranges::any_of(figures, is_of("all features")) ? "all features" : "all";
  std::ranges::stable_partition(figures, std::not_fn(is_of(all)));
}
}  // namespace

void add_metrics(Item& item, Table& table) {
  const auto method = *table.find("method"), metric = *table.find("metric"), value = *table.find("value"),
             low = *table.find("low"), high = *table.find("high");
  std::vector<Figure> figures;
  std::string split = "held-out";
  while (table.next()) {
    figures.push_back(of_part({std::string(table.text(method)), "", std::string(table.text(metric)),
                               table.number(value), table.number(low), table.number(high)}));
    if (const auto column = table.find("split")) split = table.text(*column);
  }
  put_all_last(figures);
  add_figures(item, figures, split, fact_of(table, "resampled"));
}

void add_group_metrics(Item& item, Table& table) {
  std::vector<Figure> figures;
  std::set<std::string> groups;
  std::string split = "held-out";
  while (table.next()) {
    split = table.text(*table.find("split"));
    for (size_t column = 3; column < table.columns().size(); ++column) {
      const auto& metric = table.columns()[column];
      if (metric.ends_with("_low") || metric.ends_with("_high")) continue;
      const auto bound = [&](const char* suffix) {
        const auto found = table.find(metric + suffix);
        return found ? table.number(*found) : NAN;
      };
      figures.push_back({std::string(table.text(1)), std::string(table.text(0)), metric, table.number(column),
                         bound("_low"), bound("_high")});
    }
  }
  put_all_last(figures);
  add_figures(item, figures, split, fact_of(table, "resampled"));
}

void add_track_metrics(Item& item, Table& table) {
  const auto text = [&](const char* name) { return std::string(table.text(*table.find(name))); };
  const auto value = [&](const char* name) { return table.number(*table.find(name)); };
  Features each("Each track",
                "Of all bins. halves is one half of the reads compared with the other: a ceiling, because half of the "
                "reads cannot predict more.",
                {"name", "cell", "assay"});
  std::vector<Figure> figures;
  std::map<std::pair<std::string, std::string>, std::pair<double, int>> sums;  // by method and metric
  std::string before, split = "held-out";
  std::set<std::string> tracks;
  item.has_tracks = true;
  while (table.next()) {
    if (text("bins") != "all") continue;
    split = text("split");
    const std::string cell = text("cell"), strand = text("strand");
    std::string name = dataset::label(
        {text("name"), cell.empty() ? "-" : cell, text("assay"), "-", strand.empty() ? '.' : strand.front()});
    if (const auto index = text("index"); index != before) {
      if (!tracks.insert(name).second) name += concat("|", index);
      each.add({name, cell, text("assay")});
      before = index;
    }
    const std::string method = text("method"), metric = text("metric");
    figures.push_back({method, name, metric, value("value"), value("low"), value("high")});
    if (method.find('-') == std::string::npos || method == "kmers-bin")
      each.set(metric, method, number(figures.back().value));
    if (!std::isnan(figures.back().value)) {
      auto& [sum, count] = sums[{method, metric}];
      sum += figures.back().value;
      ++count;
    }
  }
  std::vector<std::pair<std::string, std::string>> order;  // of the table
  for (const auto& figure : figures)
    if (std::ranges::find(order, std::pair(figure.method, figure.metric)) == order.end())
      order.emplace_back(figure.method, figure.metric);
  if (tracks.size() > 1)
    for (const auto& key : order)
      if (const auto found = sums.find(key); found != sums.end())
        figures.push_back({key.first, "mean of all tracks", key.second, found->second.first / found->second.second});
  const Json headline = item.headline;
  add_figures(item, figures, split, fact_of(table, "resampled"));
  if (tracks.size() > 1 && item.headline.is_object() && item.headline != headline) {
    const auto found = sums.find({figures.front().method, item.headline["metric"].get<std::string>()});
    const auto scored = found == sums.end() ? 0 : static_cast<size_t>(found->second.second);
    item.headline["averaged"] = averaged("mean", scored, tracks.size(), "tracks");
  }
  if (headline.is_object()) item.headline = headline;  // of the labels, which come first
  if (tracks.size() > 1) item.add(std::move(each).section());
}

void add_mlm_metrics(Item& item, Table& table) {
  Section section{
      "intervals",
      "Bits per base of masked tokens",
      "Lower is better. Bars are 95 % intervals over resampled blocks of the genome or, if these are fewer than 20, "
      "inputs.",
      {"method", "sequence", "context", "value", "low", "high"}};
  section.options = {{"filter", {"sequence"}}, {"x", "bits per base"}};
  std::vector<Figure> methods;
  double null = NAN;
  while (table.next()) {
    const auto text = [&](const char* column) { return std::string(table.text(*table.find(column))); };
    const auto value = [&](const char* column) { return table.number(*table.find(column)); };
    const std::string context = text("context"), model = text("model");
    const std::string method = context == "NA" ? model : model + ", " + context + " tokens";
    section.add(method, text("sequence"), context, number(value("bpc")), number(value("bpc_low")),
                number(value("bpc_high")));
    if (text("sequence") != "all") continue;
    methods.push_back({method, "all", "bpc", value("bpc"), value("bpc_low"), value("bpc_high")});
    if (model.starts_with("unigram")) null = value("bpc");
  }
  if (!methods.empty())
    item.headline = headline_of("Bits per base of masked tokens in held-out sequence", methods, null, true);
  item.add(std::move(section));
}

void add_mlm_copies(Item& item, Table& table) {
  Section section{
      "intervals",
      "Bits per base by the nearest copy",
      "Masked tokens by the nearest other place of the same input with the same surroundings, on the same strand "
      "(direct) or on the other one (inverted). The model `copies` predicts the bases of that place. Lower is better; "
      "bars are 95 % intervals over resampled blocks of the genome or, if these are fewer than 20, inputs.",
      {"method", "nearest copy", "masked tokens", "value", "low", "high"}};
  section.options = {{"filter", {"nearest copy"}}, {"x", "bits per base"}};
  while (table.next()) {
    const auto text = [&](const char* column) { return std::string(table.text(*table.find(column))); };
    const auto value = [&](const char* column) { return number(table.number(*table.find(column))); };
    const std::string context = text("context"), distance = text("distance");
    section.add(context == "NA" ? text("model") : text("model") + ", " + context + " tokens",
                distance == "NA" ? text("copy") : text("copy") + ", " + distance, value("masked"), value("bpc"),
                value("bpc_low"), value("bpc_high"));
  }
  item.add(std::move(section));
}

void add_comparison(Item& item, Table& table) {
  struct Measure {
    std::string_view name;
    const char *title, *note, *unit;
    bool difference = false;
  };
  static constexpr std::array kMeasures{
      Measure{"bits", "Bits per base of masked tokens",
              "Of human chromosome 20, by the tokens that a model sees and by the nearest copy of a masked token's "
              "surroundings. Lower is better; bars are 95 % intervals over blocks of the genome. Chance levels: models "
              "of counts, and the systems with their context in random order.",
              "bits per base"},
      Measure{"bits_difference", "Bits per base minus bits of the first system",
              "Paired differences at the same masked tokens of human chromosome 20: below 0 is better than the first "
              "system. An interval that leaves out 0 shows which is better.",
              "bits per base", /*difference=*/true},
      Measure{"autoregressive_bits", "Bits per base of the next token",
              "Of held-out human chromosome 20, by causal models (--objective next). Lower is better. Chance levels: "
              "counts of the tokens before, and the systems with their past in random order.",
              "bits per base"},
      Measure{"copy_accuracy", "Copies that are found",
              "Share of masked words that are predicted correctly. Each word occurs once more at that distance, "
              "directly or as reverse complement. Chance level: 1 in 64.",
              "share right"},
      Measure{
          "promoter_auroc", "Promoters against other sequence",
          "AUROC of held-out promoters of chromosome 20 against intervals of the same GC, by the fine-tuned "
          "encoder without k-mers; kmers is a regression on k-mer frequencies of the same training examples, scratch: "
          "the encoder of that system, fine-tuned from random weights. Bars are 95 % intervals.",
          "AUROC"},
      Measure{"promoter_less_kmers", "Promoters against other sequence, minus k-mers",
              "Paired differences in AUROC of the same promoters: above 0 is better than the k-mers.", "AUROC",
              /*difference=*/true},
      Measure{"promoter_difference", "Promoters against other sequence, minus the first system",
              "Paired differences in AUROC of the same promoters: above 0 is better than the first system.", "AUROC",
              /*difference=*/true},
      Measure{"bins_auroc", "Bins of chromatin",
              "Mean AUROC over the features of held-out bins of 200 bp, fine-tuned and compared in the same way as the "
              "promoters.",
              "AUROC"},
      Measure{"bins_less_kmers", "Bins of chromatin, minus k-mers",
              "Paired differences in the mean AUROC of the same bins: above 0 is better than the k-mers.", "AUROC",
              /*difference=*/true},
      Measure{"bins_difference", "Bins of chromatin, minus the first system",
              "Paired differences in the mean AUROC of the same bins: above 0 is better than the first system.",
              "AUROC", /*difference=*/true},
      Measure{"reach_every", "Reach: every token within it can be read",
              "A token may read each token within this distance, through one layer (the one that reads the farthest) "
              "and through all. What content decides, as in hashing, counts as read. In whole blocks.",
              "bp"},
      Measure{"reach_farthest", "Reach: the farthest token that can be read", "Through one layer and through all.",
              "bp"},
      Measure{"tokens_per_second", "Speed of training", "By the tokens of an input.", "tokens per second"},
      Measure{"tokens_per_second_gather", "Speed of training by LibTorch's operations",
              "With --backend gather, so that what has no kernels of its own is compared with its like.",
              "tokens per second"},
      Measure{"inference_tokens_per_second", "Speed of inference", "A forward pass, by the tokens of an input.",
              "tokens per second"},
      Measure{"inference_tokens_per_second_gather", "Speed of inference by LibTorch's operations",
              "With --backend gather.", "tokens per second"},
      Measure{"peak_megabytes", "Memory of training", "At its peak, by the tokens of an input.", "MB"},
      Measure{"peak_megabytes_gather", "Memory of training by LibTorch's operations", "With --backend gather.", "MB"},
      Measure{"training_tokens", "Tokens read in training",
              "In the time, or up to the number, that all systems were given.", "tokens"}};
  std::vector<Section> sections;
  for (const auto& measure : kMeasures) {
    sections.push_back({"intervals", measure.title, measure.note, {"method", "at", "context", "value", "low", "high"}});
    sections.back().options = {{"filter", {"at", "context"}}, {"x", measure.unit}};
    if (measure.difference) sections.back().options["null"] = 0;
  }
  while (table.next()) {
    const auto text = [&](const char* column) { return std::string(table.text(*table.find(column))); };
    const auto value = [&](const char* column) { return number(table.number(*table.find(column))); };
    const auto* measure = find_row(kMeasures, text("measure"));
    if (!measure) fail(table.where(), ": unknown measure ", text("measure"));
    constexpr std::string_view kShuffled = "shuffled:";
    const std::string system = text("system");
    const bool shuffled = system.starts_with(kShuffled);
    sections[static_cast<size_t>(measure - kMeasures.data())].add(shuffled ? system.substr(kShuffled.size()) : system,
                                                                  text("at"), shuffled ? "in random order" : "as it is",
                                                                  value("value"), value("low"), value("high"));
  }
  for (auto& section : sections) item.add(std::move(section));
}

void add_metrics(Item& item, const Json& json) {
  std::vector<Figure> figures;
  const auto bound = [](const Json& value, const char* key) {
    return value.contains(key) && value[key].is_number() ? value[key].get<double>() : NAN;
  };
  const auto add = [&](const std::string& method, const std::string& group, const Json& metrics) {
    for (const auto& [metric, value] : metrics.items()) {
      if (!value.is_number() && !value.is_object()) continue;
      Figure figure{method,
                    group,
                    metric,
                    value.is_number() ? value.get<double>() : bound(value, "value"),
                    value.is_object() ? bound(value, "low") : NAN,
                    value.is_object() ? bound(value, "high") : NAN};
      figures.push_back(group.empty() ? of_part(figure) : figure);
    }
  };
  for (const char* part : {"methods", "differences"})
    if (json.contains(part))
      for (const auto& [method, metrics] : json[part].items()) add(method, "", metrics);
  if (json.contains("groups"))
    for (const auto& [group, methods] : json["groups"].items())
      for (const auto& [method, metrics] : methods.items()) add(method, group, metrics);
  put_all_last(figures);
  add_figures(item, figures, json.value("split", "held-out"), json.value("resampled", ""));
}

}  // namespace bigdna::report
