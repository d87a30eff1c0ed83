/// Where and how models run: what RunOptions ask for, resolved on this machine.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "model/encoder.h"
#include "session/run_options.h"

namespace bigdna::session {

struct Placement {
  at::Device device = at::kCPU;
  at::ScalarType compute = at::kFloat;
  std::string backend = "auto";
  int threads = 1;
  int64_t batch_tokens = 16384;

  Placement() = default;
  /// Selects and logs device and precision (model/device.h), and records in this process's job which precision "auto"
  /// stands for here. To be made before any other use of LibTorch, and before the job is compared.
  explicit Placement(const RunOptions& options);
  /// The same on a device that was selected before.
  Placement(const at::Device& device, const RunOptions& options);

  const char* precision() const;  // "fp32", "bf16"
  model::ForwardOptions forward() const;
  /// How many threads may run a model at the same time, each with its own batch: two with a GPU, so that one reads,
  /// tokenises and writes while the other waits for the device.
  int streams() const;
};

}  // namespace bigdna::session
