/// Logistic regressions on numbers that describe a row: k-mers, or what a model's head reads.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "metrics/logistic_regression.h"
#include "classification/task_rows.h"

namespace bigdna::classification {

/// One a feature of the data; none where the training rows are of one class.
using LinearModels = std::vector<std::optional<metrics::LogisticRegression>>;

/// Fitted on the training rows, the penalty chosen on the validation rows, at most 5000 of each. `describe` makes the
/// matrix of some rows.
LinearModels fit_linear_models(const TaskRows& data,
                               const std::function<metrics::FeatureMatrix(const std::vector<int64_t>& rows)>& describe,
                               int threads);

}  // namespace bigdna::classification
