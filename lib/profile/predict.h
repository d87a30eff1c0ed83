/// Counts and profiles of regions or records.
#pragma once

#include "profile/profile_options.h"

namespace bigdna::profile {

/// Writes counts as a table, counts and profiles as HDF5, or expected reads at each base as bigWig.
void predict(const ProfileOptions& options);

}  // namespace bigdna::profile
