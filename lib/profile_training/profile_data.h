/// A dataset of profiles with the bases of its regions.
#pragma once

#include <memory>
#include <string>

#include "dataset/profile_dataset.h"
#include "rows/task_rows.h"

namespace bigdna::profile_training {

/// Its functions may be called by several threads.
struct ProfileData {
  const dataset::ProfileDataset& dataset;
  rows::TaskRows rows;  // the same rows, whose label is the number of reads, all strands together

  /// `genome`: the FASTA; "" for the one that the dataset records.
  ProfileData(const std::string& folder, const std::string& genome);
  double total(int64_t row) const { return rows.label(row, 0); }

 private:
  ProfileData(std::shared_ptr<const dataset::ProfileDataset> opened, const std::string& genome);

  std::shared_ptr<const dataset::ProfileDataset> opened_;
};

}  // namespace bigdna::profile_training
