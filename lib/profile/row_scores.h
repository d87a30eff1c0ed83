/// Predictions of a network on bases for rows of a dataset.
#pragma once

#include <cstdint>
#include <vector>

#include "classification/task_rows.h"
#include "profile/bin_grid.h"
#include "session/profile_model.h"

namespace bigdna::profile {

/// Logits, row-major [rows, labels], on all threads.
std::vector<float> row_logits(const session::ProfileModel& model, const classification::TaskRows& data,
                              const BinGrid& grid, const std::vector<int64_t>& rows, session::Strands strands);

}  // namespace bigdna::profile
