#include "model/convert.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/json.h"
#include "io/output.h"
#include "io/paths.h"
#include "model/model_weights.h"
#include "model/parameters.h"
#include "model/network.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "model_folder/decoder.h"
#include "model_folder/encoder_part.h"
#include "model_folder/training_sequences.h"
#include "sparsity/pattern.h"

namespace bigdna::model {
namespace {

namespace fs = std::filesystem;

/// The paths of the weights to be converted and of their configuration.
struct Input {
  std::string folder, weights;
};

Input find_input(const std::string& given) {
  if (!io::exists(given)) fail(given, ": no such file or folder");
  const std::string path = model_folder::model_in(given);
  if (!io::is_folder(path)) {
    if (!path.ends_with(".safetensors")) model_folder::fail_pickle(path);
    return {fs::path(path).parent_path().empty() ? "." : fs::path(path).parent_path().string(), path};
  }
  if (const auto weights = path + "/model.safetensors"; io::exists(weights)) return {path, weights};
  if (const auto weights = path + "/pytorch_model.bin"; io::exists(weights)) model_folder::fail_pickle(weights);
  if (io::exists(path + "/model.safetensors.index.json") || io::exists(path + "/pytorch_model.bin.index.json"))
    fail(path, ": weights in several files are not supported; save them with max_shard_size large enough for one");
  fail(path, ": has no model.safetensors");
}

/// Views of contiguous tensors of float.
model_folder::Arrays arrays_of(const Parameters& tensors) {
  model_folder::Arrays arrays;
  for (const auto& [key, tensor] : tensors)
    arrays[key] = {io::Dtype::f32, tensor.sizes().vec(),
                   std::as_bytes(std::span(tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())))};
  return arrays;
}

/// Adds a missing pooler that no head reads, because transformers requires one.
void add_missing_pooler(const model_folder::ModelConfig& config, Parameters& tensors, const std::string& path) {
  if (config.has_nsp() || !model_folder::parameter_shapes(config).contains("bert.pooler.weight")) return;
  if (tensors.count("bert.pooler.weight") || tensors.count("pooler.weight")) return;
  log::info(path, ": has no pooler; a new one is written, which none of its heads uses");
  for (const auto& [name, value] : initialise(config, 0))
    if (name.starts_with("bert.pooler.")) tensors[name] = value;
}

/// Drops the heads that `head` lacks.
void keep_head(model_folder::ModelConfig& config, Parameters& parameters, const std::string& head,
               const std::string& path) {
  if (head.empty() || head == config.head) return;
  model_folder::ModelConfig kept = config;
  kept.head = head;
  kept.labels = 0;
  const auto shapes = model_folder::parameter_shapes(kept);
  for (const auto& [name, shape] : shapes)
    if (!parameters.count(name))
      fail(path, ": a model with head ", config.head, " cannot become ", head, " (it has no ", name, ")");
  std::erase_if(parameters, [&](const auto& entry) { return !shapes.count(entry.first); });
  config = kept;
}

/// Keeps the weights, with the attention pattern `name`.
void set_pattern(model_folder::ModelConfig& config, const std::string& name, const std::string& path) {
  auto pattern = config.pattern;
  pattern.name = name;
  pattern.near = sparsity::PatternConfig().near;
  if (sparsity::extra_tokens(pattern) != sparsity::extra_tokens(config.pattern))
    fail(path, ": the global tokens of bigbird-etc are weights: pattern ", config.pattern.name, " cannot become ",
         name);
  config.pattern = pattern;
}

/// Keeps the weights, with another attention in the heads that `text` says. Weights of its own begin as the layer's
/// projections or with fixed values.
void set_attention(model_folder::ModelConfig& config, Parameters& parameters, const std::string& text,
                   const std::string& path) {
  auto changed = config;
  changed.attention = model_folder::attention_from(text, config.heads);
  changed.attention_dropout = 0;  // other attentions have none
  model_folder::check(changed);
  for (const auto& own : model_folder::attention(changed).parameters)
    if (model_folder::starts_at_random(own) && !own.shape(changed).empty())
      fail(path, ": attention ", changed.attention.name, " has weights (", own.name,
           ") that begin with random numbers, so it cannot be given to a trained model (pretrain --attention has it)");
  const auto shapes = model_folder::parameter_shapes(changed);
  for (const auto& [name, value] : parameters)
    if (const auto found = shapes.find(name); found == shapes.end() || found->second != value.sizes().vec())
      fail(path, ": with attention ", changed.attention.name, ", the model's ", name, " would be lost");
  config = changed;
  add_missing(config, parameters, 0);
}

/// Keeps the weights, for inputs of another length.
void set_max_length(model_folder::ModelConfig& config, int64_t tokens, const std::string& path) {
  auto changed = config;
  changed.max_length = tokens;
  if (model_folder::parameter_shapes(changed) != model_folder::parameter_shapes(config))
    fail(path, ": its ", config.max_length, " positions are weights, so its length cannot be changed to ", tokens,
         " tokens (only that of models of --architecture modern can)");
  config = changed;
}

/// The input if it is a network on bases.
std::optional<model_folder::ModelFolder> network_of(const std::string& folder) {
  if (!io::exists(folder + "/config.json") || !io::exists(folder + "/model.safetensors")) return std::nullopt;
  const auto json = io::parse_json<nlohmann::json>(io::read_file(folder + "/config.json"), folder + "/config.json");
  if (!model_folder::is_network(json)) return std::nullopt;
  return model_folder::ModelFolder::open_any(folder);
}

void convert_network(const model_folder::ModelFolder& model, const ConvertOptions& options) {
  if (!options.head.empty() || !options.pattern.empty() || !options.attention.empty() || !options.vocabulary.empty() ||
      options.max_length > 0 || !options.random_blocks.empty())
    fail(model.path,
         ": a network on bases has no vocabulary and no pretrained head: only its weights can be converted");
  const auto parameters = load_network_weights(*model.network, model.weights_path());
  io::Manifest manifest;
  manifest.seed = model.manifest.seed;
  manifest.details = model.manifest.details;
  manifest.details.erase("files");
  manifest.add_input(model.weights_path());
  io::prepare_output_folder({options.output, "model", options.existing, {model.path}});
  model_folder::TrainingSequences::of(model).save(options.output, manifest);
  save_weights(parameters, options.output + "/model.safetensors", options.weights);
  if (const auto features = model.path + "/features.tsv"; io::exists(features))
    io::write_file(options.output + "/features.tsv", io::read_file(features));
  for (const char* name : {model_folder::kKmersFile, model_folder::kKmerBaselineFile, model_folder::kEncoderHeadFile})
    if (model_folder::file_entry(model.manifest, name)) {
      io::write_file(concat(options.output, "/", name), io::read_file(concat(model.path, "/", name)));
      manifest.add_file(options.output, name);
    }
  if (!model_folder::encoder_files(model.manifest).empty()) {
    const auto encoder = model_folder::ModelFolder::open(concat(model.path, "/", model_folder::kEncoderFolder));
    model_folder::put_encoder(encoder, options.output, manifest, [&](const std::string& path) {
      save_model_weights(encoder.config, load_weights(encoder.config, encoder.weights_path()), path, options.weights);
    });
  }
  model_folder::write_network_folder(options.output, *model.network, std::move(manifest));
  log::info(options.output, ": ", model_folder::parameter_count(*model.network), " parameters as ",
            io::dtype_name(options.weights));
}

}  // namespace

void convert(const ConvertOptions& options) {
  const Input input = find_input(options.input);
  if (const auto network = network_of(input.folder)) return convert_network(*network, options);
  const std::string config_path = input.folder + "/config.json";
  if (!io::exists(config_path)) fail(config_path, ": no such file (the configuration must be next to the weights)");
  auto config = model_folder::load_config(config_path);
  const bool made_by_bigdna = io::exists(input.folder + "/bigdna.json");

  Parameters tensors = load_arrays(input.weights);
  if (!made_by_bigdna) model_folder::set_heads(config, arrays_of(tensors));
  add_missing_pooler(config, tensors, input.weights);
  const auto heads = options.head == "none" ? model_folder::Heads::ignored : model_folder::Heads::exact;
  Parameters parameters =
      model_weights(config, model_folder::weight_keys(config, arrays_of(tensors), input.weights, heads),
                    [&](const std::string& key) { return tensors.at(key); });
  keep_head(config, parameters, options.head, options.input);
  if (!options.pattern.empty()) set_pattern(config, options.pattern, options.input);
  if (!options.attention.empty()) set_attention(config, parameters, options.attention, options.input);
  if (options.max_length > 0) set_max_length(config, options.max_length, options.input);
  if (!options.random_blocks.empty())
    config.pattern.random_blocks = sparsity::random_blocks_from(options.random_blocks);
  model_folder::check(config);
  const auto vocabulary = tokenizer::Vocabulary::load(
      options.vocabulary.empty() ? input.folder : model_folder::model_in(options.vocabulary));
  model_folder::check_frame(vocabulary, options.input);
  if (vocabulary.size() > config.vocab_size)
    fail(options.input, ": its vocabulary has ", vocabulary.size(), " pieces, its weights ", config.vocab_size);

  io::Manifest manifest;
  if (made_by_bigdna) manifest.details = io::Manifest::load(input.folder + "/bigdna.json", "model").details;
  model_folder::check_vocabulary(manifest, vocabulary, options.input);
  const bool has_baseline = config.has_task() && model_folder::file_entry(manifest, model_folder::kKmerBaselineFile);
  const auto seen = model_folder::TrainingSequences::of(input.folder, manifest);
  manifest.details.erase("files");
  if (!config.has_task()) manifest.details.erase("baselines");
  manifest.add_input(input.weights);
  io::prepare_output_folder(
      {options.output, "model", options.existing, {input.weights, config_path, options.vocabulary}});
  save_model_weights(config, parameters, options.output + "/model.safetensors", options.weights);
  seen.save(options.output, manifest);
  if (has_baseline) {
    const std::string file = concat("/", model_folder::kKmerBaselineFile);
    io::write_file(options.output + file, io::read_file(input.folder + file));
    manifest.add_file(options.output, model_folder::kKmerBaselineFile);
  }
  if (const std::string features = input.folder + "/features.tsv"; config.has_task() && io::exists(features))
    io::write_file(options.output + "/features.tsv", io::read_file(features));
  model_folder::write_model_folder(options.output, config, vocabulary, manifest,
                                   model_folder::load_outputs(config_path));
  if (const auto lacking = model_folder::not_in_transformers(config); !lacking.empty())
    log::warn(options.output, ": transformers has nothing for ", lacking, ", and refuses to load the model");
  else if (config.has_task() && !model_folder::architecture(config).runs_task(config))
    log::warn(options.output, ": transformers has no head that reads ",
              config.pool != "cls" ? "means of tokens" : "[CLS]", config.head_kind == "linear" ? " in one layer" : "",
              ", so its logits will differ from bigdna's (finetune --pool cls --head classification makes a head that "
              "it has)");
  log::info(options.output, ": ", model_folder::parameter_count(config), " parameters, head ", config.head,
            ", pattern ", config.pattern.name, " (", sparsity::to_string(config.pattern.random_blocks),
            " random blocks), vocabulary of ", vocabulary.size());
}

}  // namespace bigdna::model
