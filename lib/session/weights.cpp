#include "session/weights.h"

#include "base/error.h"
#include "base/finite.h"

namespace bigdna::session {

model::Parameters placed(const model_folder::ModelConfig& config, model::Parameters parameters,
                         const Placement& placement) {
  for (auto& [name, tensor] : parameters) tensor = tensor.detach().to(placement.device);
  return model::cast_for(config, parameters, placement.compute);
}

void require_finite(std::span<const float> values, const std::string& model) {
  if (all_finite(values)) return;
  fail(model, ": the model gives values that are not finite numbers: its weights are damaged, or too large for this",
       " precision, or its training diverged");
}

}  // namespace bigdna::session
