/// A model that labels bins, into which a command looks, and the outputs of it that were asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/provenance.h"
#include "io/row_writer.h"
#include "models/model.h"

namespace bigdna::attribution {

/// Those of a model's outputs that were asked for.
struct ChosenOutputs {
  /// `patterns`: dataset::choose_features().
  ChosenOutputs(const std::vector<dataset::Feature>& features, const std::string& patterns);
  std::vector<int64_t> labels;
  std::vector<std::string> names;       // of their columns
  std::vector<io::ColumnArray> arrays;  // dataset::feature_arrays()
};

struct BinModel {
  /// Error for a model that does not label the bins of a region.
  BinModel(const std::string& path, const std::string& patterns);
  io::Provenance provenance() const;
  const model_folder::NetworkConfig& config() const { return *model.folder().network; }

  models::Model model;
  ChosenOutputs outputs;
};

}  // namespace bigdna::attribution
