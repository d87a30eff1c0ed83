/// What pretraining and fine-tuning share where several processes train one model.
#pragma once

#include <string>

#include "train/launch.h"

namespace bigdna::train {

/// --device for one rank of several: where this machine has several GPUs, "auto" and "cuda" become this rank's.
/// UsageError for cuda:N with several ranks, which would all take that one.
std::string device_for(const std::string& choice, const train::Launch& launch);

/// All ranks but the first print errors only, which name the rank.
void configure_log(const train::Launch& launch, const std::string& command);

}  // namespace bigdna::train
