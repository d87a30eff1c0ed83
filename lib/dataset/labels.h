/// The labels of a table: their type, and their values as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::dataset {

/// A row's label: yes or no; one of several classes; any number of several words; real numbers; or numbers at least 0,
/// such as counts of reads.
enum class LabelType : uint8_t { binary, classes, multilabel, regression, counts };
std::string_view label_type_name(LabelType type);  // "binary" ...
/// Whether labels of the type are numbers, not words: regression and counts.
constexpr bool are_numbers(LabelType type) { return type == LabelType::regression || type == LabelType::counts; }
/// nullopt if the name is not a label type's.
std::optional<LabelType> label_type_of_name(std::string_view name);
inline constexpr const char* kLabelTypes[] = {"binary", "classes", "multilabel", "regression", "counts"};

inline constexpr size_t kMostClasses = 1000;

/// The labels of a table as text.
struct LabelText {
  std::vector<std::string> columns;            // names of the label columns
  std::vector<std::vector<std::string>> rows;  // of each row, its labels in the order of `columns`
  std::vector<std::string> places;             // of each row, for messages: "FILE:LINE"
};

struct Labels {
  LabelType type = LabelType::binary;
  /// The names of a model's outputs: one for binary, COLUMN=POSITIVE; the classes; the words of multilabel; the columns
  /// of regression and counts.
  std::vector<std::string> outputs;
  std::string negative, positive;  // binary: the words that 0 and 1 stand for; "0" and "1" also for no and yes
  /// Row-major. binary, multilabel: 0 or 1 for each output. classes: one number per row, the index of its class.
  /// regression, counts: a number for each output. NaN where a label is missing (in multilabel: all of a row's, or
  /// none; in counts: never).
  std::vector<float> values;
  int64_t width() const { return type == LabelType::classes ? 1 : static_cast<int64_t>(outputs.size()); }
  std::span<const float> of(int64_t row) const {
    return std::span(values).subspan(static_cast<size_t>(row * width()), static_cast<size_t>(width()));
  }
  /// Whether the row has a label that is not missing.
  bool any(int64_t row) const;
  /// Whether two rows have the same labels, or lack the same.
  bool same(int64_t row, int64_t other) const;
};

/// Determines the type, unless it is `forced`, and reads the values:
///   one column of 0 and 1 (or negative/positive, no/yes, false/true in any case)   binary
///   one column of whole numbers from 0 on without a gap (at most 100; of more than 20 most have several rows), or of
///   words   classes
///   one column of lists: see without_lists() in label_lists.h
///   one column in which some field has several words, joined by commas or semicolons   multilabel
///   several columns of 0 and 1   multilabel
///   other numbers   regression
/// Words for missing values (io::is_missing_word) are missing in every column, with a warning among names; not among
/// names where binary or classes is forced. A list that is empty or "." has none of the words. Of several columns of 0
/// and 1 a row has all or none. Forced binary accepts any two values; the later one in the order of classes is 1.
/// Counts are only read where they are forced: a missing one, or one below 0, is an error. Those that are not whole
/// cause a warning. Classes are ordered by number if all are numbers, else alphabetically. Errors: "FILE:LINE: cause"
/// for a label that does not fit the type, or is not UTF-8; unless the type is forced, also for what makes words of
/// numbers: a decimal comma or thousands separators, or anything else where nine of ten labels are numbers; "WHERE:
/// cause" if all rows have the same label, or there are more than kMostClasses classes.
Labels read_labels(const LabelText& text, std::optional<LabelType> forced, const std::string& where);

/// A row's labels as regions.bed.gz shows them: 0 or 1; its class; its words or numbers joined by commas, "." for none;
/// NA for a missing value.
std::string label_text(const Labels& labels, int64_t row);

}  // namespace bigdna::dataset
