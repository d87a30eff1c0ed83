/// c10d's NCCL group, in a library of its own: build/lib/libbigdna_nccl.so links libtorch_cuda, which no CPU run loads.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace bigdna::train {

/// What the library exports: a new group on the current process's GPU, its reference count 1, or null, and then a
/// message in error[0..size).
constexpr const char* kNcclSymbol = "bigdna_nccl_group";
using NcclGroup = c10d::Backend* (*)(c10d::Store* store, int rank, int ranks, int64_t timeout_ms, char* error,
                                     int size);

/// Opens the library and makes the group; Error where it is not there (it is built where nvcc and NCCL's header are) or
/// does not open.
c10::intrusive_ptr<c10d::Backend> open_nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                            std::chrono::milliseconds timeout);

}  // namespace bigdna::train
