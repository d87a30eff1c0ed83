/// The speed and memory of a training's steps, measured before it begins.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "train/options.h"
#include "train/passes.h"

namespace bigdna::train {

struct Measurement {
  double seconds_per_step = 0;
  double tokens_per_second = 0;
  uint64_t peak_memory = 0;  // bytes, on the device
};
/// Seconds that a call of `pass` takes, the mean of up to five calls. The caller warms up by one call before.
double seconds_of(const std::function<void()>& pass);

/// Measures a few passes over `examples`, as many as one pass of the run takes (at most options.batch), and an update
/// of the parameters, which are of no use afterwards.
Measurement measure_steps(const TrainingTask& task, model::Parameters parameters,
                          const std::vector<corpus::Example>& examples, const LoopOptions& options,
                          const at::Device& device);

}  // namespace bigdna::train
