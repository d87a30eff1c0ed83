/// A dataset of profiles with the bases of its regions.
#pragma once

#include <string>

#include "dataset/profile_dataset.h"
#include "rows/task_rows.h"

namespace bigdna::profile_training {

/// Its functions may be called by several threads.
struct ProfileData {
  dataset::ProfileDataset dataset;
  rows::TaskRows rows;  // the same rows, whose label is the number of reads, all strands together

  /// `genome`: the FASTA; "" for the one that the dataset records.
  ProfileData(const std::string& folder, const std::string& genome);
  double total(int64_t row) const { return rows.label(row, 0); }
};

}  // namespace bigdna::profile_training
