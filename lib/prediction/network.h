/// A network on bases that a command looks into, and the features of it that were asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/provenance.h"
#include "io/row_writer.h"
#include "model_folder/model_folder.h"
#include "session/profile_model.h"

namespace bigdna::prediction {

/// Reads the weights of a folder that holds a network on bases.
session::ProfileModel load_network(const model_folder::ModelFolder& folder, const session::Placement& placement);

/// The features of a model that were asked for.
struct ChosenFeatures {
  /// `patterns`: dataset::choose_features().
  ChosenFeatures(const model_folder::ModelFolder& folder, const std::string& patterns);
  std::vector<int64_t> labels;
  std::vector<std::string> names;       // of their columns
  std::vector<io::ColumnArray> arrays;  // dataset::feature_arrays()
};

struct Network {
  /// Error for a model that reads tokens.
  Network(const std::string& model, const std::string& patterns);
  session::ProfileModel load(const session::Placement& placement) const { return load_network(folder, placement); }
  io::Provenance provenance() const;

  model_folder::ModelFolder folder;
  ChosenFeatures features;
};

}  // namespace bigdna::prediction
