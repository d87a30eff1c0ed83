/// LibTorch's threads and types for calls of lib/kernels.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>

#include "kernels/attention.h"

namespace bigdna::model {

/// While it lives, LibTorch's operations on this thread use one thread each, because bigdna's own threads run a batch
/// each. On threads that start_threads() (base/threads.h) starts they always do.
class OneThreadPerOperation {
 public:
  OneThreadPerOperation();
  ~OneThreadPerOperation();
  OneThreadPerOperation(const OneThreadPerOperation&) = delete;

 private:
  int before_;
};

/// A kernels::ParallelFor on LibTorch's own threads. A second pool would compete with these, which spin for a while
/// after each operation.
void parallel(int64_t count, int threads, void (*body)(void*, int64_t), void* context);

kernels::Precision precision_of(c10::ScalarType type);

}  // namespace bigdna::model
