#include "kernels/pooling.h"

#include "base/error.h"
#include "kernels/cpu/plan.h"
#include "kernels/cpu/pooling_simd.h"
#include "kernels/cpu/row_tasks.h"

namespace bigdna::kernels {
namespace {

void check_width(int64_t width) {
  if (width < 1 || width > 255) fail("maxima over ", width, " rows (1 to 255)");
}

}  // namespace

void max_pool(const Rows& shape, int64_t width, const void* x, void* out, uint8_t* winner) {
  check_width(width);
  run_rows(shape,
           [&](int64_t, int64_t first, int64_t last) { max_pool_simd(shape, width, x, out, winner, first, last); });
}

void max_pool_backward(const Rows& shape, int64_t width, const uint8_t* winner, const void* grad_out, void* grad_x) {
  check_width(width);
  run_rows(shape, [&](int64_t, int64_t first, int64_t last) {
    max_pool_backward_simd(shape, width, winner, grad_out, grad_x, first, last);
  });
}

void norm_gelu(const NormGelu& p) {
  run_rows(p.shape, [&](int64_t, int64_t first, int64_t last) { norm_gelu_simd(p, first, last); });
}

void norm_gelu_backward(const NormGelu& p, const void* grad_out, void* grad_x, float* grad_weight, float* grad_shift) {
  const int64_t columns = p.shape.columns, tasks = tasks_of(p.shape);
  const FloatBuffer sums(static_cast<size_t>(tasks * 2 * columns));
  run_rows(p.shape, [&](int64_t task, int64_t first, int64_t last) {
    norm_gelu_backward_simd(p, grad_out, grad_x, first, last, sums.data() + task * 2 * columns);
  });
  add_up(sums.data(), tasks, 2 * columns, columns, grad_weight);
  add_up(sums.data() + columns, tasks, 2 * columns, columns, grad_shift);
}

}  // namespace bigdna::kernels
