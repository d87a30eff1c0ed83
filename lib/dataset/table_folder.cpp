#include <cmath>

#include "base/error.h"
#include "dataset/folder_manifest.h"
#include "dataset/table_dataset.h"
#include "genome/bed.h"
#include "io/json.h"

namespace bigdna::dataset {

float TableDataset::label(int64_t row, int64_t feature) const {
  const auto i = static_cast<size_t>(row), f = static_cast<size_t>(feature);
  switch (type) {
    case LabelType::classes:
      return classes_[i] == f ? 1.f : 0.f;
    case LabelType::regression:
    case LabelType::counts:
      return numbers_[i * features.size() + f];
    default:
      return (bits_[i * static_cast<size_t>(bytes_) + f / 8] >> (f % 8) & 1) ? 1.f : 0.f;
  }
}

TableDataset TableDataset::open(const std::string& folder) try {
  TableDataset dataset;
  dataset.folder = folder;
  dataset.manifest = open_manifest(folder, "table");
  const auto& details = dataset.manifest.details;
  const auto type = label_type_of_name(details.value("label_type", ""));
  if (!type) fail(folder, "/dataset.json: unknown label type '", details.value("label_type", ""), "'");
  dataset.type = *type;
  dataset.longest = io::whole_number(details.value("longest", nlohmann::ordered_json()), 0, genome::kMostPosition,
                                     "longest", folder + "/dataset.json");
  dataset.has_groups = details.value("groups", false);
  dataset.features = read_features(folder + "/features.tsv");
  const std::string path = folder + "/regions.bed.gz";
  genome::BedReader bed(path);
  while (auto record = bed.next()) {
    const auto split = record->extra.empty() ? std::nullopt : split_of_name(record->extra[0]);
    if (!split || record->name.empty() || (dataset.has_groups && record->extra.size() < 2))
      fail(path, ":", record->line, ": expected name, label, strand, split", dataset.has_groups ? " and group" : "");
    dataset.rows.push_back({record->region, record->name, *split, dataset.has_groups ? record->extra[1] : ""});
  }
  dataset.manifest.verify_file(folder, "regions.bed.gz");  // rows in another order would have each other's labels
  const std::string labels_path = folder + "/labels.safetensors";
  dataset.file_ = std::make_shared<io::SafetensorsFile>(labels_path);
  const auto& labels = dataset.file_->at("labels");
  const auto rows = static_cast<int64_t>(dataset.rows.size()), outputs = static_cast<int64_t>(dataset.features.size());
  dataset.bytes_ = (outputs + 7) / 8;
  std::vector<int64_t> shape{rows};
  if (are_numbers(*type)) shape.push_back(outputs);
  if (*type == LabelType::binary || *type == LabelType::multilabel) shape.push_back(dataset.bytes_);
  if (labels.shape != shape)
    fail(labels_path, ": the labels do not have the shape ", rows, " rows x ", outputs, " outputs");
  if (are_numbers(*type)) {
    dataset.numbers_ = labels.as<float>(labels_path + ": labels");
    for (size_t i = 0; i < dataset.numbers_.size() && *type == LabelType::counts; ++i)
      if (const float value = dataset.numbers_[i]; !(value >= 0 && std::isfinite(value)))
        fail(labels_path, ": ", dataset.features[i % dataset.features.size()].name, " is ", value, " in ",
             dataset.rows[i / dataset.features.size()].name, "; models learn counts, which are at least 0");
  } else if (*type == LabelType::classes) {
    dataset.classes_ = labels.as<uint16_t>(labels_path + ": labels");
    for (const auto value : dataset.classes_)
      if (value >= outputs) fail(labels_path, ": class ", value, " is not among ", outputs, " classes");
  } else {
    dataset.bits_ = labels.as<uint8_t>(labels_path + ": labels");
  }
  return dataset;
} catch (const nlohmann::json::exception& error) {
  fail(manifest_path(folder), ": damaged: ", error.what());
}

}  // namespace bigdna::dataset
