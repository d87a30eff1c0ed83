/// Parameters: an ordered map from Hugging Face name to tensor. Checkpoint, optimiser and convert need no other naming.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "model_folder/config.h"

namespace bigdna::model {

using Parameters = std::map<std::string, at::Tensor>;

/// BERT's initialisation: normal(0, initializer_range or the architecture's deviation), biases 0, LayerNorm 1 and 0. A
/// pure function of (config, seed): each parameter is drawn from (seed, its name).
Parameters initialise(const model_folder::ModelConfig& config, uint64_t seed);
/// The same for any shapes; `deviation` gives the standard deviation of the values of a matrix (or filters).
Parameters initialise(const std::map<std::string, std::vector<int64_t>>& shapes,
                      const std::function<double(const std::string&, const std::vector<int64_t>&)>& deviation,
                      uint64_t seed);

/// Adds those parameters of `config` that are not there, as initialise() has them; copies of a layer's projections are
/// of those that are there.
void add_missing(const model_folder::ModelConfig& config, Parameters& parameters, uint64_t seed);

/// Writes model.safetensors in this type (f32, f16 or bf16), without tied keys (cls.predictions.decoder.*), like
/// transformers. Error if a number is too large for the type.
void save_weights(const Parameters& parameters, const std::string& path, io::Dtype type = io::Dtype::f32);
/// Every array of a safetensors file (fp32, bf16, fp16) as fp32, under its own key. Here and below, an array that holds
/// NaN or an infinite value is an Error.
Parameters load_arrays(const std::string& path);
/// The same where exactly these arrays, of these shapes, must be there. One Error names those that are not.
Parameters load_arrays(const std::string& path, const std::map<std::string, std::vector<int64_t>>& shapes);
/// The parameters of `config` from a safetensors file. One Error lists every key that is missing, unexpected or of the
/// wrong shape (model_folder::weight_keys says what is accepted).
Parameters load_weights(const model_folder::ModelConfig& config, const std::string& path);
/// The encoder of a pretrained model with new heads initialised from `seed` or, with Heads::present, with those heads
/// of `config` that the model has, and new ones for the rest.
Parameters load_encoder(const model_folder::ModelConfig& config, const std::string& path, uint64_t seed,
                        model_folder::Heads heads = model_folder::Heads::ignored);

}  // namespace bigdna::model
