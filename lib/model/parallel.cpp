#include "model/parallel.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <exception>
#include <optional>

#include "base/threads.h"
#include "model/device.h"

namespace bigdna::model {

namespace {
/// MKL, unless told on each thread, would share a product among as many threads as there are processors, and with their
/// number the order of sums changes.
[[maybe_unused]] const bool kPrepared = (prepare_threads([] { configure_threads(1); }), true);
}  // namespace

OneThreadPerOperation::OneThreadPerOperation() : before_(at::get_num_threads()) { at::set_num_threads(1); }
OneThreadPerOperation::~OneThreadPerOperation() { at::set_num_threads(before_); }

void parallel(int64_t count, int threads, void (*body)(void*, int64_t), void* context) {
  std::atomic<int64_t> next{0};
  std::exception_ptr error;
#pragma omp parallel num_threads(threads) if (count > 1 && threads > 1)
  try {
    std::optional<OneThreadPerOperation> guard;  // of each thread: MKL's number is its own, and not that of the caller
    if (count > 1 && threads > 1) guard.emplace();
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(context, i);
  } catch (...) {
    next = count;
#pragma omp critical
    error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

kernels::Precision precision_of(c10::ScalarType type) {
  if (type == c10::kBFloat16) return kernels::Precision::bf16;
  return type == c10::kHalf ? kernels::Precision::fp16 : kernels::Precision::fp32;
}

}  // namespace bigdna::model
