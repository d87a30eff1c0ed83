/// What code that launches the CUDA plug-in's kernels, or waits for their results, needs from LibTorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <optional>

namespace bigdna::model {

/// The stream on which LibTorch queues its own work.
c10::Stream current_stream(const c10::Device& device);
/// Error naming `what` and the cause if `error`, a launch's cudaError_t, is not 0.
void check_launch(int error, const char* what);

/// A copy of a tensor to CPU memory, queued at construction. get() waits for it, but not for what was queued later.
class ToHost {
 public:
  explicit ToHost(const at::Tensor& x);
  const at::Tensor& get();

 private:
  at::Tensor host_;
  std::optional<c10::Event> copied_;  // none where x is on the CPU
};

}  // namespace bigdna::model
