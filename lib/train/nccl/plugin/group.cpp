// libbigdna_nccl.so: see train/nccl/open.h. Nothing of bigdna is linked; LibTorch's types come from the process.
#define USE_C10D_NCCL
#include <cstdio>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "train/nccl/open.h"

// What LibTorch 2.11 was built with: another header's ncclConfig_t would be read wrongly.
static_assert(NCCL_MAJOR == 2 && NCCL_MINOR == 28, "nccl.h is not of LibTorch's version (2.28)");

extern "C" __attribute__((visibility("default"))) c10d::Backend* bigdna_nccl_group(c10d::Store* store, int rank,
                                                                                   int ranks, int64_t timeout_ms,
                                                                                   char* error, int size) {
  static_assert(std::is_same_v<decltype(&bigdna_nccl_group), bigdna::train::NcclGroup>);
  try {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = std::chrono::milliseconds(timeout_ms);
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(c10::intrusive_ptr<c10d::Store>::reclaim_copy(store), rank,
                                                       ranks, options)
        .release();
  } catch (const std::exception& e) {
    std::snprintf(error, static_cast<size_t>(size), "%s", e.what());
    return nullptr;
  }
}
