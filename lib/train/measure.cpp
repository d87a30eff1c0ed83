#include "train/measure.h"

#include "base/clock.h"
#include "base/log.h"
#include "model/device.h"
#include "train/memory.h"
#include "train/optimiser.h"

namespace bigdna::train {

double seconds_of(const std::function<void()>& pass) {
  const auto start = Clock::now();
  int passes = 0;
  for (; passes == 0 || (passes < 5 && seconds_since(start) < 2); ++passes) pass();
  return seconds_since(start) / passes;
}

Measurement measure_steps(const TrainingTask& task, model::Parameters parameters,
                          const std::vector<corpus::Example>& examples, const LoopOptions& options,
                          const at::Device& device) {
  const log::Progress stage("measuring steps");
  model::configure_threads(options.threads);
  for (auto& [name, tensor] : parameters) tensor = tensor.to(device).requires_grad_(true);
  AdamW optimiser(parameters);
  const auto size = std::ssize(examples);
  const BatchPart part{examples, 0, totals_of(examples)};
  const auto pass = [&] { return forward_backward(task, parameters, part, size, 1, device).tokens; };
  const int64_t tokens = pass();  // the first one warms up
  optimiser.update(parameters, 0, {}, gradient_norm(parameters));
  const double seconds_per_pass = seconds_of([&] { pass(); });
  const auto start = Clock::now();
  // waits for a GPU
  optimiser.update(parameters, 0, {}, gradient_norm(parameters), /*measure=*/!device.is_cpu());
  const double update = seconds_since(start);
  Measurement result;
  const double parts = static_cast<double>(options.batch) / static_cast<double>(size);
  result.seconds_per_step = parts * seconds_per_pass + update;
  result.tokens_per_second = parts * static_cast<double>(tokens) / result.seconds_per_step;
  result.peak_memory = memory_peak(device);
  return result;
}

}  // namespace bigdna::train
