#include "profile_training/profile_data.h"

#include "rows/dataset_rows.h"

namespace bigdna::profile_training {

ProfileData::ProfileData(const std::string& folder, const std::string& genome)
    : dataset(dataset::ProfileDataset::open(folder)),
      rows(rows::task_rows(dataset::task_of_dataset(folder), folder, genome)) {}

}  // namespace bigdna::profile_training
