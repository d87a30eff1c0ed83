/// How much memory a device has left and how much a forward pass takes: for choosing a micro-batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace bigdna::train {

/// Bytes in use by this process on the device now. CPU: what malloc has handed out.
uint64_t memory_in_use(const at::Device& device);
/// Bytes that may still be taken. CPU: the least of what the machine has available (MemAvailable), the cgroup's bound and
/// the process's (ulimit -v). GPU: free, or kept by LibTorch's allocator and unused.
uint64_t memory_available(const at::Device& device);

/// The most bytes that this process has had in use at once: on a CPU its resident memory.
uint64_t memory_peak(const at::Device& device);

/// The most examples, from 1 to `most`, whose forward and backward passes fit into `available` bytes, where passes over one
/// and over two were seen to hold `one` and `two` bytes at the end of forward. The backward pass is taken to need `backward`
/// times as much, and a fifth of what is available stays free.
int64_t fitting_examples(uint64_t one, uint64_t two, uint64_t available, int64_t most, double backward);

}  // namespace bigdna::train
