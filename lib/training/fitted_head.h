/// The start of fine-tuning: a head that is fitted to the pretrained encoder.
#pragma once

#include <span>
#include <vector>

#include "model/parameters.h"
#include "model_folder/config.h"
#include "rows/task_rows.h"

namespace bigdna::training {

/// Sets the weights of a linear head to logistic regressions on the training rows' states (fit_linear(); linear
/// probing, then fine-tuning: Kumar et al., ICLR 2022). Hidden states of different sequences differ little, and a head
/// of small random weights would learn them only at learning rates that spoil the encoder. `pooled`: Session::pooled()
/// of fitted_rows(data), whose out-of-fold logits (float [rows, labels], which count no weight) are returned.
/// `weights`: of labels 1 in the loss, which raise the odds as many times.
at::Tensor fit_head(model::Parameters& parameters, const model_folder::ModelConfig& config,
                    const std::vector<float>& pooled, const rows::TaskRows& data, std::span<const double> weights,
                    int threads);

}  // namespace bigdna::training
