/// Numbers that stand for a missing one: -9 in PLINK's phenotypes, -99, -999, -9999 elsewhere.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace bigdna::dataset {

/// Warns of a column whose least number is such a code, with no other number below half of it: it is read as a number.
/// `values`: row-major, NaN where missing. `where`: the table.
void warn_of_missing_codes(const std::vector<std::string>& columns, std::span<const float> values,
                           const std::string& where);

}  // namespace bigdna::dataset
