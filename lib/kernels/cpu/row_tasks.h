/// How the row kernels divide their work: tasks of whole rows, and sums over columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/threads.h"
#include "kernels/rows.h"

namespace bigdna::kernels {

/// Rows of a task: a function of the shape alone, so that column sums are added in the same order for any number of
/// threads.
inline int64_t rows_per_task(const Rows& shape) { return std::max<int64_t>(32, (shape.rows + 63) / 64); }
inline int64_t tasks_of(const Rows& shape) { return (shape.rows + rows_per_task(shape) - 1) / rows_per_task(shape); }

/// body(task, first row, last row)
template <class Body>
void run_rows(const Rows& shape, const Body& body) {
  const int64_t step = rows_per_task(shape);
  const auto task = [&](int64_t i) { body(i, i * step, std::min(shape.rows, (i + 1) * step)); };
  using Task = decltype(task);
  if (shape.parallel)
    shape.parallel(
        tasks_of(shape), shape.threads, [](void* context, int64_t i) { (*static_cast<const Task*>(context))(i); },
        const_cast<void*>(static_cast<const void*>(&task)));
  else
    parallel_for(tasks_of(shape), shape.threads, task);
}

/// Adds the tasks' column sums, in order.
inline void add_up(const float* sums, int64_t tasks, int64_t stride, int64_t columns, float* out) {
  std::fill(out, out + columns, 0.0f);
  for (int64_t task = 0; task < tasks; ++task)
    for (int64_t column = 0; column < columns; ++column) out[column] += sums[task * stride + column];
}

}  // namespace bigdna::kernels
