/// The branch of bases (model/bases.h) before and after it is trained: it starts with filters that look for
/// what the training rows hold and adds nothing; of what it has learned, each group of features keeps what
/// validation calls for.
#pragma once

#include <cstdint>

#include "classification/frozen_states.h"
#include "classification/stacking.h"
#include "classification/task_rows.h"
#include "model/parameters.h"
#include "model_folder/config.h"
#include "session/task_model.h"

namespace bigdna::classification {

/// Each filter is made of bases around the site of a training row, drawn by the seed: fading to both ends,
/// with some noise, of mean 0 at each base and norm 1. The features' means and the inverses of their
/// deviations (times a tenth, so that a step changes logits by about as much as one of the head does) are
/// taken over at most 1000 training rows. The output is 0.
void start_bases(model::Parameters& parameters, const model_folder::ModelConfig& config,
                 const session::SequenceReader& reader, const TaskRows& data, uint64_t seed);

/// Makes the encoder's share a part of the head's weights, so that the branch is added whole, also where the
/// share is 0.
void move_share_to_head(model::Parameters& parameters, const model_folder::ModelConfig& config,
                        session::WordModel& words);

/// What validation rows call for of the branch.
struct KeptBases {
  std::vector<float> shares;  // of each feature: keep_part() (classification/stacking.h)
  std::vector<float> logits;  // of the rows under them, [rows, labels]; like the model's they count `weights`
};

/// `words`: null if the model has none. `weights`: of labels 1 in the loss, for each feature. `states`: of these rows,
/// where they are known.
KeptBases choose_bases(const model::Parameters& parameters, const model_folder::ModelConfig& config,
                       const session::SequenceReader& reader, const session::Placement& placement,
                       const TaskRows& data, const std::vector<int64_t>& rows, const std::vector<double>& weights,
                       const session::WordModel* words, const FrozenStates* states);

/// Makes the shares a part of the branch's weights, and says which they are.
void keep_bases(const std::vector<float>& shares, model::Parameters& parameters, const TaskRows& data);

}  // namespace bigdna::classification
