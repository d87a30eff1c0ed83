/// What transformers has for causal models: decoders, beside the encoders of model_folder/architecture.h.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model_folder/config.h"

namespace bigdna::model_folder {

struct DecoderRow {
  Architecture architecture;             // whose causal models with full attention it computes
  std::string_view model_type, classes;  // the key in config.json, and the prefix of its class names
  // Names of its parameters that are not ours: of the language head, and of parts whose rows follow each other here.
  std::string_view head, own_head, whole;
  std::array<std::string_view, 3> parts;
};
/// Those of an architecture or of a model_type; null if there is none.
const DecoderRow* decoder_of(Architecture architecture);
const DecoderRow* decoder_named(std::string_view model_type);

/// What of a model no class of transformers computes, as "attention performer"; "" where a class computes it all.
std::string not_in_transformers(const ModelConfig& config);
/// What a decoder calls a parameter of ours: one name, or those of its parts.
std::vector<std::string> names_in(const DecoderRow& decoder, const std::string& name);
/// The keys of a parameter in model.safetensors: those that transformers' class for the model reads, where it has one.
std::vector<std::string> keys_to_write(const ModelConfig& config, const std::string& name);
/// The keys of a parameter of which weight_keys() gives the first.
std::vector<std::string> all_keys(const ModelConfig& config, const std::string& name, const std::string& first);

}  // namespace bigdna::model_folder
