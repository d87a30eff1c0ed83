/// The parameters of networks on bases: drawn anew, or read from a file.
#include <cmath>

#include "base/error.h"
#include "model/network.h"
#include "model_folder/architecture.h"

namespace bigdna::model {

Parameters initialise(const model_folder::NetworkConfig& config, uint64_t seed) {
  model_folder::NetworkConfig one = config;
  one.networks = 1;
  const auto shapes = model_folder::parameter_shapes(one);
  const std::string first = model_folder::network_prefix(0);
  const auto attention = one.attention();
  Parameters all;
  for (int64_t index = 0; index < config.networks; ++index) {
    const auto deviation = [&](const std::string& name, const std::vector<int64_t>& shape) {
      const std::string inner = name.substr(first.size());
      if (inner.starts_with("model.")) return model_folder::architecture(attention).deviation(attention, inner);
      double inputs = 1;  // as PyTorch draws weights, but from a normal distribution: variance 1 / (3 inputs)
      for (size_t i = 1; i < shape.size(); ++i) inputs *= static_cast<double>(shape[i]);
      return 1 / std::sqrt(3 * inputs);
    };
    for (auto& [name, value] : initialise(shapes, deviation, seed + static_cast<uint64_t>(index)))
      all[model_folder::network_prefix(index) + name.substr(first.size())] = std::move(value);
  }
  return all;
}

Parameters load_network_weights(const model_folder::NetworkConfig& config, const std::string& path) {
  return load_arrays(path, model_folder::parameter_shapes(config));
}

}  // namespace bigdna::model
