/// Reads the rows of dataset folders.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rows/task_rows.h"
#include "dataset/profile_dataset.h"
#include "dataset/task.h"

namespace bigdna::rows {

/// The rows of a dataset folder of any task but profiles. Error if all rows of a split have the same class, in all
/// features. `genome`, `upstream` and `downstream`: as chromatin_rows() takes them; other datasets hold their
/// sequences.
TaskRows task_rows(const dataset::Task& task, const std::string& dataset_folder, const std::string& genome,
                   std::optional<int64_t> upstream = {}, std::optional<int64_t> downstream = {});
/// Those of a dataset of bins. `genome`: the FASTA; "" for the one that the dataset records. `upstream`, `downstream`:
/// the context; unset: the dataset's. Error if the genome is not the one that the dataset was made from
/// (dataset::checked_genome()).
TaskRows chromatin_rows(const std::string& dataset_folder, const std::string& genome,
                        std::optional<int64_t> upstream = {}, std::optional<int64_t> downstream = {});
/// Of a dataset of profiles: the number of reads of each region, all strands together, and its half. `genome` as above.
TaskRows profile_rows(const std::shared_ptr<const dataset::ProfileDataset>& dataset, const std::string& genome);

}  // namespace bigdna::rows
