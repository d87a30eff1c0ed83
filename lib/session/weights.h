/// What Session and Decoder do with a model's numbers.
#pragma once

#include <span>
#include <string>

#include "model/parameters.h"
#include "session/placement.h"

namespace bigdna::session {

/// The parameters on the placement's device, in its type.
model::Parameters placed(const model_folder::ModelConfig& config, model::Parameters parameters,
                         const Placement& placement);
/// Error that names the model where a value is NaN or infinite.
void require_finite(std::span<const float> values, const std::string& model);

}  // namespace bigdna::session
