/// What a field of a column of labels may be: a number, a truth, a list of words, nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::dataset {

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);
/// The text as a finite number; nullopt if any of it is something else.
std::optional<double> number_of(std::string_view text);
/// Whether the text is a number with a decimal comma or thousands separators: "5,39", "4,821.5", "1.234.567", "1 200".
bool is_separated_number(std::string field);
/// Whether the text is a number with a sign or a unit beside it: "5.1%", "<0.05", "5.0±0.1", "5.0 +/- 0.1", "5 nM".
bool is_number_with_sign(std::string_view text);
/// Whether the text is an infinite number: "inf", "-Infinity".
bool is_infinite(std::string_view text);
/// Whether the text is the error of a spreadsheet's cell: "#DIV/0!", "#NAME?".
bool is_spreadsheet_error(std::string_view text);
/// Whether the text is two or more of the digits 0 and 1.
bool is_bits(std::string_view text);
/// "7", "7.0" -> 7
std::optional<int64_t> whole_of(std::string_view text);
/// 0 and 1, negative and positive, no and yes, false and true.
std::optional<bool> truth_of(std::string_view text);
/// The words of a list, between commas or semicolons, without quotes around them; "." is none.
std::vector<std::string> words_of(std::string_view text);

}  // namespace bigdna::dataset
