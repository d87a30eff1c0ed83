// Metrics of each output or feature by itself, and what the metrics of all of them are the means of.
#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.h"
#include "dataset/features.h"
#include "report/readers.h"

namespace bigdna::report {

std::string averaged(const char* how, size_t scored, size_t all, const std::string& outputs,
                     const std::vector<std::string>& missing) {
  constexpr size_t kNamed = 3;
  if (scored >= all) return concat(how, " of ", all, " ", outputs);
  std::string names;
  for (const auto& name : missing) names += concat(names.empty() ? "" : ", ", name);
  if (missing.empty() || missing.size() > kNamed) names = std::to_string(all - scored);
  return concat(how, " of ", scored, " of ", all, " ", outputs, "; ", names, all - scored == 1 ? " has" : " have",
                " no value");
}

namespace {
constexpr double kFewPositives = 10;  // a feature with fewer has metrics that say little

/// The outputs of a table: how many, and which have no value, by method and metric.
struct Outputs {
  size_t all = 0;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> missing;
};

/// The metrics of several outputs are means over them: headline and captions say over which.
void say_what_is_averaged(Item& item, const Outputs& outputs) {
  if (outputs.all < 2 || item.figures.empty()) return;
  const auto& first = item.figures.front().method;
  const auto text_of = [&](const std::string& metric) {
    const auto& missing = outputs.missing.at({first, metric});
    return averaged("mean", outputs.all - missing.size(), outputs.all, "outputs", missing);
  };
  if (item.headline.is_object())
    if (const std::string metric = item.headline.value("metric", ""); outputs.missing.contains({first, metric}))
      item.headline["averaged"] = text_of(metric);
  std::vector<std::pair<std::string, std::string>> texts;  // of the means: the text, and its metrics
  for (const auto& [key, missing] : outputs.missing) {
    const auto& [method, metric] = key;
    if (method != first || std::isnan(item.figure(first, metric).value)) continue;
    const auto text = text_of(metric);
    if (const auto same = std::ranges::find(texts, text, &std::pair<std::string, std::string>::first);
        same != texts.end())
      same->second += ", " + metric;
    else
      texts.emplace_back(text, metric);
  }
  std::string note;
  for (const auto& [text, metrics] : texts) note += concat(" ", metrics, ": ", text, ".");
  for (auto& section : item.sections)
    if (section.kind == "intervals") section.note += note;
}
}  // namespace

void add_features(Item& item, Table& table) {
  const auto column = [&](const char* name) { return *table.find(name); };
  if (table.has("metric")) {  // of a table's outputs: a row for each output, method and metric
    Features features("Each output", "", {"name"});
    std::string before;
    Outputs outputs;
    while (table.next()) {
      const std::string name(table.text(column("name"))), index(table.text(column("index"))),
          metric(table.text(column("metric"))), method(table.text(column("method")));
      const double value = table.number(column("value"));
      if (index != before) {
        features.add({name});
        ++outputs.all;
      }
      before = index;
      features.set(metric, method, number(value));
      auto& missing = outputs.missing[{method, metric}];
      if (std::isnan(value)) missing.push_back(name);
    }
    say_what_is_averaged(item, outputs);
    return item.add(std::move(features).section());
  }
  // of chromatin: a row for each feature, METHOD_auroc and METHOD_auprc
  std::vector<dataset::Feature> known;
  std::vector<std::vector<double>> numbers;
  std::vector<size_t> measures;  // the columns of METHOD_auroc and METHOD_auprc
  for (size_t i = 0; i < table.columns().size(); ++i)
    if (table.columns()[i].ends_with("_auroc") || table.columns()[i].ends_with("_auprc")) measures.push_back(i);
  while (table.next()) {
    const auto text = [&](const char* name, const char* absent) {
      return table.has(name) ? std::string(table.text(column(name))) : absent;
    };
    const auto strand = text("strand", ".");
    known.push_back({text("name", "-"), text("cell", "-"), text("assay", "-"), text("group", "-"),
                     strand.empty() ? '.' : strand.front()});
    auto& row = numbers.emplace_back();
    for (const char* name : {"positives", "prevalence"}) row.push_back(table.number(column(name)));
    for (const size_t measure : measures) row.push_back(table.number(measure));
  }
  const auto names = dataset::column_names(known);
  std::vector<size_t> order(known.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_partition(order, [&](size_t f) { return !(numbers[f][0] < kFewPositives); });
  const bool few = !order.empty() && numbers[order.back()][0] < kFewPositives;
  Features features(
      "Each feature",
      (few ? concat("Features with fewer than ", kFewPositives,
                    " positives come last, with their number: their metrics say little. ")
           : "") +
          "Features without examples of both classes have no value. Rare features have small AUPRC: compare "
          "it with its chance level, the share of examples that have the feature. No value has an interval: resamples "
          "of the few blocks of the genome with a rare label would make it too narrow.",
      {"name", "cell", "assay", "group", "positives", "share of examples"});
  for (const size_t f : order) {
    const bool is_rare = numbers[f][0] < kFewPositives;
    features.add(Json::array({is_rare ? concat(names[f], " (", numbers[f][0], " positives)") : names[f], known[f].cell,
                              known[f].assay, known[f].group, number(numbers[f][0]), number(numbers[f][1])}));
    for (size_t i = 0; i < measures.size(); ++i) {
      const auto& name = table.columns()[measures[i]];
      const auto bar = name.rfind('_');
      features.set(name.substr(bar + 1), name.substr(0, bar), number(numbers[f][2 + i]));
    }
  }
  Section section = std::move(features).section();
  section.options["few"] = kFewPositives;
  item.add(std::move(section));
}

}  // namespace bigdna::report
