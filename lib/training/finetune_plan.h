/// What a fine-tuning run trains, worked out from its options, the pretrained model and the rows before anything is
/// written.
#pragma once

#include <cstdint>
#include <vector>

#include "training/finetune_options.h"
#include "training/layer_rates.h"
#include "rows/task_rows.h"
#include "model_folder/config.h"
#include "train/options.h"

namespace bigdna::training {

struct FinetunePlan {
  model_folder::ModelConfig config;  // the pretrained one with the task's head
  LayerRates rates;
  bool trains = true;           // false: no step is taken, and the head is fitted alone
  bool encoder_stays = false;   // no layer is trained, nor the embeddings
  bool head_fitted = false;     // the head starts from fit_head() instead of random weights
  std::vector<double> weights;  // of labels 1 in the loss, for each feature; of classes: of their rows
  train::LoopOptions train;
  int64_t longest = 0;  // the most tokens that are read of a row
};

/// UsageError for options that contradict each other or would have no effect, or that the model does not allow; Error
/// for a bad file of weights, or without training rows.
FinetunePlan plan_finetuning(const FinetuneOptions& options, const model_folder::ModelConfig& pretrained,
                             const rows::TaskRows& data);

}  // namespace bigdna::training
