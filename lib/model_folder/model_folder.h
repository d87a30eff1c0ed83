/// A model folder: everything that can be read and checked without LibTorch.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "io/manifest.h"
#include "io/safetensors.h"
#include "model_folder/config.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::genome {
class IntervalSet;  // genome/interval_set.h
}

namespace bigdna::model_folder {

/// RUN/model if `path` is a run folder (of pretrain or finetune), otherwise `path` itself.
std::string model_in(const std::string& path);

/// A folder made by bigdna, or saved by transformers, opened for reading. Errors name the missing or truncated file.
struct ModelFolder {
  std::string path;
  ModelConfig config;
  tokenizer::Vocabulary vocabulary;
  io::Manifest manifest;  // bigdna.json; empty kind where another program made the folder
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;
  std::string weights_path() const { return path + "/model.safetensors"; }
  /// Opens and checks everything except the weights' values. A run folder stands for its model.
  static ModelFolder open(const std::string& path);
};

/// Error naming `path`, the model, if its manifest names another vocabulary; other programs' models name none.
void check_vocabulary(const io::Manifest& manifest, const tokenizer::Vocabulary& vocabulary, const std::string& path);

/// Reads a config.json; Errors name it.
ModelConfig load_config(const std::string& file);

/// Writes config.json, spiece.model (where SentencePiece's format can hold the vocabulary), tokenizer.json, tokenizer_config.json and, last, bigdna.json (kind "model"; its
/// version, command line and so on are the caller's). The folder and the weights (model.safetensors) must be there
/// already: model/parameters.h, save_weights().
void write_model_folder(const std::string& path, const ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                        io::Manifest manifest);

/// Arrays of a weights file: key -> shape.
using Shapes = std::map<std::string, std::vector<int64_t>>;
Shapes shapes_of(const io::SafetensorsFile& file);

/// The key of each parameter of `config` in a weights file: name -> key in the file. Accepted: absent tied keys
/// (decoder = word embeddings), the old position_ids buffers, LayerNorm.gamma/beta, a bare encoder without "bert.".
/// One Error, naming `path`, lists every missing, unexpected and wrongly shaped key.
std::map<std::string, std::string> weight_keys(const ModelConfig& config, const Shapes& file, const std::string& path,
                                               Heads heads = Heads::exact);
/// Sets the heads that a weights file of another program's holds, whatever its config.json says: MLM, NSP, a
/// classifier and its number of labels.
void set_heads(ModelConfig& config, const Shapes& file);

/// Manifest details: training and held-out intervals, and which vocabulary the weights belong to.
inline constexpr const char* kTrainingIntervals = "training_intervals";
inline constexpr const char* kHeldOutIntervals = "held_out_intervals";
inline constexpr const char* kVocabularyHash = "vocabulary_hash";

/// The words of a fine-tuned model (session/word_model.h), in its folder and among the files that bigdna.json lists.
inline constexpr const char* kWordsFile = "words.safetensors";
/// Its row among those files; null where there is none.
const nlohmann::ordered_json* words_entry(const io::Manifest& manifest);

}  // namespace bigdna::model_folder
