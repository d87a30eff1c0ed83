#include "train/learning_curve.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "io/json.h"
#include "io/output.h"
#include "plot/svg.h"

namespace bigdna::train {

namespace {

using Lines = std::vector<nlohmann::ordered_json>;

/// The values whose names are `wanted`, each a series over `x` ("step" or "tokens"), in the order they first appear.
plot::Chart chart(const Lines& lines, const std::string& title, const std::string& x,
                  const std::function<bool(const std::string&)>& wanted) {
  const bool tokens = x == "tokens";
  plot::Chart chart{title, {tokens ? "tokens (millions)" : "steps"}, {title}, {}};
  for (const auto& line : lines)
    for (const auto& [name, value] : line.items()) {
      if (!value.is_number() || !wanted(name)) continue;
      auto series =
          std::find_if(chart.series.begin(), chart.series.end(), [&](const auto& s) { return s.name == name; });
      if (series == chart.series.end()) {
        chart.series.push_back({name, {}, {}});
        series = chart.series.end() - 1;
      }
      series->x.push_back(line.at(x).get<double>() / (tokens ? 1e6 : 1));
      series->y.push_back(value.get<double>());
    }
  for (auto& series : chart.series) {
    const auto [least, most] = std::minmax_element(series.y.begin(), series.y.end());
    series.points = series.y.size() == 1;
    series.dashed = !series.points && *least == *most;
  }
  return chart;
}

}  // namespace

std::string learning_curve(const std::string& metrics, const std::string& metric) {
  Lines lines;
  std::istringstream stream(metrics);
  for (std::string line; std::getline(stream, line);) lines.push_back(io::parse_json(line, "metrics.jsonl"));
  std::vector<plot::Chart> charts;
  for (const char* x : {"step", "tokens"}) {
    charts.push_back(chart(lines, "loss", x, [](const std::string& name) { return name.ends_with("loss"); }));
    charts.push_back(chart(lines, metric, x, [&](const std::string& name) { return name.ends_with(metric); }));
    charts.push_back(chart(lines, "learning rate", x, [](const std::string& name) { return name == "learning_rate"; }));
  }
  return plot::svg(charts);
}

void draw_learning_curve(const std::string& folder, const std::string& metric) {
  io::write_file(folder + "/" + kLearningCurveName, learning_curve(io::read_file(folder + "/metrics.jsonl"), metric));
}

}  // namespace bigdna::train
