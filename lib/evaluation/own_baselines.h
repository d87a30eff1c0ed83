/// The methods that a fine-tuning run compares its model with (models/baselines.h), calibrated on its validation
/// rows in the same way as the model.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "rows/task_rows.h"
#include "models/baselines.h"

namespace bigdna::evaluation {

class OwnBaselines {
 public:
  /// `validation`: the rows that calibrations are fitted to; none: nothing is calibrated. `strands`: which the model
  /// reads. `states`: Session::pooled() of the validation rows, where it is known. `data` must outlive it.
  OwnBaselines(const rows::TaskRows& data, std::vector<int64_t> validation, session::Strands strands,
               std::vector<float> states, models::Baselines baselines);

  /// `weights`, [outputs, columns]: those of a part of the model, which has no prediction for outputs of whose group no
  /// weight differs from 0, and is left out if there are no others; undefined for what is no part of it.
  void add(const std::string& name, const at::Tensor& weights = {});
  /// As bigdna.json keeps them.
  nlohmann::ordered_json json() const;
  /// This must outlive them.
  std::vector<Method> methods() const;

 private:
  std::vector<float> predictions(const std::string& name, const models::Calibration& calibration,
                                 const std::vector<int64_t>& rows) const;

  const rows::TaskRows& data_;
  std::vector<int64_t> validation_;
  session::Strands strands_;
  std::vector<float> states_;
  models::Baselines baselines_;
  models::Calibrations calibrations_;
};

}  // namespace bigdna::evaluation
