#include "training/label_weights.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "io/lines.h"

namespace bigdna::training {

std::vector<double> feature_weights(const FinetuneOptions& options, const std::vector<dataset::Feature>& features) {
  std::vector<double> weights(features.size(), options.positive_weight);
  if (options.feature_weights.empty()) return weights;
  io::LineReader lines(options.feature_weights);
  while (const auto line = lines.next()) {
    if (line->empty() || line->front() == '#') continue;
    const auto tab = line->find('\t');
    const std::string pattern(line->substr(0, tab)), number(tab == line->npos ? "" : line->substr(tab + 1));
    const double weight = parse_number<double>(number).value_or(0);
    if (pattern.empty() || !(weight > 0) || !std::isfinite(weight))
      fail(lines.path(), ":", lines.line(), ": expected FEATURES, a tab and a weight above 0");
    try {
      for (const int64_t f : dataset::choose_features(features, pattern, "features"))
        weights[static_cast<size_t>(f)] = weight;
    } catch (const UsageError& error) {
      fail(lines.path(), ":", lines.line(), ": ", error.what());
    }
  }
  return weights;
}

std::vector<double> class_weights(const rows::TaskRows& data, bool balanced) {
  std::vector<double> weights(data.features.size(), 1);
  if (!balanced) return weights;
  const auto train = data.of(dataset::Split::train);
  for (size_t c = 0; c < weights.size(); ++c) {
    const auto labels = data.labels_of(train, static_cast<int64_t>(c));
    const auto rows = std::count(labels.begin(), labels.end(), 1);
    if (rows > 0)
      weights[c] = static_cast<double>(train.size()) / static_cast<double>(rows) / static_cast<double>(weights.size());
  }
  return weights;
}

}  // namespace bigdna::training
