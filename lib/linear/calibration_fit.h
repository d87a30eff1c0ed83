/// Calibration of predictions: the one step that the logits of every method pass through, so that methods are compared
/// by what they tell apart, and not by how they were fitted.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "model/parameters.h"
#include "model_folder/config.h"
#include "models/calibration.h"

namespace bigdna::linear {

/// A scale and shifts under which logits explain labels best.
struct Calibrated {
  double scale = 1;
  at::Tensor shift;   // [features]
  at::Tensor losses;  // [rows]: sums over features
};
/// Those of least loss: the squared error of numbers, Poisson's loss of counts in units of their mean (z is the
/// logarithm of an expected count), or the log loss of labels or classes, which count as a little less than certain, so
/// that rows that are ranked perfectly call for a finite scale (Platt 1999). Classes have no shifts. `z`: double [rows,
/// features]; `y`: the same, of 0 and 1, or numbers, NaN where they are missing.
Calibrated calibrate(const at::Tensor& z, const at::Tensor& y, dataset::LabelType type);

/// The features of each group, of labels those that are both 0 and 1 in some rows.
std::map<std::string, std::vector<int64_t>> members_of(const at::Tensor& y, const std::vector<std::string>& groups,
                                                       dataset::LabelType type);
/// Of numbers, how many were measured; of counts, how many are not 0; of labels, how many have the rarer value.
int64_t known_values(const at::Tensor& y, dataset::LabelType type);
inline constexpr int64_t kFew = 10;  // fewer known values call for nothing but by chance
/// Whether so few rows have the rarer value of a label, float [rows] of 0 and 1.
bool is_of_few(const at::Tensor& y);

/// For each label what must be added to its logits, float [rows, labels], for a mean probability of `shares`.
std::vector<double> shifts_to_shares(const at::Tensor& logits, std::span<const double> shares);

/// calibrate() of each group of features, whose members share the scale: of validation rows, for logits that count no
/// weight of labels, float [rows, features]. A group of fewer than kFew known values stays as it is, and a label that
/// is 1 (or 0) in fewer than kFew rows gets the shift under which its mean probability is that of `shares`, one for
/// each feature (of the training rows, which are more; empty for other types than labels). Numbers have no shift.
/// Counts have a factor alone (the shift of its logarithm), under which expected counts add up to the observed.
models::Calibration fit_calibration(const at::Tensor& logits, const at::Tensor& y,
                                    const std::vector<std::string>& groups, dataset::LabelType type,
                                    std::span<const double> shares = {});

/// Makes a calibration of an encoder's own logits a part of its head. `weights`: of labels 1, or of classes, in the
/// loss, which these logits count.
void fold(const models::Calibration& calibration, const std::vector<double>& weights, model::Parameters& parameters,
          const model_folder::ModelConfig& config);

/// "0.5 for DHS, 1 for TF"; the number alone where there is one group.
std::string text_by_group(const std::map<std::string, double>& numbers);

}  // namespace bigdna::linear
