#include "report/document.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "io/manifest.h"
#include "report/assets.h"

namespace bigdna::report {

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

void UnitHistogram::add(double value) {
  if (std::isnan(value)) return;
  const double place = std::clamp(value, 0., 1.) * static_cast<double>(counts_.size());
  ++counts_[std::min(counts_.size() - 1, static_cast<size_t>(place))];
  ++size_;
}

double UnitHistogram::range() const {
  size_t used = 0;
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) used = i + 1;
  double smallest = 1;
  for (const double range : {0.5, 0.2, 0.1, 0.05, 0.02, 0.01})
    if (static_cast<double>(used) <= range * static_cast<double>(counts_.size())) smallest = range;
  return smallest;
}

void UnitHistogram::add_to(Section& section, const Json& begin, int64_t all, double range) const {
  const auto together = static_cast<size_t>(std::lround(range * static_cast<double>(kFinest)));
  const double width = range / static_cast<double>(bins_);
  for (size_t bin = 0; bin < bins_; ++bin) {
    const auto first = counts_.begin() + static_cast<int64_t>(bin * together);
    const auto count = std::accumulate(first, first + static_cast<int64_t>(together), int64_t{0});
    if (count == 0) continue;
    Json row = begin;
    row.push_back(number(width * static_cast<double>(bin)));
    row.push_back(number(width * static_cast<double>(bin + 1)));
    row.push_back(count);
    row.push_back(number(static_cast<double>(count) / static_cast<double>(all)));
    section.rows.push_back(std::move(row));
  }
}

Features::Features(std::string title, std::string note, std::vector<std::string> columns)
    : section_{"features", std::move(title), std::move(note), std::move(columns)} {}

void Features::add(Json texts) { section_.rows.push_back(std::move(texts)); }

void Features::set(const std::string& metric, const std::string& method, Json value) {
  auto place = std::ranges::find(values_, std::pair(metric, method)) - values_.begin();
  if (place == std::ssize(values_)) values_.emplace_back(metric, method);
  auto& row = section_.rows.back();
  const size_t column = section_.columns.size() + static_cast<size_t>(place);
  while (row.size() <= column) row.push_back(nullptr);
  row[column] = std::move(value);
}

Section Features::section() && {
  const size_t first = section_.columns.size();
  auto& values = section_.options["values"] = Json::array();
  for (const auto& [metric, method] : values_) {
    values.push_back({section_.columns.size(), metric, method});
    section_.columns.push_back(method.empty() ? metric : method + ": " + metric);
  }
  for (auto& row : section_.rows)
    while (row.size() < first + values_.size()) row.push_back(nullptr);
  return std::move(section_);
}

Figure Item::figure(const std::string& method, const std::string& metric) const {
  for (const auto& figure : figures)
    if (figure.method == method && figure.metric == metric && figure.group == figures.back().group) return figure;
  return {method, "", metric};
}

void Item::add_facts(const io::Provenance& provenance) {
  for (const auto& entry : provenance.entries()) facts.push_back(entry);
}

void Item::add(Section section) {
  if (!section.rows.empty()) sections.push_back(std::move(section));
}

Json headline_of(const std::string& title, const std::vector<Figure>& methods, double null, bool lower_is_better) {
  Json rows = Json::array();
  for (const auto& method : methods)
    rows.push_back({method.method, number(method.value), number(method.low), number(method.high)});
  return {{"title", title}, {"rows", rows}, {"null", number(null)}, {"lower_is_better", lower_is_better}};
}

Json to_json(const Item& item) {
  Json facts = Json::array(), sections = Json::array();
  for (const auto& [label, text] : item.facts) facts.push_back({label, text});
  for (const auto& section : item.sections)
    sections.push_back({{"kind", section.kind},
                        {"title", section.title},
                        {"note", section.note},
                        {"columns", section.columns},
                        {"rows", section.rows},
                        {"options", section.options}});
  return {{"name", item.name}, {"what", item.what},         {"verdicts", item.verdicts}, {"warnings", item.warnings},
          {"facts", facts},    {"headline", item.headline}, {"sections", sections}};
}

namespace {
/// JSON inside of a script element: no `<` of a name can end the element, because in JSON it stands in strings only.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

/// The page may run its own scripts and nothing else: no request can leave it, whatever a file's names hold.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:;
  script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>bigdna report</title>
)";
constexpr std::string_view kBody = R"(</head>
<body>
<noscript>This report draws its pictures and tables with JavaScript, which is switched off here.</noscript>
<main id="report"></main>
)";
}  // namespace

std::string html(const std::vector<Item>& items, const Heading& heading) {
  Json json{{"version", io::program_version()},
            {"command", io::deciding_command()},
            {"title", heading.title},
            {"note", heading.note},
            {"author", heading.author},
            {"date", heading.date},
            {"items", Json::array()}};
  for (const auto& item : items) json["items"].push_back(to_json(item));
  std::string page(kHead);
  const auto element = [&](std::string_view open, std::string_view content, std::string_view close) {
    page.append(open).append(content).append(close);
  };
  element("<style>\n", assets::style(), "</style>\n");
  page += kBody;
  element("<script type=\"application/json\" id=\"data\">", script_json(json), "</script>\n");
  element("<!--\n", assets::licence(), "-->\n");
  for (const auto library : assets::libraries()) element("<script>", library, "</script>\n");
  for (const auto script : assets::scripts()) element("<script>\n", script, "</script>\n");
  page += "</body>\n</html>\n";
  return page;
}

}  // namespace bigdna::report
