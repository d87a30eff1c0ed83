#include "training/label_weights.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "io/delimited.h"

namespace bigdna::training {

std::vector<double> feature_weights(const FinetuneOptions& options, double positive_weight,
                                    const std::vector<dataset::Feature>& features) {
  std::vector<double> weights(features.size(), positive_weight);
  if (options.feature_weights.empty()) return weights;
  auto reader =
      io::DelimitedReader::without_header(options.feature_weights, {"features", "weight"}, {.comments = true});
  while (const auto fields = reader.next()) {
    const std::string& pattern = fields->front();
    const double weight = parse_number<double>(fields->back()).value_or(0);
    const std::string where = concat(reader.path(), ":", reader.line());
    if (pattern.empty() || !(weight > 0) || !std::isfinite(weight))
      fail(where, ": expected FEATURES, a tab and a weight above 0");
    try {
      for (const int64_t f : dataset::choose_features(features, pattern, "features"))
        weights[static_cast<size_t>(f)] = weight;
    } catch (const UsageError& error) {
      fail(where, ": ", error.what());
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
