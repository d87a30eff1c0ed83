#include "attribution/bin_model.h"

#include "base/error.h"
#include "dataset/features.h"

namespace bigdna::attribution {

namespace {
models::Model open_bin_model(const std::string& path) {
  models::Model model(path, "");
  const auto& folder = model.folder();
  if (!folder.labels_bins())
    fail(folder.path, folder.network ? ": predicts for whole sequences" : ": reads tokens",
         "; this command is for networks that label bins (bigdna train on a chromatin dataset)");
  return model;
}
}  // namespace

ChosenOutputs::ChosenOutputs(const std::vector<dataset::Feature>& features, const std::string& patterns) {
  const auto columns = dataset::column_names(features);
  labels = dataset::choose_features(features, patterns);
  for (const int64_t label : labels) names.push_back(columns[static_cast<size_t>(label)]);
  arrays = dataset::feature_arrays(features, labels);
}

BinModel::BinModel(const std::string& path, const std::string& patterns)
    : model(open_bin_model(path)), outputs(model.features(), patterns) {}

io::Provenance BinModel::provenance() const {
  return io::Provenance().add("model", model_folder::name_and_md5(model.folder().path));
}

}  // namespace bigdna::attribution
