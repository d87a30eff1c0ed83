/// A model's weights between its parameters and the arrays of model.safetensors, which for decoders have other names
/// and parts (model_folder/decoder.h).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "model/parameters.h"

namespace bigdna::model {

/// Writes model.safetensors with the keys that transformers' class for the model reads, where it has one.
void save_model_weights(const model_folder::ModelConfig& config, const Parameters& parameters, const std::string& path,
                        io::Dtype type = io::Dtype::f32);
/// The parameters with these keys, as model_folder::weight_keys() gives them. `array`: the one of a key.
Parameters model_weights(const model_folder::ModelConfig& config, const std::map<std::string, std::string>& keys,
                         const std::function<at::Tensor(const std::string&)>& array);

}  // namespace bigdna::model
