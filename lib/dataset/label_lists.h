/// A column of labels whose fields are lists: as Python, NumPy, JSON or R write them, or joined by commas or
/// semicolons.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/labels.h"

namespace bigdna::dataset {

/// The entries of a list in brackets, without quotes: [1, 0], ['a', 'b'], [1 0] (NumPy), {"a"} (a set),
/// array([1., 0.], dtype=float32), [np.int64(1)], c("a", "b") (R), (1, 0); none of [], set(), character(0). nullopt for
/// a field that is no such list. Error without the place: "holds a list in a list", "has a quote that is not closed"
/// ...
std::optional<std::vector<std::string>> listed(std::string_view field);

/// A column of lists as what read_labels() reads:
///   lists of numbers (or of yes and no ...) of one length: a column for each place, label1, label2 ...
///   other lists in brackets: their entries, joined by semicolons
/// nullopt where no field is a list, or where the type is `forced` to binary or classes, for which a field is a name.
/// Errors "FILE:LINE: cause": those of listed(); a part of a list; an entry with a comma or semicolon; numbers in lists
/// of different lengths, where one comes twice or has decimals, so that they are no names; whole numbers in lists of
/// one length that may be names or numbers, unless the type is forced; words joined by |, # or / that other rows have
/// alone; three numbers or more joined by one of these, two or more by blanks.
std::optional<LabelText> without_lists(const LabelText& text, std::optional<LabelType> forced);

}  // namespace bigdna::dataset
