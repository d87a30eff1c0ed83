#include "model_folder/task_outputs.h"

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/error.h"
#include "dataset/features.h"
#include "dataset/task.h"
#include "io/paths.h"

namespace bigdna::model_folder {

TaskOutputs TaskOutputs::of_task(const ModelConfig& config, const std::string& folder,
                                 const nlohmann::ordered_json& details) {
  TaskOutputs outputs;
  const std::string link = details.value("link", "sigmoid");  // models::Link
  outputs.problem = link == "softmax"  ? "single_label_classification"
                    : link == "linear" ? "regression"
                                       : "multi_label_classification";  // with one output, too: a sigmoid
  const std::string features = folder + "/features.tsv";
  if (!dataset::task_of(config.head).named_outputs)
    outputs.names = {config.head};
  else if (io::exists(features))
    outputs.names = dataset::column_names(dataset::read_features(features));
  if (!outputs.names.empty() && static_cast<int64_t>(outputs.names.size()) != config.labels)
    fail(features, ": has ", counted(outputs.names.size(), "feature"), ", the model has ", config.labels);
  return outputs;
}

TaskOutputs TaskOutputs::of_config(const nlohmann::json& json) {
  TaskOutputs outputs;
  if (const auto problem = json.find("problem_type"); problem != json.end() && problem->is_string())
    outputs.problem = problem->get<std::string>();
  const auto labels = json.find("id2label");
  if (labels == json.end() || !labels->is_object()) return outputs;
  for (size_t i = 0; i < labels->size(); ++i) {
    const auto name = labels->find(std::to_string(i));
    if (name == labels->end() || !name->is_string()) return {outputs.problem, {}};
    outputs.names.push_back(name->get<std::string>());
  }
  return outputs;
}

void TaskOutputs::write(int64_t labels, nlohmann::ordered_json& json) const {
  if (!problem.empty()) json["problem_type"] = problem;
  auto id2label = nlohmann::ordered_json::object(), label2id = id2label;
  for (int64_t i = 0; i < labels; ++i) {
    const auto name =
        static_cast<int64_t>(names.size()) == labels ? names[static_cast<size_t>(i)] : concat("LABEL_", i);
    id2label[std::to_string(i)] = name;
    label2id[name] = i;
  }
  json["id2label"] = std::move(id2label);
  json["label2id"] = std::move(label2id);
}

}  // namespace bigdna::model_folder
