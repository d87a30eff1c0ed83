#include "evaluation/curves.h"

#include <algorithm>

#include "base/error.h"
#include "evaluation/evaluation_text.h"
#include "metrics/calibration.h"
#include "metrics/classification.h"
#include "plot/svg.h"

namespace bigdna::evaluation {

namespace {
/// A curve of each method: ROC or precision-recall.
plot::Chart curve_chart(const std::vector<MethodScores>& methods, const std::vector<uint8_t>& labels, bool roc,
                        const EvaluationOptions& options, nlohmann::ordered_json& multiqc) {
  plot::Chart chart;
  chart.title = roc ? "ROC" : "Precision and recall";
  chart.x = {roc ? "false positive rate" : "recall", false, 0, 1};
  chart.y = {roc ? "recall" : "precision", false, 0, 1};
  const auto ones = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  const double zeros = static_cast<double>(labels.size()) - ones;
  for (const auto& method : methods) {
    plot::Series series{method.name, {}, {}};
    auto& points = multiqc["data"][multiqc_sample(options, method.name)] = nlohmann::ordered_json::object();
    const auto add = [&](double x, double y) {
      series.x.push_back(x);
      series.y.push_back(y);
      points.emplace(concat(x), y);  // of equal recalls the first, which has the best precision
    };
    if (roc) add(0, 0);
    for (const auto& point : metrics::Ranking(method.values, labels).curve(500)) {
      const auto true_positives = static_cast<double>(point.true_positives);
      const auto false_positives = static_cast<double>(point.false_positives);
      const double recall = true_positives / ones;
      roc ? add(false_positives / zeros, recall) : add(recall, true_positives / (true_positives + false_positives));
    }
    chart.series.push_back(std::move(series));
  }
  plot::Series chance{
      "chance", {0, 1}, roc ? std::vector<double>{0, 1} : std::vector<double>(2, ones / (ones + zeros))};
  chance.dashed = true;
  chart.series.push_back(std::move(chance));
  return chart;
}

void add_calibration(const std::vector<MethodScores>& methods, const std::vector<uint8_t>& labels, Evaluation& result) {
  plot::Chart chart;
  chart.title = "Calibration";
  chart.x = {"probability, mean of a bin", false, 0, 1};
  chart.y = {"share of positives", false, 0, 1};
  std::string table = "#method\tlow\thigh\trows\tpositives\tmean_probability\tshare_of_positives\n";
  for (const auto& method : methods) {
    plot::Series series{method.name, {}, {}};
    auto& json = result.json["methods"][method.name]["calibration"] = nlohmann::ordered_json::array();
    for (const auto& bin : metrics::calibration(method.values, labels)) {
      const bool any = bin.rows > 0;
      table += concat(method.name, '\t', bin.low, '\t', bin.high, '\t', bin.rows, '\t', bin.positives, '\t',
                      any ? number_text(bin.mean_probability()) : "NA", '\t',
                      any ? number_text(bin.share_of_positives()) : "NA", '\n');
      if (!any) continue;
      series.x.push_back(bin.mean_probability());
      series.y.push_back(bin.share_of_positives());
      json.push_back({{"low", bin.low},
                      {"high", bin.high},
                      {"rows", bin.rows},
                      {"positives", bin.positives},
                      {"mean_probability", bin.mean_probability()}});
    }
    chart.series.push_back(std::move(series));
  }
  plot::Series perfect{"perfect", {0, 1}, {0, 1}};
  perfect.dashed = true;
  chart.series.push_back(std::move(perfect));
  result.report["calibration.tsv"] = table;
  result.report["calibration.svg"] = plot::svg({chart});
}
}  // namespace

void add_curves(const rows::TaskRows& data, const std::vector<uint8_t>& labels,
                const std::vector<MethodScores>& methods, const EvaluationOptions& options, Evaluation& result) {
  add_calibration(methods, labels, result);
  const auto ones = std::count(labels.begin(), labels.end(), 1);
  if (ones == 0 || ones == static_cast<int64_t>(labels.size())) return;  // one class only: there is no curve
  for (const bool roc : {true, false}) {
    const std::string name = roc ? "roc" : "pr";
    auto section = multiqc_section(data, name, roc ? "ROC curve" : "precision and recall", "linegraph");
    const auto chart = curve_chart(methods, labels, roc, options, section);
    section["pconfig"]["xlab"] = chart.x.label;
    section["pconfig"]["ylab"] = chart.y.label;
    result.report[name + ".svg"] = plot::svg({chart});
    result.report[concat(data.task->name, "_", name, "_mqc.json")] = section.dump(2) + "\n";
  }
}

}  // namespace bigdna::evaluation
