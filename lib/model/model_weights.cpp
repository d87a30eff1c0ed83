#include "model/model_weights.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>

#include <iterator>
#include <vector>

#include "model_folder/decoder.h"

namespace bigdna::model {

void save_model_weights(const model_folder::ModelConfig& config, const Parameters& parameters, const std::string& path,
                        io::Dtype type) {
  Parameters arrays;
  for (const auto& [name, value] : parameters) {
    const auto keys = model_folder::keys_to_write(config, name);
    const auto parts = value.chunk(std::ssize(keys));
    for (size_t i = 0; i < keys.size(); ++i) arrays[keys[i]] = parts[i];
  }
  save_weights(arrays, path, type);
}

Parameters model_weights(const model_folder::ModelConfig& config, const std::map<std::string, std::string>& keys,
                         const std::function<at::Tensor(const std::string&)>& array) {
  Parameters parameters;
  for (const auto& [name, first] : keys) {
    std::vector<at::Tensor> parts;
    for (const auto& key : model_folder::all_keys(config, name, first)) parts.push_back(array(key));
    parameters[name] = parts.size() == 1 ? parts.front() : at::cat(parts);
  }
  return parameters;
}

}  // namespace bigdna::model
