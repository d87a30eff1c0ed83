/// Models that have names: those that come with bigdna, and the user's.
#pragma once

#include <string>
#include <vector>

namespace bigdna::model_folder {

struct NamedModel {
  std::string name;  // of its folder
  std::string path;
};

/// The model folders in the folders that $BIGDNA_MODELS names (joined by colons), then in share/bigdna/models beside
/// the program's bin; of two with the same name the first. Sorted by name.
std::vector<NamedModel> named_models();

/// The folder of the model that is called `given`; `given` itself if there is such a path, or no model of that name.
std::string find_model(const std::string& given);

}  // namespace bigdna::model_folder
