/// What the runs that train networks on bases share.
#pragma once

#include <string>
#include <vector>

#include "classification/evaluation.h"
#include "io/folder.h"
#include "model/parameters.h"
#include "model_folder/profile_config.h"
#include "profile/train_options.h"
#include "session/placement.h"
#include "task_model/calibration.h"
#include "train/options.h"
#include "train/rank_setup.h"
#include "train/ranks.h"

namespace bigdna::profile {

/// The configuration of one of a model's networks.
model_folder::ProfileConfig single(model_folder::ProfileConfig config);
/// The settings of the training of one network, for `steps` unless the options have another number.
train::TrainOptions network_loop(const TrainOptions& options, int64_t steps);
/// RUN/network-N, made if it is missing (by the first rank).
std::string network_folder(const TrainOptions& options, const train::Ranks& ranks, int64_t network);
/// Adds the parameters of a network that was trained by itself to the model's.
void add_network(model::Parameters& model, const model::Parameters& network, int64_t number);
/// Makes a calibration a part of the networks' heads.
void fold(const task_model::Calibration& calibration, const model_folder::ProfileConfig& config,
          model::Parameters& parameters);
/// classification::evaluate_run() with the options' seed and threads.
std::string evaluate_network(const TrainOptions& options, const classification::TaskRows& data,
                             const std::vector<classification::Method>& methods);

/// The options with the device of this rank.
session::RunOptions run_on(session::RunOptions run, const train::Launch& launch);
/// The table of a run that is complete; "" for ranks other than the first.
std::string finished_table(const TrainOptions& options, const train::Launch& launch);
/// Runs Training(options, launch, placement)(), unless the run is to be resumed and is complete.
template <class Training>
std::string run_networks(const TrainOptions& options) {
  const train::Launch launch = train::launch_from_environment();
  train::configure_log(launch, "train");
  const session::Placement placement(run_on(options.run, launch));  // the job is compared by its precision, too
  if (options.existing == io::Existing::resume && io::is_complete(options.output, "run"))
    return finished_table(options, launch);
  return Training(options, launch, placement)();
}

}  // namespace bigdna::profile
