#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/counted.h"
#include "base/error.h"
#include "metrics/calibration.h"
#include "metrics/classification.h"
#include "metrics/multiclass.h"
#include "report/readers.h"

namespace bigdna::report {

namespace {
constexpr size_t kScoreBins = 40;
constexpr size_t kCurvePoints = 1200, kMostPoints = 120, kScatterPoints = 12000;  // of all outputs together

struct Method {
  std::string name;
  std::vector<std::vector<float>> scores;  // of each output, by row; NaN where the method gives none
  std::vector<double> thresholds;          // of each output, as the file records them; NaN where it does not
};
struct Scores {
  std::vector<std::string> outputs;
  std::vector<std::vector<float>> labels;  // of each output, by row
  std::vector<Method> methods;
  size_t of_outputs = 0;  // those of the file

  bool is_number(size_t output) const {
    return std::ranges::any_of(labels[output],
                               [](float value) { return value != 0 && value != 1 && !std::isnan(value); });
  }
  /// Of the outputs.
  size_t numbers() const {
    size_t count = 0;
    for (size_t output = 0; output < outputs.size(); ++output) count += is_number(output);
    return count;
  }
  /// What a caption says where outputs are left out.
  std::string text_of_outputs() const {
    if (outputs.size() == of_outputs) return "";
    return concat(" ", outputs.size(), " of ", of_outputs, " outputs, evenly spaced, are here.");
  }
  /// Whether an output is of whole numbers from 0 on.
  bool is_count(size_t output) const {
    return std::ranges::all_of(labels[output], [](float value) { return value >= 0 && value == std::floor(value); });
  }
  /// Whether each row has exactly one of several labels.
  bool are_classes() const {
    if (outputs.size() < 3 || outputs.size() < of_outputs) return false;
    for (size_t row = 0; row < labels[0].size(); ++row)
      if (std::ranges::count_if(labels, [&](const auto& column) { return column[row] == 1; }) != 1) return false;
    return true;
  }
};

Scores read_scores(Table& table) {
  Scores scores;
  std::vector<std::string> outputs;
  for (const auto& column : table.columns())
    if (column.starts_with("label:")) outputs.push_back(column.substr(6));
  const size_t first = *table.find("label:" + outputs.front()),
               every = (outputs.size() + kMostOutputs - 1) / kMostOutputs;
  const size_t columns = table.columns().size() - first, methods = columns / outputs.size() - 1;
  if (columns % outputs.size() || methods == 0)
    fail(table.where(), ": does not have a column of scores for each label and method");
  scores.of_outputs = outputs.size();
  std::vector<size_t> chosen;
  for (size_t output = 0; output < outputs.size(); output += every) {
    chosen.push_back(output);
    scores.outputs.push_back(outputs[output]);
  }
  for (size_t m = 0; m < methods; ++m) {
    const auto& column = table.columns()[first + (m + 1) * outputs.size()];
    scores.methods.push_back({column.substr(0, column.size() - outputs.front().size() - 1), {}, {}});
    scores.methods.back().scores.resize(chosen.size());
  }
  for (auto& method : scores.methods) {
    method.thresholds.assign(chosen.size(), NAN);
    for (const auto& [key, value] : table.facts()) {
      if (key != "threshold") continue;
      const auto space = value.rfind(' ');
      for (size_t f = 0; f < chosen.size() && space != std::string::npos; ++f)
        if (value.substr(0, space) == method.name + ":" + scores.outputs[f])
          method.thresholds[f] = number_of(std::string_view(value).substr(space + 1)).value_or(NAN);
    }
  }
  scores.labels.resize(chosen.size());
  while (table.next())
    for (size_t f = 0; f < chosen.size(); ++f) {
      scores.labels[f].push_back(static_cast<float>(table.number(first + chosen[f])));
      for (size_t m = 0; m < methods; ++m)
        scores.methods[m].scores[f].push_back(
            static_cast<float>(table.number(first + (m + 1) * outputs.size() + chosen[f])));
    }
  return scores;
}

/// "bigdna: 0.938 [0.876, 1.000]": the legend of a curve.
std::string with_area(const std::string& method, double area, const Figure& figure) {
  char text[80];
  if (std::isnan(figure.low))
    std::snprintf(text, sizeof text, ": %.3f", area);
  else
    std::snprintf(text, sizeof text, ": %.3f [%.3f, %.3f]", area, figure.low, figure.high);
  return method + text;
}

/// The 95 % interval of a share (Wilson 1927).
std::pair<double, double> interval_of_share(int64_t part, int64_t whole) {
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(whole);
  const double share = static_cast<double>(part) / n, middle = share + z * z / (2 * n);
  const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0., (middle - half) / (1 + z * z / n)), std::min(1., (middle + half) / (1 + z * z / n))};
}

/// A row for each truth and call, behind the texts of `begin`.
void add_counts(Section& section, const Json& begin, const std::vector<std::string>& names,
                const metrics::ClassCounts& counts) {
  const auto share = [](int64_t part, int64_t whole) {
    return number(whole ? static_cast<double>(part) / static_cast<double>(whole) : NAN);
  };
  for (int64_t truth = 0; truth < counts.classes(); ++truth)
    for (int64_t call = 0; call < counts.classes(); ++call) {
      const int64_t rows = counts.at(truth, call);
      const auto of_truth = counts.of(truth), of_call = counts.of(call);
      Json row = begin;
      for (const int64_t name : {truth, call}) row.push_back(names[static_cast<size_t>(name)]);
      row.push_back(rows);
      row.push_back(share(rows, of_truth.true_positives + of_truth.false_negatives));
      row.push_back(share(rows, of_call.true_positives + of_call.false_positives));
      section.rows.push_back(std::move(row));
    }
}

/// The pictures of labels that are 0 or 1.
class LabelPictures {
 public:
  LabelPictures(const Item& item, const Scores& scores) : item_(item), scores_(scores) {
    roc.options = {
        {"x", "false positive rate"}, {"y", "recall"}, {"series", "method: AUROC"}, {"unit", true}, {"diagonal", true}};
    pr.options = {{"x", "recall"}, {"y", "precision"}, {"series", "method: AUPRC"}, {"unit", true}};
    calibration.options = Json::object();
    confusion.options = Json::object();
    distribution.options = {{"x", "score"}, {"unit", true}};
    for (Section* section : {&roc, &pr, &calibration, &confusion, &distribution}) {
      auto& filter = section->options["filter"] = Json::array();
      if (scores.outputs.size() > 1) filter.push_back("output");
      if (section == &confusion || section == &distribution) filter.push_back("method");
      if (section == &roc || section == &pr) section->say(concat("A curve has at most ", kMostPoints, " points."));
      section->note += scores.text_of_outputs();
    }
  }

  void add(size_t f) {
    std::vector<uint8_t> labels;
    std::vector<size_t> rows;  // those that have the label
    for (size_t row = 0; row < scores_.labels[f].size(); ++row)
      if (const float label = scores_.labels[f][row]; !std::isnan(label)) {
        labels.push_back(label > 0);
        rows.push_back(row);
      }
    if (rows.empty()) return;
    const auto positives = std::ranges::count(labels, 1);
    const bool both = positives > 0 && positives < static_cast<int64_t>(labels.size());
    for (const auto& method : scores_.methods) {
      Column column{f, method.name, threshold_of(method, f), {}};
      for (const size_t row : rows) column.scores.push_back(method.scores[f][row]);
      if (std::ranges::any_of(column.scores, [](float score) { return std::isnan(score); })) continue;
      if (both) add_curves(column, labels, static_cast<double>(positives));
      add_calibration(column, labels);
      add_confusion(column, labels);
      add_distribution(column, labels);
    }
    if (both)
      pr.options["null"][scores_.outputs[f]] =
          number(static_cast<double>(positives) / static_cast<double>(labels.size()));
  }

  Section roc{
      "lines",
      "ROC",
      "The numbers are areas under the curves, with 95 % intervals where they were measured. Dots: the "
      "threshold from which an example is called, which the confusion matrix names. The dashed diagonal is chance; a "
      "constant lies on it.",
      {"output", "method: AUROC", "false positive rate", "recall", "threshold", "at the threshold"}};
  Section pr{"lines",
             "Precision and recall",
             "The numbers are areas under the curves (average precision). Dots: the threshold from which an example is "
             "called. Dashed: the share of positives, the chance level.",
             {"output", "method: AUPRC", "recall", "precision", "threshold", "at the threshold"}};
  Section calibration{
      "calibration",
      "Calibration",
      "Examples in ten bins of predicted probability. Size: how many examples; bars: 95 % intervals of their "
      "share of positives. "
      "Probabilities are right where the dots lie on the diagonal.",
      {"output", "method", "mean probability", "share of positives", "low", "high", "examples"}};
  Section confusion{
      "matrix",
      "Confusion matrix",
      "An example is called 1 from the threshold on that the axis names: the one that was recorded for the model, or "
      "0.5 "
      "where none was. On the diagonal the share of the truth's examples is the recall; the table has the share of the "
      "calls, "
      "which is the precision there.",
      {"output", "method", "threshold", "truth", "called", "examples", "share of the truth's examples",
       "share of the calls"}};
  Section distribution{"histogram",
                       "Distribution of the scores",
                       "Share of the examples of either label in each of 40 bins.",
                       {"output", "method", "label", "from", "to", "examples", "share"}};

 private:
  /// A method's scores of the rows that have the label of output f.
  struct Column {
    size_t f;
    const std::string& method;
    double threshold;
    std::vector<float> scores;
  };

  void add_curves(const Column& column, const std::vector<uint8_t>& labels, double positives) {
    const auto& output = scores_.outputs[column.f];
    const metrics::Ranking ranking(column.scores, labels);
    const double negatives = static_cast<double>(labels.size()) - positives;
    const bool alone = scores_.outputs.size() == 1;
    const auto legend = [&](const char* metric, double area) {
      return with_area(column.method, area, alone ? item_.figure(column.method, metric) : Figure());
    };
    const auto of_roc = legend("auroc", ranking.auroc()), of_pr = legend("auprc", ranking.auprc());
    const auto add = [&](int64_t true_positives, int64_t false_positives, double threshold, int called) {
      const auto right = static_cast<double>(true_positives), wrong = static_cast<double>(false_positives);
      roc.add(output, of_roc, number(wrong / negatives), number(right / positives), number(threshold), called);
      if (right + wrong > 0)
        pr.add(output, of_pr, number(right / positives), number(right / (right + wrong)), number(threshold), called);
    };
    add(0, 0, NAN, 0);
    for (const auto& point : ranking.curve(std::min(kMostPoints, kCurvePoints / scores_.outputs.size())))
      add(point.true_positives, point.false_positives, point.score, 0);
    const auto counts = metrics::confusion(column.scores, labels, column.threshold);
    add(counts.true_positives, counts.false_positives, column.threshold, 1);
  }

  void add_calibration(const Column& column, const std::vector<uint8_t>& labels) {
    for (const auto& bin : metrics::calibration(column.scores, labels)) {
      if (bin.rows == 0) continue;
      const auto [low, high] = interval_of_share(bin.positives, bin.rows);
      calibration.add(scores_.outputs[column.f], column.method, number(bin.mean_probability()),
                      number(bin.share_of_positives()), number(low), number(high), bin.rows);
    }
  }

  void add_confusion(const Column& column, const std::vector<uint8_t>& labels) {
    const auto found = metrics::confusion(column.scores, labels, column.threshold);
    metrics::ClassCounts counts(2);
    counts.add(0, 0, found.true_positives);
    counts.add(0, 1, found.false_negatives);
    counts.add(1, 0, found.false_positives);
    counts.add(1, 1, found.true_negatives);
    add_counts(confusion, Json::array({scores_.outputs[column.f], column.method, number(column.threshold)}), {"1", "0"},
               counts);
  }

  void add_distribution(const Column& column, const std::vector<uint8_t>& labels) {
    std::vector<UnitHistogram> of_label(2, UnitHistogram(kScoreBins));
    for (size_t row = 0; row < labels.size(); ++row) of_label[labels[row]].add(column.scores[row]);
    const double range = std::max(of_label[0].range(), of_label[1].range());
    for (const int label : {0, 1}) {
      const auto& histogram = of_label[static_cast<size_t>(label)];
      histogram.add_to(distribution, {scores_.outputs[column.f], column.method, label}, histogram.size(), range);
    }
  }

  /// From which a row is called: as the scores record it, or the metrics.
  double threshold_of(const Method& method, size_t f) const {
    if (!std::isnan(method.thresholds[f])) return method.thresholds[f];
    const double chosen = item_.figure(method.name, "threshold").value;
    return std::isnan(chosen) ? 0.5 : chosen;
  }

  const Item& item_;
  const Scores& scores_;
};

/// Of classes: the likeliest is called.
Section confusion_of_classes(const Scores& scores) {
  Section section{"matrix",
                  "Confusion matrix",
                  "The likeliest class is called.",
                  {"method", "truth", "called", "examples", "share of the truth's examples", "share of the calls"}};
  section.options = {{"filter", {"method"}}};
  const auto classes = static_cast<int64_t>(scores.outputs.size());
  std::vector<int32_t> truth;
  for (size_t row = 0; row < scores.labels[0].size(); ++row) {
    int32_t c = 0;
    while (scores.labels[static_cast<size_t>(c)][row] != 1) ++c;
    truth.push_back(c);
  }
  for (const auto& method : scores.methods) {
    std::vector<float> rows;
    for (size_t row = 0; row < truth.size(); ++row)
      for (const auto& column : method.scores) rows.push_back(column[row]);
    add_counts(section, Json::array({method.name}), scores.outputs, metrics::class_counts(truth, rows, classes));
  }
  return section;
}

Section predicted_against_measured(const Scores& scores) {
  Section section{"scatter", "Predicted and measured numbers", "", {"output", "method", "measured", "predicted"}};
  section.options = {{"x", "measured"}, {"y", "predicted"}, {"filter", {"output", "method"}}, {"diagonal", true}};
  const size_t most =
      std::max<size_t>(1, std::min<size_t>(1000, kScatterPoints / scores.outputs.size() / scores.methods.size()));
  const size_t every = (scores.labels[0].size() + most - 1) / most;
  if (every > 1) section.note = concat("Of ", scores.labels[0].size(), " examples, one in ", every, " is here.");
  section.note += scores.text_of_outputs();
  size_t all = 0;
  for (size_t f = 0; f < scores.outputs.size(); ++f)
    for (const auto& method : scores.methods)
      for (size_t row = 0; row < scores.labels[f].size() && scores.is_number(f); ++row) {
        if (std::isnan(scores.labels[f][row]) || std::isnan(method.scores[f][row])) continue;
        ++all;
        if (row % every == 0)
          section.add(scores.outputs[f], method.name, number(scores.labels[f][row]), number(method.scores[f][row]));
      }
  if (section.rows.size() < all) section.cut(all);
  return section;
}

/// Of the model and what it is first compared with.
Section observed_against_expected(const Scores& scores) {
  constexpr size_t kMethods = 2, kCells = 30;
  Section section{
      "density",
      "Observed and expected counts",
      "Shade: how many bins lie in a cell; both axes are logarithms of 1 + count. Bins on the dashed line are "
      "predicted exactly.",
      {"output", "method", "x from", "x to", "y from", "y to", "bins"}};
  section.note += scores.text_of_outputs();
  if (scores.methods.size() > kMethods)
    section.note += concat(" Of ", scores.methods.size(), " methods, the first ", kMethods, " are here.");
  section.options = {
      {"x", "log2(1 + expected count)"}, {"y", "log2(1 + observed count)"}, {"filter", {"output", "method"}}};
  for (size_t f = 0; f < scores.outputs.size(); ++f) {
    if (!scores.is_number(f)) continue;
    for (size_t m = 0; m < std::min(kMethods, scores.methods.size()); ++m) {
      const auto& expected = scores.methods[m].scores[f];
      const auto at = [](float count) { return std::log2(1 + static_cast<double>(count)); };
      double most = 0;
      for (size_t row = 0; row < expected.size(); ++row)
        if (!std::isnan(expected[row])) most = std::max({most, at(expected[row]), at(scores.labels[f][row])});
      const double width = most / static_cast<double>(kCells);
      if (!(width > 0)) continue;
      std::map<std::pair<size_t, size_t>, int64_t> cells;
      const auto place = [&](float count) { return std::min(kCells - 1, static_cast<size_t>(at(count) / width)); };
      for (size_t row = 0; row < expected.size(); ++row)
        if (!std::isnan(expected[row])) ++cells[{place(expected[row]), place(scores.labels[f][row])}];
      for (const auto& [cell, rows] : cells) {
        const auto x = static_cast<double>(cell.first) * width, y = static_cast<double>(cell.second) * width;
        section.add(scores.outputs[f], scores.methods[m].name, number(x), number(x + width), number(y),
                    number(y + width), rows);
      }
    }
  }
  return section;
}
}  // namespace

void add_scores(Item& item, Table& table) {
  const auto scores = read_scores(table);
  if (scores.labels.front().empty()) return;
  if (const size_t numbers = scores.numbers(); numbers > 0) {
    bool counts = true;
    for (size_t f = 0; f < scores.outputs.size(); ++f) counts = counts && scores.is_count(f);
    item.add(counts || item.has_tracks ? observed_against_expected(scores) : predicted_against_measured(scores));
    if (numbers == scores.outputs.size()) return;
  }
  LabelPictures pictures(item, scores);
  for (size_t f = 0; f < scores.outputs.size(); ++f)
    if (!scores.is_number(f)) pictures.add(f);
  item.add(std::move(pictures.roc));
  item.add(std::move(pictures.pr));
  item.add(scores.are_classes() ? confusion_of_classes(scores) : std::move(pictures.confusion));
  item.add(std::move(pictures.calibration));
  item.add(std::move(pictures.distribution));
}

}  // namespace bigdna::report
