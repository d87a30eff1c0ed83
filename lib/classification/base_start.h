/// Where the branch of bases starts (model/bases.h): filters that look for what the training rows hold, and a
/// branch that adds nothing.
#pragma once

#include <cstdint>

#include "classification/task_rows.h"
#include "model/parameters.h"
#include "model_folder/config.h"
#include "session/reader.h"

namespace bigdna::classification {

/// Each filter is made of bases around the site of a training row, drawn by the seed: fading to both ends,
/// with some noise, of mean 0 at each base and norm 1. The features' means and the inverses of their
/// deviations (times a tenth, so that a step changes logits by about as much as one of the head does) are
/// taken over at most 1000 training rows. The output is 0.
void start_bases(model::Parameters& parameters, const model_folder::ModelConfig& config,
                 const session::SequenceReader& reader, const TaskRows& data, uint64_t seed);

}  // namespace bigdna::classification
