/// Profile models as other programs save them: weights under their names there.
#pragma once

#include <string>

#include "model/parameters.h"
#include "model_folder/profile_config.h"

namespace bigdna::profile {

struct Foreign {
  model_folder::ProfileConfig config;
  model::Parameters parameters;  // under bigdna's names
};

/// A .h5 of ChromBPNet (Keras 2): a bias model, a model without bias, or both in one. Error that names each weight that
/// is missing, unknown or of another shape, and each layer of a kind that these models do not have.
Foreign read_keras(const std::string& path);

/// A file of bpnet-lite (torch.save): a BPNet or ChromBPNet as a whole, or its state dict. The pickle is read as inert
/// data (io/pickle.h). Error for objects of other classes and, likewise, for weights.
Foreign read_bpnet_lite(const std::string& path);

/// What both readers share: gives a half its weights. `prefix` begins their names in the file.
class HalfReader {
 public:
  /// Takes weights out of `arrays`; errors name `path`.
  HalfReader(model::Parameters& arrays, std::string path) : arrays_(arrays), path_(std::move(path)) {}
  /// Moves the weight called `from` to the parameter `to`; without `required`, one that the file lacks is a vector of
  /// `size` zeros.
  void take(const std::string& from, const std::string& to, bool required = true, int64_t size = 0);
  /// Error if a weight was missing, is left over, or has another shape than the configuration says.
  model::Parameters finish(const model_folder::ProfileConfig& config);

 private:
  model::Parameters& arrays_;
  model::Parameters taken_;
  std::map<std::string, std::string> names_;  // in the file
  std::string path_, missing_;
};

}  // namespace bigdna::profile
