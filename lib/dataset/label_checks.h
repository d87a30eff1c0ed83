/// What a column of labels holds by mistake, and what would be read as names without a word.
#pragma once

#include <string_view>
#include <vector>

#include "dataset/labels.h"

namespace bigdna::dataset {

/// Error naming the line where the one column of labels, whose type is not given and which are not all 0 and 1, has
/// strings of bits, or numbers beside what is none. `fields`: of each row, trimmed.
void refuse_what_is_hardly_a_name(const LabelText& text, const std::vector<std::vector<std::string_view>>& fields);

}  // namespace bigdna::dataset
