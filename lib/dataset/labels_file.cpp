#include "dataset/labels_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/safetensors.h"

namespace bigdna::dataset {

void write_labels(const std::string& path, const Labels& labels) {
  const int64_t width = labels.width(), rows = static_cast<int64_t>(labels.values.size()) / width;
  if (are_numbers(labels.type)) {
    io::write_safetensors(path, {io::array<float>("labels", labels.values, {rows, width})});
  } else if (labels.type == LabelType::classes) {
    const std::vector<uint16_t> classes(labels.values.begin(), labels.values.end());
    io::write_safetensors(path, {io::array<uint16_t>("labels", classes, {rows})});
  } else {
    const int64_t bytes = (width + 7) / 8;
    std::vector<uint8_t> bits(static_cast<size_t>(rows * bytes));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t f = 0; f < width; ++f)
        if (labels.values[static_cast<size_t>(i * width + f)] > 0)
          bits[static_cast<size_t>(i * bytes + f / 8)] |= static_cast<uint8_t>(1u << (f % 8));
    io::write_safetensors(path, {io::array<uint8_t>("labels", bits, {rows, bytes})});
  }
}

nlohmann::ordered_json summary(const Labels& labels, std::span<const int64_t> rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::vector<double> count(labels.outputs.size(), 0), sum = count, squares = count;
  for (const int64_t row : rows) {
    const auto i = static_cast<size_t>(row);
    if (labels.type == LabelType::classes) {
      ++sum[static_cast<size_t>(labels.values[i])];
      continue;
    }
    for (size_t f = 0; f < sum.size(); ++f)
      if (const double value = labels.values[i * sum.size() + f]; !std::isnan(value)) {
        ++count[f];
        sum[f] += value;
        squares[f] += value * value;
      }
  }
  json["rows"] = static_cast<int64_t>(rows.size());
  for (size_t f = 0; f < sum.size() && f < kMostClasses; ++f) {
    auto& of = json[labels.type == LabelType::classes ? "classes" : "labels"][labels.outputs[f]];
    if (are_numbers(labels.type)) {
      const double mean = count[f] > 0 ? sum[f] / count[f] : 0;
      of = {{"numbers", count[f]},
            {"mean", mean},
            {"sd", count[f] > 0 ? std::sqrt(std::max(0.0, squares[f] / count[f] - mean * mean)) : 0}};
    } else {
      of = static_cast<int64_t>(sum[f]);
    }
  }
  return json;
}

void warn_of_unlearnt(const Labels& labels, std::span<const Split> splits) {
  if (are_numbers(labels.type) || std::ranges::find(splits, Split::train) == splits.end()) return;
  const bool binary = labels.type == LabelType::binary, multilabel = labels.type == LabelType::multilabel;
  const auto names = binary ? std::vector{labels.negative, labels.positive} : labels.outputs;
  const auto any_of = [&](size_t row, auto test) -> bool {  // of the row's classes or labels
    const auto values = labels.of(static_cast<int64_t>(row));
    if (!multilabel) return test(static_cast<size_t>(values[0]));
    bool any = false;
    for (size_t name = 0; name < values.size(); ++name) any |= values[name] > 0 && test(name);
    return any;
  };
  std::vector<bool> learnt(names.size());
  for (size_t row = 0; row < splits.size(); ++row)
    if (splits[row] == Split::train) any_of(row, [&](size_t name) -> bool { return learnt[name] = true; });
  int64_t unlearnt = 0, rows = 0;
  std::string words;  // the first few
  for (size_t name = 0; name < names.size(); ++name)
    if (!learnt[name] && ++unlearnt <= 5) words += concat(unlearnt > 1 ? ", '" : "'", names[name], "'");
  if (unlearnt == 0) return;
  for (size_t row = 0; row < splits.size(); ++row) rows += any_of(row, [&](size_t name) { return !learnt[name]; });
  log::warn("no training example has ", unlearnt, " of the ", names.size(), multilabel ? " labels (" : " classes (",
            words, unlearnt > 5 ? " ...)" : ")", ", which ",
            counted(rows, "example of another split has", "examples of other splits have"),
            rows ? ": do they have other names in training?" : "");
}

}  // namespace bigdna::dataset
