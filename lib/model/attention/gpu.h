/// The fused backend on a GPU: launches its kernels, and holds what they read besides the tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <mutex>

#include "kernels/cuda_work.h"
#include "model/attention/backend.h"

namespace bigdna::model {

/// A plan's layouts, lengths and thread blocks on a device. All work is queued on LibTorch's current stream of that
/// device, without waiting for it.
class GpuAttention {
 public:
  /// Cached: calls with equal plans share an object, so equal batches copy nothing.
  static std::shared_ptr<GpuAttention> of(const AttentionPlan& plan, int64_t heads, int64_t n,
                                          const at::Device& device);

  /// Launches the forward. `p` has everything except lengths and layouts, which are set to point to the device. Error
  /// naming the cause if a launch fails.
  void forward(kernels::AttentionForward p);
  void backward(kernels::AttentionBackward b);

  GpuAttention(const AttentionPlan& plan, int64_t heads, int64_t n, const at::Device& device);

 private:
  /// Thread blocks of a walk over rows or columns; planned on first use.
  struct Walk {
    kernels::WorkLists lists;
    at::Tensor device;  // items, then cuts
    kernels::Work view() const;
  };
  const Walk& walk(Walk& of, kernels::WorkLists (*plan)(const kernels::AttentionForward&));
  void on_device(kernels::AttentionForward& p) const;

  AttentionPlan plan_;
  at::Device device_;
  std::vector<kernels::LayoutView> host_layouts_;
  kernels::AttentionForward shape_;  // what the planning reads
  at::Tensor uploaded_;              // layouts (views), lengths, then the lists the views point to
  std::mutex mutex_;                 // of what follows: LibTorch runs backward passes on threads of its own
  Walk rows_, columns_;
};

}  // namespace bigdna::model
