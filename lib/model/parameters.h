/// Parameters: an ordered map from Hugging Face name to tensor. Checkpoint, optimiser and convert need no other naming.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "model_folder/config.h"

namespace bigdna::model {

using Parameters = std::map<std::string, at::Tensor>;

/// BERT's initialisation: normal(0, initializer_range or what the architecture says), biases 0, LayerNorm 1/0. A pure function of (config, seed):
/// each parameter is drawn from (seed, its name).
Parameters initialise(const model_folder::ModelConfig& config, uint64_t seed);

/// model.safetensors, fp32, tied keys (cls.predictions.decoder.*) left out as transformers does.
void save_weights(const Parameters& parameters, const std::string& path);
/// Every array of a safetensors file (fp32, bf16, fp16) as fp32, under its own key.
Parameters load_arrays(const std::string& path);
/// The parameters of `config` from a safetensors file. One Error lists every missing, unexpected and wrongly shaped key
/// (model_folder::weight_keys says what is tolerated).
Parameters load_weights(const model_folder::ModelConfig& config, const std::string& path);
/// The encoder of a pretrained model, with new heads initialised from `seed`, or (Heads::present) with those heads of `config`
/// that it has and new ones for the rest.
Parameters load_encoder(const model_folder::ModelConfig& config, const std::string& path, uint64_t seed,
                        model_folder::Heads heads = model_folder::Heads::ignored);

}  // namespace bigdna::model
