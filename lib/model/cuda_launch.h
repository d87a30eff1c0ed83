/// What every launch of the CUDA plug-in's kernels needs from LibTorch.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

namespace bigdna::model {

/// The stream LibTorch queues its own work on.
c10::Stream current_stream(const c10::Device& device);
/// Error naming `what` and the cause where a launch gave a cudaError_t other than 0.
void check_launch(int error, const char* what);

}  // namespace bigdna::model
