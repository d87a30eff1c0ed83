/// A pretrained encoder as a part of a network's model folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model_folder/model_folder.h"

namespace bigdna::model_folder {

/// Of networks on bases with a pretrained encoder beside them (models/frozen_encoder.h): the encoder's own folder in
/// the model's, whose files bigdna.json lists as "encoder/NAME", and the head that reads its states.
inline constexpr const char* kEncoderFolder = "encoder";
inline constexpr const char* kEncoderHeadFile = "encoder_head.safetensors";
/// The names of the encoder's files in a model's manifest: "encoder/config.json" ...
std::vector<std::string> encoder_files(const io::Manifest& manifest);
/// Copies a pretrained encoder into the folder of a model, and lists its files in the model's manifest.
void put_encoder(const ModelFolder& encoder, const std::string& folder, io::Manifest& manifest,
                 const std::function<void(const std::string&)>& write_weights = {});

}  // namespace bigdna::model_folder
