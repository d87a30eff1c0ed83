/// Parameters: an ordered map from Hugging Face name to tensor. Checkpoint, optimiser and convert need no other naming.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "model_folder/config.h"

namespace bigdna::model {

using Parameters = std::map<std::string, at::Tensor>;

/// Names and shapes of everything `config` needs; tied keys (cls.predictions.decoder.*) are not in it.
std::map<std::string, std::vector<int64_t>> parameter_shapes(const model_folder::ModelConfig& config);

/// BERT's initialisation: normal(0, initializer_range), biases 0, LayerNorm 1/0. A pure function of (config, seed).
Parameters initialise(const model_folder::ModelConfig& config, uint64_t seed);

/// Weights in model.safetensors. `load` lists every missing, unexpected and wrongly shaped key in one Error; tied keys may be
/// absent; `prefix_only` "bert." takes the encoder alone, the heads freshly initialised from `seed`.
void save_weights(const Parameters& parameters, const std::string& path);
Parameters load_weights(const model_folder::ModelConfig& config, const std::string& path);
/// The encoder of a pretrained model with new task heads.
Parameters load_encoder(const model_folder::ModelConfig& config, const std::string& path, uint64_t seed);

}  // namespace bigdna::model
