/// Rows that tests of heads share.
#pragma once

#include "rows/task_rows.h"
#include "session/small_model.h"

namespace bigdna::rows {

/// Random sequences of 40 bp, 100 bp apart, two of three for training and the others for validation, each with so many
/// features. Feature 0 is 1 in every other row.
inline TaskRows small_rows(const std::string& task, int64_t count, size_t features) {
  TaskRows data;
  data.task = &dataset::task_of(task);
  data.features.resize(features);
  for (int64_t i = 0; i < count; ++i) {
    data.regions.push_back({"chr1", i * 100, i * 100 + 40, '+'});
    data.splits.push_back(i % 3 == 2 ? dataset::Split::validation : dataset::Split::train);
  }
  data.bases = [](int64_t row) { return test::random_bases(40, static_cast<uint64_t>(row)); };
  data.label = [](int64_t row, int64_t) { return row % 2 == 1; };
  return data;
}

}  // namespace bigdna::rows
