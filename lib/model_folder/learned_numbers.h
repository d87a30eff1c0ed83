/// Numbers in a model's weights that say something by themselves, such as how far a head has learned to attend.
#pragma once

#include <string>
#include <vector>

#include "io/safetensors.h"
#include "model_folder/config.h"

namespace bigdna::model_folder {

struct LearnedNumbers {
  std::string title;  // "learned span, layer 1"
  std::string text;   // of each head: "12, 340, 1024 tokens"
};

/// Of a model whose weights are `file`, in its order of layers; none where the model's attention has none, or where
/// weights are not fp32.
std::vector<LearnedNumbers> learned_numbers(const ModelConfig& config, const io::SafetensorsFile& file);

}  // namespace bigdna::model_folder
