/// A model folder: what can be known and checked of it without LibTorch.
#pragma once

#include <memory>
#include <string>

#include "genome/interval_set.h"
#include "io/manifest.h"
#include "io/safetensors.h"
#include "model_folder/config.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::model_folder {

/// Opened for reading. Errors name the missing or truncated file.
struct ModelFolder {
  std::string path;
  ModelConfig config;
  tokenizer::Vocabulary vocabulary;
  io::Manifest manifest;  // bigdna.json; empty kind where another program made the folder
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;
  std::string weights_path() const { return path + "/model.safetensors"; }
  /// Opens and checks all but the weights' values.
  static ModelFolder open(const std::string& path);
};

/// Writes config.json, spiece.model, tokenizer.json, tokenizer_config.json and, last, bigdna.json. The weights
/// (model.safetensors) must have been written before: model/weights.h.
void write_model_folder(const std::string& path, const ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                        io::Manifest manifest);
/// Interval sets as JSON ({"contig": [[start, end], ...]}) and back: manifests carry them.
nlohmann::ordered_json to_json(const genome::IntervalSet& set);
genome::IntervalSet intervals_from_json(const nlohmann::json& json);

}  // namespace bigdna::model_folder
