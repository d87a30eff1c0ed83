#include "session/placement.h"

#include <algorithm>

#include "io/job.h"
#include "model/device.h"

namespace bigdna::session {

Placement::Placement(const RunOptions& options) : Placement(model::select_device(options.device), options) {}

Placement::Placement(const at::Device& on, const RunOptions& options)
    : device(on),
      compute(model::select_precision(options.precision, device)),
      backend(options.backend),
      threads(options.threads),
      batch_tokens(options.batch_tokens) {
  model::configure_threads(threads);
  io::job().resolve("--precision", precision());
}

const char* Placement::precision() const { return compute == at::kBFloat16 ? "bf16" : "fp32"; }

model::ForwardOptions Placement::forward() const {
  model::ForwardOptions options;
  options.backend = backend;
  options.compute = compute;
  return options;
}

int Placement::streams() const { return device.is_cpu() ? threads : std::min(threads, 2); }

}  // namespace bigdna::session
