/// How much memory a device has left and how much a forward pass takes, for choosing the micro-batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace bigdna::train {

/// Bytes that this process uses on the device now. On a CPU: what malloc has allocated.
uint64_t memory_in_use(const at::Device& device);
/// Bytes that can still be allocated. On a CPU: the least of what the machine has available (MemAvailable) and what is
/// left of the limits of the cgroup and of the process (ulimit -v). On a GPU: free, or kept by LibTorch's allocator and
/// unused.
uint64_t memory_available(const at::Device& device);

/// The most bytes that this process has used at the same time; on a CPU, its peak resident memory.
uint64_t memory_peak(const at::Device& device);

/// The largest number of examples, from 1 to `most`, whose forward and backward passes fit into `available` bytes.
/// `one` and `two` are the bytes in use at the end of measured forward passes over one and two examples. The backward
/// pass is assumed to need `backward` times as much, and a fifth of `available` stays free.
int64_t fitting_examples(uint64_t one, uint64_t two, uint64_t available, int64_t most, double backward);

}  // namespace bigdna::train
