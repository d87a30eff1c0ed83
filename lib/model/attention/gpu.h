/// The fused backend on a GPU: what its kernels read beside the tensors, on the device; and their launches.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <mutex>

#include "kernels/cuda_work.h"
#include "model/attention/backend.h"

namespace bigdna::model {

/// A plan's layouts, lengths and thread blocks on a device. All work is queued on LibTorch's current stream of that
/// device and nothing waits for it.
class GpuAttention {
 public:
  /// Cached: calls of equal plans share one, so equal batches copy nothing.
  static std::shared_ptr<GpuAttention> of(const AttentionPlan& plan, int64_t heads, int64_t n, const at::Device& device);

  /// `p` with everything but lengths and layouts filled in; these point to the device afterwards. Error naming the
  /// cause where a launch fails.
  void forward(kernels::AttentionForward p);
  void backward(kernels::AttentionBackward b);

  GpuAttention(const AttentionPlan& plan, int64_t heads, int64_t n, const at::Device& device);

 private:
  /// Thread blocks of a walk over rows or columns; made when first asked for.
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
