/// The width of the bins that chromatin features are labels of.
#pragma once

#include <cstdint>

namespace bigdna::dataset {

inline constexpr int64_t kBin = 200;  // bp (paper F.3, after DeepSEA)

}  // namespace bigdna::dataset
