/// Turns a network's logits into log-odds that hold where every bin counts alike.
#pragma once

#include <cstdint>
#include <vector>

#include "classification/task_rows.h"
#include "model/parameters.h"
#include "model_folder/profile_config.h"

namespace bigdna::profile {

/// Fits scale and shift of each label's logits to rows by logistic regression (Platt 1999), and folds them into the
/// networks' heads. Labels with fewer than ten rows of either value stay as they are. `logits`: of the rows, row-major
/// [rows, labels].
void calibrate(const model_folder::ProfileConfig& config, model::Parameters& parameters,
               const classification::TaskRows& data, const std::vector<int64_t>& rows,
               const std::vector<float>& logits);

/// The scale and shift with the least log loss of `labels` by scale * logits + shift; labels count as a little less
/// than certain, so that the scale is finite.
struct LogitMap {
  double scale = 1, shift = 0;
};
LogitMap fit_logit_map(const std::vector<float>& logits, const std::vector<uint8_t>& labels);

}  // namespace bigdna::profile
