/// The weights of labels and classes in the loss.
#pragma once

#include <vector>

#include "training/finetune_options.h"
#include "rows/task_rows.h"

namespace bigdna::training {

/// Weights of labels 1, one a feature: `positive_weight`, or what the last line of options.feature_weights that chooses
/// the feature says (dataset::choose_features(); '#' begins a comment). Error "FILE:LINE: cause".
std::vector<double> feature_weights(const FinetuneOptions& options, double positive_weight,
                                    const std::vector<dataset::Feature>& features);
/// Weights of rows by their class: 1, or where `balanced` rows / (classes x rows of the class), of the training rows.
std::vector<double> class_weights(const rows::TaskRows& data, bool balanced);

}  // namespace bigdna::training
