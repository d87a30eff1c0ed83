#include "dataset/label_checks.h"

#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "dataset/label_words.h"
#include "io/delimited.h"

namespace bigdna::dataset {

namespace {
class Checks {
 public:
  Checks(const LabelText& text, const std::vector<std::vector<std::string_view>>& fields)
      : text_(text), fields_(fields) {}

  /// Error where each label is a string of bits of one length, which reads as a number: "101" and "011".
  void refuse_bits() const {
    std::optional<size_t> with_zero, first;
    for (size_t row = 0; row < fields_.size(); ++row) {
      const auto field = fields_[row][0];
      if (io::is_missing_word(field)) continue;
      if (!first) first = row;
      if (!is_bits(field) || field.size() != fields_[*first][0].size()) return;
      if (field.front() == '0') with_zero = with_zero.value_or(row);
    }
    if (with_zero)
      refuse(*with_zero,
             "is a string of 0 and 1: lists are joined by commas or semicolons (--label-type classes, if it "
             "is a name)");
  }

  /// Error naming the line where a column of numbers, or of 0 and 1, has something else, which would make words of all.
  void refuse_misspelt_numbers() const {
    size_t known = 0, total = 0;
    bool digits = true;                                           // all numbers are 0 or 1
    std::optional<size_t> separated, with_sign, infinite, other;  // the first row of each
    for (size_t i = 0; i < fields_.size(); ++i) {
      const auto field = fields_[i][0];
      if (io::is_missing_word(field)) continue;
      ++total;
      if (is_spreadsheet_error(field)) refuse(i, "is the error of a spreadsheet's cell");
      if (number_of(field) || truth_of(field))
        ++known, digits = digits && number_of(field) && truth_of(field);
      else if (is_separated_number(std::string(field)))
        ++known, separated = separated.value_or(i);
      else if (is_number_with_sign(field))
        ++known, with_sign = with_sign.value_or(i);
      else if (is_infinite(field))
        ++known, infinite = infinite.value_or(i);
      else
        other = other.value_or(i), digits = digits && field.find_first_of(",;") == field.npos;
    }
    constexpr double kNearlyAll = 0.9;
    const bool nearly_all = static_cast<double>(known) >= kNearlyAll * static_cast<double>(total);
    const bool all_digits = digits && !separated && !with_sign && !infinite;
    if (known == 0 || (other && !nearly_all && !all_digits)) return;
    if (separated)
      refuse(*separated,
             "is not a number: decimal commas and thousands separators are not read (--label-type multilabel, if it is "
             "a list of labels)");
    if (with_sign)
      refuse(*with_sign,
             "is not a number: signs and units next to it are not read (--label-type classes, if it is a name)");
    if (infinite) refuse(*infinite, "is not a finite number (--label-type classes, if it is a name)");
    if (other)
      refuse(*other, "is not a number, but ", known, " of ", total,
             " labels are (--label-type classes or multilabel, if they are names)");
  }

 private:
  template <class... Cause>
  [[noreturn]] void refuse(size_t row, const Cause&... cause) const {
    fail(text_.places[row], ": ", text_.columns[0], " '", fields_[row][0], "' ", cause...);
  }

  const LabelText& text_;
  const std::vector<std::vector<std::string_view>>& fields_;
};
}  // namespace

void refuse_what_is_hardly_a_name(const LabelText& text, const std::vector<std::vector<std::string_view>>& fields) {
  const Checks checks(text, fields);
  checks.refuse_bits();
  checks.refuse_misspelt_numbers();
}

void warn_of_lists_that_may_be_names(const LabelText& text, const std::string& where) {
  std::set<std::string_view> texts;
  std::set<std::string> parts;
  std::string_view joined;
  for (const auto& row : text.rows) {
    const auto field = trimmed(row[0]);
    if (io::is_missing_word(field) || !texts.insert(field).second) continue;
    const auto words = words_of(field);
    if (words.size() > 1 && joined.empty()) joined = field;
    parts.insert(words.begin(), words.end());
  }
  if (!joined.empty() && texts.size() <= parts.size())
    log::warn(where, ": column ", text.columns[0], ": its ", texts.size(), " different texts, such as '", joined,
              "', are read as lists of ", parts.size(), " labels (--label-type classes reads each as a class's name)");
}

}  // namespace bigdna::dataset
