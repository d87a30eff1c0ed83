/// A model folder: everything that can be read and checked without LibTorch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/manifest.h"
#include "io/safetensors.h"
#include "model_folder/config.h"
#include "model_folder/network_config.h"
#include "model_folder/task_outputs.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::genome {
class IntervalSet;  // genome/interval_set.h
}

namespace bigdna::model_folder {

/// RUN/model if `path` is a run folder (of pretrain or finetune), otherwise `path` itself.
std::string model_in(const std::string& path);

/// The files that are read from a model folder, a run's model included, as io::FilesOf; `path` itself if it is a file.
/// vocabulary_files_of(): those that its vocabulary is read from.
std::vector<std::string> files_of(const std::string& path);
std::vector<std::string> vocabulary_files_of(const std::string& path);
/// The last part of the path that says which model it is: "run" of "a/run/model", of "run/", of "run.tar" and of "." in
/// that folder.
std::string name_of(const std::string& path);
/// "NAME MD5" of the model in a folder: name_of(), and the checksum of its weights.
std::string name_and_md5(const std::string& folder);
/// What a journal records of it: checksums of all its weights and of the files that are read with them.
nlohmann::ordered_json identity_of(const std::string& folder);

/// A folder made by bigdna or saved by transformers, opened for reading. Errors name the missing or truncated file.
struct ModelFolder {
  std::string path;
  ModelConfig config;  // of a network on bases: the head and the number of labels alone
  tokenizer::Vocabulary vocabulary;
  io::Manifest manifest;                   // bigdna.json; with an empty kind if another program made the folder
  std::optional<NetworkConfig> network{};  // set if the model is a network on bases, which has no vocabulary
  genome::IntervalSet training_intervals() const;
  genome::IntervalSet held_out_intervals() const;
  /// Whether it is a network that labels the bins of a region, and not one that answers for a sequence as a whole.
  bool labels_bins() const { return network && !network->pooled; }
  std::string weights_path() const { return path + "/model.safetensors"; }
  /// Opens and checks everything except the values of the weights. Accepts a run folder, which holds a model.
  /// Error if it is a network on bases.
  static ModelFolder open(const std::string& path);
  /// The same for any model.
  static ModelFolder open_any(const std::string& path);
  /// Error naming the folder if the vocabulary lacks [CLS] or [SEP], between which the encoder reads every sequence.
  void check_reads_sequences() const;
};

/// Error for weights in another format than safetensors, with the line of Python that saves them in it.
[[noreturn]] void fail_pickle(const std::string& path);
/// Error naming the model's `path` if its tokenizer puts something else around a sequence than [CLS] and [SEP].
void check_frame(const tokenizer::Vocabulary& vocabulary, const std::string& path);
/// Error naming the model's `path` if its manifest records another vocabulary. Other programs' models record none.
void check_vocabulary(const io::Manifest& manifest, const tokenizer::Vocabulary& vocabulary, const std::string& path);

/// Reads a config.json; Errors name it.
ModelConfig load_config(const std::string& file);
TaskOutputs load_outputs(const std::string& file);

/// Writes config.json, spiece.model (if SentencePiece's format can hold the vocabulary), tokenizer.json,
/// tokenizer_config.json and, last, bigdna.json (kind "model"; the caller sets its version, command line and so on).
/// The folder must exist and hold the weights (model.safetensors; save_weights() in model/parameters.h writes them) and
/// a task's features.tsv. `imported`: the outputs of a head that none of bigdna's tasks has.
void write_model_folder(const std::string& path, const ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                        io::Manifest manifest, const TaskOutputs& imported = {});

/// Writes config.json and, last, bigdna.json (kind "model") of a network on bases. The folder must hold the weights
/// (model.safetensors) and features.tsv.
void write_network_folder(const std::string& path, const NetworkConfig& config, io::Manifest manifest);

using Shapes = std::map<std::string, std::vector<int64_t>>;
/// Those of a weights file, by key.
using Arrays = std::map<std::string, io::ArrayView>;

/// The key of each parameter of `config` in a weights file, by name; of several (decoder.h: all_keys()) the first. Tied
/// keys (decoder = k-mer embeddings) may be absent; position_ids buffers, LayerNorm.gamma/beta and a bare encoder
/// without "bert." are accepted. One Error, naming `path`, lists every missing or unexpected key and wrong shape. Error
/// also for an output layer of its own, whose values differ from the embeddings', unless the heads are ignored.
std::map<std::string, std::string> weight_keys(const ModelConfig& config, const Arrays& file, const std::string& path,
                                               Heads heads = Heads::exact);
/// Sets the heads (MLM, NSP, or a classifier and its number of labels) that another program's weights file holds,
/// whatever its config.json says.
void set_heads(ModelConfig& config, const Arrays& file);

/// Keys of a model's manifest: training and held-out intervals, and the vocabulary that the weights belong to.
inline constexpr const char* kTrainingIntervals = "training_intervals";
inline constexpr const char* kHeldOutIntervals = "held_out_intervals";
inline constexpr const char* kVocabularyHash = "vocabulary_hash";

/// Files of fine-tuned models (models/kmer_model.h) that bigdna.json lists: the k-mers, which are a part of the
/// model, and the k-mers of the same training rows that it is compared with.
inline constexpr const char* kKmersFile = "kmers.safetensors";
inline constexpr const char* kKmerBaselineFile = "kmer_baseline.safetensors";
/// Effects of random variants that come with a model (variants/background.h). Not listed in bigdna.json: it says
/// nothing about the model's own output.
inline constexpr const char* kBackgroundFile = "background.safetensors";
/// A file's entry in the manifest; null if there is none.
const nlohmann::ordered_json* file_entry(const io::Manifest& manifest, const std::string& name);

}  // namespace bigdna::model_folder
