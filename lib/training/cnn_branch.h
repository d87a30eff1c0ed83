/// Initialises the CNN branch (model/cnn.h) of a fine-tuned model, and chooses its weight after training: one for each
/// group of features, on validation rows.
#pragma once

#include <cstdint>

#include "training/frozen_states.h"
#include "linear/stacking.h"
#include "rows/task_rows.h"
#include "model/parameters.h"
#include "model_folder/config.h"
#include "models/sum.h"

namespace bigdna::training {

/// Each filter starts as the bases around the site of a training row that the seed draws: fading to both ends, with
/// some noise, of mean 0 at each base and norm 1. The features' means and the inverses of their
/// deviations (times a tenth, so that a step changes logits by about as much as one of the head does) are
/// taken over at most 1000 training rows. The output layer is 0, so that the branch
/// adds nothing before it is trained.
void initialise_cnn(model::Parameters& parameters, const model_folder::ModelConfig& config,
                    const session::SequenceReader& reader, const rows::TaskRows& data, uint64_t seed);

/// Multiplies the head by the encoder's weight beside the k-mers, which becomes 1: the branch, whose logits are added
/// to the head's, is then not multiplied, even where that weight is 0.
void move_weight_to_head(model::Parameters& parameters, const model_folder::ModelConfig& config,
                         models::KmerModel& kmers);

/// The weights of the branch that validation rows call for.
struct CnnWeights {
  std::vector<float> of_feature;  // held_out_weights() (linear/stacking.h)
  std::vector<float> logits;  // of the rows with these weights, [rows, labels]; like the model's they count `weights`
};

/// What a fine-tuned model is computed with beside its parameters.
struct ModelParts {
  const model_folder::ModelConfig& config;
  const session::SequenceReader& reader;
  const session::Placement& placement;
  const rows::TaskRows& data;
  const std::vector<double>& weights;        // of labels 1 in the loss, for each feature
  const models::KmerModel* kmers = nullptr;  // null if the model has none
  const FrozenStates* states = nullptr;      // of all rows that are read, or null
};

CnnWeights choose_cnn_weights(const ModelParts& model, const model::Parameters& parameters,
                              const std::vector<int64_t>& rows);

/// Multiplies the branch's output layer by these weights, one for each feature, and logs them.
void apply_cnn_weights(const std::vector<float>& of_feature, model::Parameters& parameters, const rows::TaskRows& data);

}  // namespace bigdna::training
