/// What launches of the CUDA plug-in's kernels, and those who wait for results, need from LibTorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <optional>

namespace bigdna::model {

/// The stream LibTorch queues its own work on.
c10::Stream current_stream(const c10::Device& device);
/// Error naming `what` and the cause where a launch gave a cudaError_t other than 0.
void check_launch(int error, const char* what);

/// A tensor on its way to CPU memory, queued at construction. get() waits for it, and for nothing that was queued later.
class ToHost {
 public:
  explicit ToHost(const at::Tensor& x);
  const at::Tensor& get();

 private:
  at::Tensor host_;
  std::optional<c10::Event> copied_;  // none where x is on the CPU
};

}  // namespace bigdna::model
