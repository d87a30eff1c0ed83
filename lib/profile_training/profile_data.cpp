#include "profile_training/profile_data.h"

#include <utility>

#include "rows/dataset_rows.h"

namespace bigdna::profile_training {

ProfileData::ProfileData(const std::string& folder, const std::string& genome)
    : ProfileData(std::make_shared<const dataset::ProfileDataset>(dataset::ProfileDataset::open(folder)), genome) {}

ProfileData::ProfileData(std::shared_ptr<const dataset::ProfileDataset> opened, const std::string& genome)
    : dataset(*opened), rows(rows::profile_rows(opened, genome)), opened_(std::move(opened)) {}

}  // namespace bigdna::profile_training
