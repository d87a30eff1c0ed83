#include "model/cuda_launch.h"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/error.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::model {

c10::Stream current_stream(const c10::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

void check_launch(int error, const char* what) {
  if (error) fail(what, " on the GPU: ", kernels::cuda_plugin().table->error_text(error));
}

ToHost::ToHost(const at::Tensor& x) {
  if (x.is_cpu()) {
    host_ = x.contiguous();
    return;
  }
  const c10::DeviceGuard guard(x.device());
  host_ = at::empty(x.sizes(), at::device(at::kCPU).dtype(x.scalar_type()).pinned_memory(true));
  host_.copy_(x, /*non_blocking=*/true);
  copied_.emplace(x.device().type());
  copied_->record(current_stream(x.device()));
}

const at::Tensor& ToHost::get() {
  if (copied_) copied_->synchronize();
  return host_;
}

}  // namespace bigdna::model
