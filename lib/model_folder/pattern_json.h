/// An attention pattern as config.json has it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sparsity/pattern.h"

namespace bigdna::model_folder {

/// All but the block size and the number of random blocks, which have keys of BigBirdConfig.
nlohmann::ordered_json pattern_json(const sparsity::PatternConfig& pattern);
/// nlohmann's exception if a key is missing or of the wrong type.
void read_pattern(const nlohmann::json& json, sparsity::PatternConfig& pattern);

}  // namespace bigdna::model_folder
