#include "model/cuda_launch.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/error.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::model {

c10::Stream current_stream(const c10::Device& device) { return c10::impl::VirtualGuardImpl(device.type()).getStream(device); }

void check_launch(int error, const char* what) {
  if (error) fail(what, " on the GPU: ", kernels::cuda_plugin().table->error_text(error));
}

}  // namespace bigdna::model
