/// LibTorch's threads, lent to lib/kernels.
#pragma once

#include <cstdint>

namespace bigdna::model {

/// A kernels::ParallelFor on LibTorch's own threads: a second pool would fight with these, which spin for a
/// while after each operation.
void parallel(int64_t count, int threads, void (*body)(void*, int64_t), void* context);

}  // namespace bigdna::model
