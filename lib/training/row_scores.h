/// Predictions of a network on bases for rows of a dataset.
#pragma once

#include <cstdint>
#include <vector>

#include "rows/task_rows.h"
#include "training/bin_grid.h"
#include "models/network.h"

namespace bigdna::training {

/// Logits, row-major [rows, labels], on all threads.
std::vector<float> row_logits(const models::Network& model, const rows::TaskRows& data, const BinGrid& grid,
                              const std::vector<int64_t>& rows, session::Strands strands);

}  // namespace bigdna::training
