/// The start of fine-tuning: a head that is fitted to the pretrained encoder.
#pragma once

#include <span>

#include "model/parameters.h"
#include "session/task_model.h"
#include "classification/task_rows.h"

namespace bigdna::classification {

/// Sets the weights of a linear head to logistic regressions on Session::pooled() of the training rows
/// (fit_linear_models; linear probing, then fine-tuning: Kumar et al., ICLR 2022). Hidden states of different sequences
/// differ little, and a head of small random weights would learn them only at learning rates that spoil the encoder.
/// `session` runs the same parameters. `weights`: of labels 1 in the loss, which raise the odds as many times. Returns
/// the out-of-fold logits (float [rows, labels], which count no weight) of the sample that fit_words() takes too.
at::Tensor fit_head(model::Parameters& parameters, const session::SequenceReader& reader,
                    const session::Session& session, const TaskRows& data, std::span<const double> weights,
                    int threads);

}  // namespace bigdna::classification
