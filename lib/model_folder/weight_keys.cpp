#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "model_folder/architecture.h"
#include "model_folder/decoder.h"

namespace bigdna::model_folder {
namespace {

/// Buffers that older versions of transformers saved, and tied keys, which are read only if their other name is
/// missing.
constexpr std::array<std::string_view, 2> kBuffers{"bert.embeddings.position_ids", "bert.embeddings.token_type_ids"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTied{{
    {"bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"},
    {"cls.predictions.bias", "cls.predictions.decoder.bias"},
    {"model.embeddings.tok_embeddings.weight", "decoder.weight"},
}};

/// What PyTorch puts before the names of a model that torch.compile() or DataParallel wraps.
constexpr std::array<std::string_view, 2> kWrappers{"_orig_mod.", "module."};

/// The current name of a file's key: without what wraps a model, with today's names for TensorFlow's gamma and beta,
/// and with a bare encoder's missing prefix.
std::string canonical(const ArchitectureRow& row, const std::string& key) {
  std::string name = key;
  for (bool wrapped = true; wrapped;) {
    wrapped = false;
    for (const auto wrapper : kWrappers)
      if (name.starts_with(wrapper)) name.erase(0, wrapper.size()), wrapped = true;
  }
  auto replace_end = [&](std::string_view from, std::string_view to) {
    if (name.ends_with(from)) name.replace(name.size() - from.size(), from.size(), to);
  };
  replace_end("LayerNorm.gamma", "LayerNorm.weight");
  replace_end("LayerNorm.beta", "LayerNorm.bias");
  for (const std::string_view part : row.bare)
    if (name.starts_with(part)) return std::string(row.encoder) + name;
  return name;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

/// Error if what this architecture ties has two values. Files of tied models may hold both keys, with the same values.
void check_tied(const ModelConfig& config, const Arrays& file, const std::map<std::string, std::string>& in_file,
                const std::string& path) {
  constexpr const char* kRemedy =
      "; a decoder of its own is not supported (bigdna convert --head none keeps the encoder alone)";
  for (const auto& [name, other] : kTied) {
    const auto first = in_file.find(std::string(name)), second = in_file.find(std::string(other));
    if (first == in_file.end()) continue;
    const auto& decoder = architecture(config).decoder;
    if (second == in_file.end()) {
      if (!config.tied && other == decoder)
        fail(path, ": config.json says tie_word_embeddings false, but there is no ", other, kRemedy);
      continue;
    }
    const auto &a = file.at(first->second), &b = file.at(second->second);
    if (a.dtype != b.dtype || !std::ranges::equal(a.bytes, b.bytes))
      fail(path, ": ", second->second, " differs from ", first->second, kRemedy);
  }
}

/// Names in the file of what a parameter consists of: its own, what is tied to it, or a decoder's.
std::vector<std::string> names_of_parts(const ModelConfig& config, const std::string& name,
                                        const std::map<std::string, std::string>& in_file) {
  const auto is_there = [&](const std::string& other) { return in_file.contains(other); };
  if (is_there(name)) return {name};
  for (const auto& [tied, other] : kTied)
    if (name == tied && is_there(std::string(other))) return {std::string(other)};
  if (const auto* decoder = decoder_of(config.architecture))
    if (auto parts = names_in(*decoder, name); std::ranges::all_of(parts, is_there)) return parts;
  return {};
}

/// The shape of arrays whose rows follow each other; empty if their rows differ.
std::vector<int64_t> joined_shape(const Arrays& file, const std::vector<std::string>& keys) {
  auto joined = file.at(keys.front()).shape;
  for (size_t i = 1; i < keys.size(); ++i) {
    auto shape = file.at(keys[i]).shape;
    if (shape.empty() || joined.empty()) return {};
    const int64_t rows = std::exchange(shape[0], joined[0]);
    if (shape != joined) return {};
    joined[0] += rows;
  }
  return joined;
}

}  // namespace

void set_heads(ModelConfig& config, const Arrays& file) {
  const ArchitectureRow& row = architecture(config);
  Shapes named;
  for (const auto& [key, array] : file) named[canonical(row, key)] = array.shape;
  const auto has = [&](const std::string& name) { return named.contains(name); };
  const bool mlm = has(std::string(row.has_mlm)), nsp = has(std::string(row.has_nsp));
  const auto classifier = named.find(std::string(row.task_output) + ".weight");
  config.labels = classifier == named.end() ? 0 : classifier->second.at(0);
  config.head = config.labels > 0 ? "classification" : mlm ? (nsp ? "pretraining" : "mlm") : "none";
  config.head_kind = config.labels > 0 && !has(std::string(row.task_dense) + ".weight") ? "linear" : "classification";
}

std::map<std::string, std::string> weight_keys(const ModelConfig& config, const Arrays& file, const std::string& path,
                                               Heads heads) {
  const ArchitectureRow& row = architecture(config);
  std::map<std::string, std::string> in_file;  // name -> key
  for (const auto& [key, array] : file)
    if (const auto [other, is_new] = in_file.emplace(canonical(row, key), key); !is_new)
      fail(path, ": ", other->second, " and ", key, " are one weight twice");

  if (config.layers > static_cast<int64_t>(file.size()))
    fail(path, ": has only ", counted(file.size(), "array"), ", but config.json says ", config.layers, " layers");

  std::map<std::string, std::string> keys;
  std::set<std::string> used;  // names in the file
  std::string missing, wrong, unexpected;
  for (const auto& [name, shape] : parameter_shapes(config)) {
    const bool of_head = is_of_head(row, name);
    if (heads == Heads::ignored && of_head) continue;
    const auto parts = names_of_parts(config, name, in_file);
    if (parts.empty()) {
      if (heads != Heads::present || !(of_head || name.starts_with("bert.pooler."))) append(missing, name);
      continue;
    }
    used.insert(parts.begin(), parts.end());
    std::vector<std::string> of_parts;
    for (const auto& part : parts) of_parts.push_back(in_file.at(part));
    keys[name] = of_parts.front();
    if (const auto actual = joined_shape(file, of_parts); actual != shape)
      append(wrong, concat(keys[name], " ", shape_text(actual), " instead of ", shape_text(shape)));
  }
  if (heads == Heads::exact)
    for (const auto& [name, key] : in_file) {
      const bool tied = std::any_of(kTied.begin(), kTied.end(), [&](const auto& pair) { return name == pair.second; });
      const bool buffer = std::find(kBuffers.begin(), kBuffers.end(), name) != kBuffers.end();
      if (!used.contains(name) && !tied && !buffer) append(unexpected, key);
    }
  std::string complaint;
  for (const auto& [what, list] :
       {std::pair{"missing: ", &missing}, {"unexpected: ", &unexpected}, {"wrong shape: ", &wrong}})
    if (!list->empty()) complaint += (complaint.empty() ? "" : "; ") + std::string(what) + *list;
  if (!complaint.empty()) fail(path, ": the weights do not fit config.json; ", complaint);
  if (config.has_mlm() && heads != Heads::ignored) check_tied(config, file, in_file, path);
  return keys;
}

}  // namespace bigdna::model_folder
