#include "classification/linear_models.h"

#include <algorithm>

#include "base/threads.h"

namespace bigdna::classification {

LinearModels fit_linear_models(const TaskRows& data,
                               const std::function<metrics::FeatureMatrix(const std::vector<int64_t>& rows)>& describe,
                               int threads) {
  constexpr int64_t kRows = 5000;
  const auto train = data.of(dataset::Split::train, kRows), validation = data.of(dataset::Split::validation, kRows);
  const metrics::StandardisedFeatures x(describe(train));
  const auto tuning = describe(validation);
  LinearModels models(static_cast<size_t>(data.labels()));
  parallel_for(data.labels(), threads, [&](int64_t feature) {
    const auto y = data.labels_of(train, feature);
    const auto ones = std::count(y.begin(), y.end(), 1);
    if (ones == 0 || ones == static_cast<int64_t>(y.size())) return;
    models[static_cast<size_t>(feature)] = metrics::fit_by_validation(x, y, tuning, data.labels_of(validation, feature));
  });
  return models;
}

}  // namespace bigdna::classification
