/// What pretraining and fine-tuning share when several processes train one model.
#pragma once

#include <string>

#include "train/launch.h"

namespace bigdna::train {

/// --device for one of several ranks: if this machine has several GPUs, "auto" and "cuda" become this rank's GPU.
/// UsageError for cuda:N with several ranks, which would all use the same GPU.
std::string device_for(const std::string& choice, const train::RankLaunch& launch);

/// Makes all ranks but the first print errors only, with their rank.
void configure_log(const train::RankLaunch& launch, const std::string& command);

}  // namespace bigdna::train
