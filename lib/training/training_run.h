/// What the runs that train a model of a task share, whatever they train.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rows/task_rows.h"
#include "genome/interval_set.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "model/parameters.h"
#include "model_folder/model_folder.h"
#include "session/placement.h"
#include "train/rank_setup.h"

namespace bigdna::training {

/// Where a run keeps its evaluation on one of several datasets, numbered from 0: RUN/dataset-1 ...
std::string folder_of_dataset(const std::string& run, size_t number);
/// The tables of a complete run: metrics.tsv, or those of its datasets, one after the other.
std::string table_of_run(const std::string& run);

/// Runs Training(options, launch, placement)() on the device of this rank, and returns its table; of a run that is to
/// be resumed and is complete, table_of_run() ("" on ranks other than the first). `name`: in log lines.
template <class Training, class Options>
std::string run_training(const Options& options, const std::string& name) {
  const train::RankLaunch launch = train::launch_from_environment();
  train::configure_log(launch, name);
  session::RunOptions run = options.run;
  run.device = train::device_for(run.device, launch);
  const session::Placement placement(run);  // the job is compared by its precision, too
  if (options.existing == io::Existing::resume && io::is_complete(options.output, "run"))
    return launch.rank == 0 ? table_of_run(options.output) : "";
  return Training(options, launch, placement)();
}

/// RUN/model and RUN/run.json, which is written last and says the same of how it was made.
struct RunFolder {
  std::string path;            // RUN
  const rows::TaskRows& data;  // whose labels the model has
  io::Manifest manifest = {};
  /// How many test rows the model has read, or the one that it began from: known from record_training() on.
  std::optional<int64_t> seen_test_rows = {};
  std::vector<int64_t> seen_of_parts = {};  // of these, by dataset; empty: one dataset

  std::string model() const { return path + "/model"; }
  /// Starts RUN/model: its weights, features.tsv, and the dataset and task in its manifest.
  void begin_model(const model::Parameters& parameters, uint64_t seed);
  /// Records what the model and those that it began from or has as a part were trained on: the intervals, which are
  /// returned, and sequences that have no position. `seen`: the intervals that a part of it was trained on before.
  genome::IntervalSet record_training(const std::vector<int64_t>& rows,
                                      const std::vector<const model_folder::ModelFolder*>& from,
                                      genome::IntervalSet seen = {});
  void finish();
};

}  // namespace bigdna::training
