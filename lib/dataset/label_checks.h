/// What a column of labels holds by mistake, and what would be read as names without a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataset/labels.h"

namespace bigdna::dataset {

/// Error naming the line where the one column of labels, whose type is not given and which are not all 0 and 1, has
/// strings of bits, or numbers beside what is none. `fields`: of each row, trimmed.
void refuse_what_is_hardly_a_name(const LabelText& text, const std::vector<std::vector<std::string_view>>& fields);

/// A warning where the one column of labels is read as lists, but has no more different texts than these have parts, so
/// that a comma or semicolon may belong to a class's name: "promoter, strong" and "promoter, weak".
void warn_of_lists_that_may_be_names(const LabelText& text, const std::string& where);

}  // namespace bigdna::dataset
