#include "prediction/network.h"

#include "base/error.h"
#include "dataset/features.h"
#include "model/profile.h"
#include "prediction/ensemble.h"

namespace bigdna::prediction {

namespace {
model_folder::ModelFolder open_network(const std::string& model) {
  auto folder = model_folder::ModelFolder::open_any(model);
  if (!folder.labels_bins())
    fail(folder.path, folder.profile ? ": answers for whole sequences" : ": reads tokens",
         "; this command is for networks of bigdna train chromatin");
  return folder;
}
}  // namespace

ChosenFeatures::ChosenFeatures(const model_folder::ModelFolder& folder, const std::string& patterns) {
  const auto features = features_of(folder);
  const auto columns = dataset::column_names(features);
  labels = dataset::choose_features(features, patterns);
  for (const int64_t label : labels) names.push_back(columns[static_cast<size_t>(label)]);
  arrays = dataset::feature_arrays(features, labels);
}

Network::Network(const std::string& model, const std::string& patterns)
    : folder(open_network(model)), features(folder, patterns) {}

session::ProfileModel load_network(const model_folder::ModelFolder& folder, const session::Placement& placement) {
  return {*folder.profile, model::load_profile_weights(*folder.profile, folder.weights_path()), placement, folder.path};
}

io::Provenance Network::provenance() const { return io::Provenance().add("model", name_and_md5(folder)); }

}  // namespace bigdna::prediction
