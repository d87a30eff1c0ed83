/// The methods that a fine-tuning run compares its model with (task_model/baselines.h), calibrated on its validation
/// rows in the same way as the model.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "classification/evaluation.h"
#include "classification/task_rows.h"
#include "task_model/baselines.h"

namespace bigdna::classification {

class OwnBaselines {
 public:
  /// `validation`: the rows that calibrations are fitted to; none: nothing is calibrated. `states`: Session::pooled()
  /// of these, where it is known. `data` must outlive it.
  OwnBaselines(const TaskRows& data, std::vector<int64_t> validation, std::vector<float> states,
               task_model::Baselines baselines);

  /// `weights`, [outputs, columns]: those of a part of the model, which has no prediction for outputs of whose group no
  /// weight differs from 0, and is left out if there are no others; undefined for what is no part of it.
  void add(const std::string& name, const at::Tensor& weights = {});
  /// As bigdna.json keeps them.
  nlohmann::ordered_json json() const;
  /// This must outlive them.
  std::vector<Method> methods() const;

 private:
  std::vector<float> predictions(const std::string& name, const task_model::Calibration& calibration,
                                 const std::vector<int64_t>& rows) const;

  const TaskRows& data_;
  std::vector<int64_t> validation_;
  std::vector<float> states_;
  task_model::Baselines baselines_;
  task_model::Calibrations calibrations_;
};

}  // namespace bigdna::classification
