#include "model_folder/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "base/error.h"
#include "dataset/task.h"
#include "genome/interval_set.h"
#include "io/identity.h"
#include "io/json.h"
#include "io/md5.h"
#include "io/output.h"
#include "io/paths.h"
#include "model_folder/architecture.h"
#include "model_folder/encoder_part.h"
#include "model_folder/profile_config.h"

namespace bigdna::model_folder {
namespace {

constexpr const char* kManifestFile = "bigdna.json";

void require_file(const std::string& file, const char* why) {
  if (!io::is_file(file)) fail(file, ": no such file (", why, ")");
}

io::Manifest manifest_at(const std::string& path) {
  const std::string file = path + "/" + kManifestFile;
  return io::exists(file) ? io::Manifest::load(file, "model") : io::Manifest{};
}

genome::IntervalSet intervals_at(const io::Manifest& manifest, const char* key) {
  const auto found = manifest.details.find(key);
  return found == manifest.details.end() ? genome::IntervalSet{} : genome::intervals_from_json(*found);
}

}  // namespace

void fail_pickle(const std::string& path) {
  const auto safetensors = (std::filesystem::path(path).parent_path() / "model.safetensors").string();
  fail(path,
       ": is not a safetensors file; bigdna reads no pickles of PyTorch. To save the weights as one: python -c \"",
       "import torch, safetensors.torch as s; s.save_file({k: v.clone().contiguous() for k, v in torch.load('", path,
       "', map_location='cpu', weights_only=True).items()}, '", safetensors, "')\"");
}

std::string model_in(const std::string& path) {
  const bool run = io::exists(path + "/" + io::manifest_name("run")) ||
                   (!io::exists(path + "/config.json") && io::exists(path + "/model/config.json"));
  return run ? path + "/model" : path;
}

namespace {
/// Those of `names` that the folder has.
std::vector<std::string> present(const std::string& folder, std::initializer_list<const char*> names) {
  std::vector<std::string> files;
  for (const char* name : names)
    if (io::is_file(folder + "/" + name)) files.push_back(folder + "/" + name);
  return files;
}
}  // namespace

std::vector<std::string> files_of(const std::string& given) {
  if (!io::is_folder(given)) return {given};
  const std::string path = model_in(given);
  auto files =
      present(path, {kManifestFile, "config.json", "model.safetensors", kKmersFile, kEncoderHeadFile, "features.tsv"});
  for (auto& file : vocabulary_files_of(path)) files.push_back(std::move(file));
  if (const auto encoder = path + "/" + kEncoderFolder; io::is_folder(encoder))
    for (auto& file : files_of(encoder)) files.push_back(std::move(file));
  return files;
}

std::vector<std::string> vocabulary_files_of(const std::string& given) {
  if (!io::is_folder(given)) return {given};
  const auto path = tokenizer::Vocabulary::file_in(model_in(given));
  return path ? std::vector{*path} : std::vector<std::string>();
}

std::string name_of(const std::string& path) {
  std::error_code error;
  auto folder = std::filesystem::absolute(path, error).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  if (folder.filename() == "model" && folder.parent_path().has_filename()) folder = folder.parent_path();
  return (folder.extension() == ".tar" ? folder.stem() : folder.filename()).string();
}

namespace {
/// Of everything that decides predictions: of the file of the network or encoder alone where there is no other.
std::string md5_of_weights(const std::string& folder) {
  const std::string own = io::md5_of_file(folder + "/model.safetensors");
  std::string others;
  for (const std::string& name :
       {std::string(kKmersFile), std::string(kEncoderHeadFile), concat(kEncoderFolder, "/model.safetensors")})
    if (const auto path = concat(folder, "/", name); io::exists(path))
      others += concat(name, " ", io::md5_of_file(path), "\n");
  return others.empty() ? own : io::md5_of_bytes(own + "\n" + others);
}
}  // namespace

std::string name_and_md5(const std::string& folder) { return concat(name_of(folder), " ", md5_of_weights(folder)); }

nlohmann::ordered_json identity_of(const std::string& folder) {
  return {{"weights", md5_of_weights(folder)},
          {"files", io::md5_of_bytes(io::identity_of(folder, files_of).at("files").dump())}};
}

void check_vocabulary(const io::Manifest& manifest, const tokenizer::Vocabulary& vocabulary, const std::string& path) {
  if (const auto trained_with = manifest.details.value(kVocabularyHash, "");
      !trained_with.empty() && trained_with != vocabulary.hash())
    fail(path, ": its vocabulary (hash ", vocabulary.hash(),
         ") is not the one it was trained with (bigdna.json records ", trained_with, ")");
}

void check_frame(const tokenizer::Vocabulary& vocabulary, const std::string& path) {
  if (const auto& frame = vocabulary.rules().other_frame; !frame.empty())
    fail(path, ": its tokenizer.json ", frame, "; bigdna always does, so the model's numbers would be others ",
         "(if it was trained with them, post_processor in tokenizer.json must be a template that says so)");
}

void ModelFolder::check_reads_sequences() const {
  const auto& special = vocabulary.special();
  if (special.cls < 0 || special.sep < 0) fail(path, ": its vocabulary lacks [CLS] or [SEP]");
  check_frame(vocabulary, path);
}

namespace {

nlohmann::json config_json(const std::string& file) {
  auto json = io::parse_json<nlohmann::json>(io::read_file(file), file);
  if (!json.is_object()) fail(file, ": not a JSON object");
  return json;
}

/// The array names and shapes of a network's weights are compared when they are loaded.
ModelFolder network_folder(const std::string& path, NetworkConfig network) {
  ModelFolder folder{path, {}, tokenizer::Vocabulary({}, {}), manifest_at(path)};
  folder.config.head = folder.manifest.details.value("task", "");
  folder.config.labels = network.labels;
  folder.network = std::move(network);
  return folder;
}

}  // namespace

ModelConfig load_config(const std::string& file) { return from_json(config_json(file), file); }
TaskOutputs load_outputs(const std::string& file) { return TaskOutputs::of_config(config_json(file)); }

ModelFolder ModelFolder::open(const std::string& given) {
  auto folder = open_any(given);
  if (folder.network)
    fail(folder.path,
         ": is a model of bigdna train, which reads bases; this command takes pretrained and fine-tuned models, which "
         "read tokens");
  return folder;
}

ModelFolder ModelFolder::open_any(const std::string& given) try {
  const std::string path = model_in(given);
  if (!io::is_folder(path))
    fail(path, ": not a model folder (no such folder), and not the name of a model (bigdna info --models)");
  io::refuse_unfinished(path);
  require_file(path + "/config.json", "a model folder has one");
  if (!io::exists(path + "/model.safetensors")) {
    if (const auto weights = path + "/pytorch_model.bin"; io::exists(weights)) fail_pickle(weights);
    if (io::exists(path + "/model.safetensors.index.json"))
      fail(path, ": weights in several files are not supported; save them with max_shard_size large enough for one");
  }
  require_file(path + "/model.safetensors", "a model folder has one");
  const std::string config = path + "/config.json";
  const auto json = config_json(config);
  if (is_profile(json))
    fail(path,
         ": a profile model (BPNet or ChromBPNet), which only bigdna profile, variants, haplotypes, explain, "
         "marginalize, design, convert "
         "and info read");
  if (is_network(json)) return network_folder(path, network_config_from_json(json, config));
  ModelFolder folder{path, from_json(json, config), tokenizer::Vocabulary::load(path), manifest_at(path)};
  if (folder.vocabulary.size() > folder.config.vocab_size)
    fail(path, ": the vocabulary has ", folder.vocabulary.size(), " pieces, config.json says ",
         folder.config.vocab_size);
  check_vocabulary(folder.manifest, folder.vocabulary, path);
  weight_keys(folder.config, io::SafetensorsFile(folder.weights_path()).arrays(), folder.weights_path());
  return folder;
} catch (const nlohmann::json::exception& error) {
  fail(model_in(given), ": config.json or bigdna.json is damaged: ", error.what());
}

const nlohmann::ordered_json* file_entry(const io::Manifest& manifest, const std::string& name) {
  const auto files = manifest.details.find("files");
  if (files == manifest.details.end()) return nullptr;
  const auto found =
      std::find_if(files->begin(), files->end(), [&](const auto& file) { return file.value("name", "") == name; });
  return found == files->end() ? nullptr : &*found;
}

genome::IntervalSet ModelFolder::training_intervals() const { return intervals_at(manifest, kTrainingIntervals); }
genome::IntervalSet ProfileFolder::training_intervals() const { return intervals_at(manifest, kTrainingIntervals); }
genome::IntervalSet ModelFolder::held_out_intervals() const { return intervals_at(manifest, kHeldOutIntervals); }

void write_model_folder(const std::string& path, const ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                        io::Manifest manifest, const TaskOutputs& imported) {
  check(config);
  if (vocabulary.size() > config.vocab_size)
    fail(path, ": a vocabulary of ", vocabulary.size(), " pieces does not fit a model of ", config.vocab_size);
  require_file(path + "/model.safetensors", "weights are written before the rest of a model folder");
  auto json = to_json(config);
  if (config.has_task())
    (dataset::find_task(config.head) ? TaskOutputs::of_task(config, path, manifest.details) : imported)
        .write(config.labels, json);
  const auto& special = vocabulary.special();
  auto id = [&](const char* key, tokenizer::TokenId value) {
    json[key] = value < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  id("bos_token_id", special.cls);
  id("eos_token_id", special.sep);
  id("sep_token_id", special.sep);
  if (config.is_causal()) id("cls_token_id", special.cls);  // transformers' decoders need one
  io::write_file(path + "/config.json", json.dump(2) + "\n");
  const bool sentencepiece = vocabulary.fits_sentencepiece();  // otherwise tokenizer.json alone holds it
  if (sentencepiece) vocabulary.save_model(path + "/spiece.model");
  vocabulary.save_tokenizer_json(path + "/tokenizer.json");
  vocabulary.save_tokenizer_config(path + "/tokenizer_config.json", config.max_length,
                                   architecture(config).token_types && config.token_types > 1);
  for (const char* name :
       {"config.json", "model.safetensors", "spiece.model", "tokenizer.json", "tokenizer_config.json"})
    if (sentencepiece || std::string_view(name) != "spiece.model") manifest.add_file(path, name);
  manifest.details[kVocabularyHash] = vocabulary.hash();
  manifest.kind = "model";
  manifest.save(path + "/" + kManifestFile);
}

void write_network_folder(const std::string& path, const NetworkConfig& config, io::Manifest manifest) {
  io::write_file(path + "/config.json", to_json(config).dump(2) + "\n");
  for (const char* name : {"config.json", "model.safetensors", "features.tsv"})
    if (io::exists(path + "/" + name)) manifest.add_file(path, name);
  manifest.kind = "model";
  manifest.save(path + "/" + kManifestFile);
}

}  // namespace bigdna::model_folder
