/// What config.json says of a task head's logits, so that transformers makes the same of them as bigdna.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model_folder/config.h"

namespace bigdna::model_folder {

struct TaskOutputs {
  std::string problem;             // problem_type; "": config.json does not say
  std::vector<std::string> names;  // of id2label; none: LABEL_0 and so on

  /// Of a model of one of bigdna's tasks, by its manifest's details and the features.tsv in `folder`: the columns of
  /// `bigdna predict`.
  static TaskOutputs of_task(const ModelConfig& config, const std::string& folder,
                             const nlohmann::ordered_json& details);
  /// As another config.json has them.
  static TaskOutputs of_config(const nlohmann::json& json);
  /// Sets problem_type, id2label and label2id of a model with `labels` outputs.
  void write(int64_t labels, nlohmann::ordered_json& json) const;
};

}  // namespace bigdna::model_folder
