#include "dataset/labels.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "dataset/label_checks.h"
#include "dataset/label_lists.h"
#include "dataset/label_words.h"
#include "dataset/missing_codes.h"
#include "io/delimited.h"

namespace bigdna::dataset {

namespace {
constexpr int64_t kMostNumberedClasses = 100;  // whole numbers above it are taken for measurements
constexpr size_t kMostSingleClasses = 20;      // more classes than that, most of them of one row, are hardly classes
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();  // the label of a row that lacks it

/// Distinct words in the order of classes: by number if all are numbers, else alphabetically.
std::vector<std::string> in_order(const std::set<std::string>& words) {
  std::vector<std::string> order(words.begin(), words.end());
  if (std::all_of(order.begin(), order.end(), [](const auto& word) { return number_of(word).has_value(); }))
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return *number_of(a) < *number_of(b); });
  return order;
}

class Reader {
 public:
  /// `names`: the type is forced to one whose labels are names, so that a word for a missing value may be one.
  Reader(const LabelText& text, const std::string& where, bool names) : text_(text), where_(where) {
    for (const auto& row : text.rows) {
      auto& fields = fields_.emplace_back();
      for (const auto& field : row) {
        if (!is_utf8(field)) {
          const auto column = static_cast<size_t>(&field - row.data());
          fail(text.places[fields_.size() - 1], ": ", text.columns[column], " '", field, "' is not UTF-8");
        }
        fields.push_back(trimmed(field));
      }
    }
    numbers_ = all_known([](auto field) { return number_of(field).has_value(); });
    whole_ = all_known([](auto field) { return whole_of(field).has_value(); });
    truths_ = all_known([](auto field) { return truth_of(field).has_value(); });
    names_ = names && !numbers_ && !truths_;
  }

  LabelType recognised() const {
    if (text_.columns.size() > 1) {
      if (truths_) return LabelType::multilabel;
      for (size_t i = 0; i < fields_.size(); ++i)
        for (size_t f = 0; f < text_.columns.size(); ++f)
          if (!io::is_missing_word(fields_[i][f]) && !number_of(fields_[i][f]))
            fail(text_.places[i], ": ", text_.columns[f], " '", fields_[i][f],
                 "' is not a number: several label columns must hold 0 and 1, or numbers (classes are one column)");
      return LabelType::regression;
    }
    if (truths_) return LabelType::binary;
    refuse_what_is_hardly_a_name(text_, fields_);
    if (!all([](auto field) { return field.find_first_of(",;") == field.npos; })) return LabelType::multilabel;
    if (whole_) {
      std::set<int64_t> numbers;
      for (const auto& fields : fields_)
        if (!lacks_label(fields[0])) numbers.insert(*whole_of(fields[0]));
      const auto count = static_cast<int64_t>(numbers.size());
      if (*numbers.begin() == 0 && *numbers.rbegin() == count - 1 && count <= kMostNumberedClasses &&
          !are_hardly_classes(numbers.size()))
        return LabelType::classes;
    }
    if (numbers_) return are_two_numbers() ? LabelType::binary : LabelType::regression;
    std::set<std::string_view> words;  // if nearly every row differs, these are numbers of which one is misspelt
    int64_t numbers = 0;
    for (const auto& fields : fields_) {
      if (io::is_missing_word(fields[0])) continue;
      words.insert(fields[0]);
      numbers += number_of(fields[0]).has_value();
    }
    if (2 * numbers > static_cast<int64_t>(fields_.size()) && words.size() > 2 && 2 * words.size() > fields_.size())
      return LabelType::regression;  // its reader names the line
    if (are_hardly_classes(words.size()))
      fail(where_, ": column ", text_.columns[0], " has ", words.size(), " different labels in ", fields_.size(),
           " rows, and a class needs several rows: is it the column of labels? (--label-columns names another, "
           "--label-type classes takes these)");
    return LabelType::classes;
  }

  /// Most of them would have one row, so that they are names, ranks or counts of rows.
  bool are_hardly_classes(size_t count) const { return count > kMostSingleClasses && 2 * count > fields_.size(); }

  Labels read(LabelType type) {
    Labels labels;
    labels.type = type;
    if (fields_.empty()) fail(where_, ": no row has a label");
    switch (type) {
      case LabelType::binary:
        binary(labels);
        break;
      case LabelType::classes:
        classes(labels);
        break;
      case LabelType::multilabel:
        multilabel(labels);
        break;
      case LabelType::regression:
      case LabelType::counts:
        numbers(labels);
        break;
    }
    for (const auto& name : labels.outputs)
      io::require_field(name, type == LabelType::classes ? "class" : "label", where_);
    return labels;
  }

 private:
  template <class Test>
  bool all(Test test) const {
    return std::all_of(fields_.begin(), fields_.end(),
                       [&](const auto& row) { return std::all_of(row.begin(), row.end(), test); });
  }

  /// Whether fields that are not missing pass the test, and there are some.
  template <class Test>
  bool all_known(Test test) const {
    return all([&](auto field) { return io::is_missing_word(field) || test(field); }) && !all(io::is_missing_word);
  }

  /// Whether there are two different numbers, each of several rows: -1 and 1, or 1 and 2, which measure nothing.
  bool are_two_numbers() const {
    std::map<double, int64_t> rows;
    for (const auto& fields : fields_)
      if (!io::is_missing_word(fields[0])) ++rows[*number_of(fields[0])];
    return rows.size() == 2 && rows.begin()->second > 1 && rows.rbegin()->second > 1;
  }

  /// Of binary labels and classes: whether a row has none.
  bool lacks_label(std::string_view field) const { return !names_ && io::is_missing_word(field); }

  /// Whether a field of names is a word for a missing value. A list that is empty or "." has none of the names.
  bool is_missing_list(std::string_view field) const {
    return !field.empty() && field != "." && io::is_missing_word(field);
  }

  /// Names the words that are taken for missing values in a column of names, where they might be names, too.
  void report_missing(bool lists = false) const {
    if (numbers_ || truths_ || names_) return;
    std::map<std::string_view, int64_t> rows;
    for (const auto& fields : fields_)
      if (lists ? is_missing_list(fields[0]) : io::is_missing_word(fields[0])) ++rows[fields[0]];
    std::string words;
    for (const auto& [word, count] : rows)
      words += concat(words.empty() ? "" : ", ", word.empty() ? "empty" : concat("'", word, "'"), " (",
                      counted(count, "row"), ")");
    if (!words.empty())
      log::warn(where_, ": column ", text_.columns[0], ": rows whose label is missing are left out: ", words,
                lists ? "" : "; --label-type classes takes such a word for a name");
  }

  void one_column(std::string_view type) const {
    if (text_.columns.size() != 1)
      fail(where_, ": labels of type ", type, " need one column, not ", text_.columns.size());
  }

  /// Of a label that is not a list: "2" for "2.0" if all labels are whole numbers.
  std::string name_of(std::string_view field) const {
    return whole_ ? std::to_string(*whole_of(field)) : std::string(field);
  }

  /// The distinct labels of the one column.
  std::set<std::string> distinct() const {
    report_missing();
    std::set<std::string> words;
    std::map<std::string, std::string_view> spellings;  // of each, the first
    bool said = false;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (lacks_label(fields_[i][0])) continue;
      if (fields_[i][0].empty()) fail(text_.places[i], ": ", text_.columns[0], " is empty");
      const auto name = name_of(fields_[i][0]);
      words.insert(name);
      const auto first = spellings.try_emplace(name, fields_[i][0]).first->second;
      if (first != fields_[i][0] && !std::exchange(said, true))
        log::warn(text_.places[i], ": the labels '", first, "' and '", fields_[i][0], "' are one label, ", name);
      if (words.size() > kMostClasses)
        fail(where_, ": column ", text_.columns[0], " has more than ", kMostClasses,
             " classes (--label-type regression, for numbers)");
    }
    if (words.empty()) fail(where_, ": no row has a label");
    if (words.size() < 2) fail(where_, ": every row has the label ", *words.begin(), ", so there is nothing to learn");
    return words;
  }

  void binary(Labels& labels) const {
    one_column("binary");
    const auto words = in_order(distinct());
    if (!truths_ && words.size() > 2)
      for (size_t i = 0; i < fields_.size(); ++i)
        if (!lacks_label(fields_[i][0]) && !truth_of(fields_[i][0]))
          fail(text_.places[i], ": ", text_.columns[0], " '", fields_[i][0], "' is neither 0 nor 1");
    labels.negative = truths_ ? "0" : words[0];
    labels.positive = truths_ ? "1" : words[1];
    labels.outputs = {concat(text_.columns[0], "=", labels.positive)};
    for (const auto& fields : fields_)
      labels.values.push_back(lacks_label(fields[0])                                              ? kNone
                              : (truths_ ? *truth_of(fields[0]) : name_of(fields[0]) == words[1]) ? 1.f
                                                                                                  : 0.f);
  }

  void classes(Labels& labels) const {
    one_column("classes");
    labels.outputs = in_order(distinct());
    for (size_t i = 0; i < labels.outputs.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (io::equal_words(labels.outputs[i], labels.outputs[j]))
          log::warn(where_, ": the classes '", labels.outputs[j], "' and '", labels.outputs[i],
                    "' differ in upper and lower case alone");
    std::map<std::string_view, float> index;
    for (const auto& name : labels.outputs) index.emplace(name, static_cast<float>(index.size()));
    for (const auto& fields : fields_)
      labels.values.push_back(lacks_label(fields[0]) ? kNone : index.at(name_of(fields[0])));
  }

  void multilabel(Labels& labels) const { text_.columns.size() == 1 ? lists(labels) : truths(labels); }

  /// One column of lists of words. An empty list is none of them; a word for a missing value alone is a missing label.
  void lists(Labels& labels) const {
    std::set<std::string> words;
    const auto missing = [this](std::string_view field) { return is_missing_list(field); };
    report_missing(/*lists=*/true);
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (missing(fields_[i][0])) continue;
      for (auto& word : words_of(fields_[i][0])) {
        if (io::is_missing_word(word))
          fail(text_.places[i], ": ", text_.columns[0], " '", fields_[i][0], "' lists ", word,
               " among labels, which alone is a missing label (give it another name)");
        words.insert(std::move(word));
      }
    }
    if (words.empty()) fail(where_, ": no row has a label");
    if (words.size() > 100'000) fail(where_, ": column ", text_.columns[0], " has ", words.size(), " different labels");
    labels.outputs = in_order(words);
    std::map<std::string, size_t> index;
    for (const auto& name : labels.outputs) index.emplace(name, index.size());
    const size_t width = labels.outputs.size();
    for (const auto& row : fields_) {
      const size_t first = labels.values.size();
      labels.values.resize(first + width, missing(row[0]) ? kNone : 0.f);
      if (!missing(row[0]))
        for (const auto& word : words_of(row[0])) labels.values[first + index.at(word)] = 1.f;
    }
  }

  /// Several columns of 0 and 1. A row may lack all of them (it is dropped), but not some: the loss needs each.
  void truths(Labels& labels) const {
    labels.outputs = text_.columns;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const bool none = std::all_of(fields_[i].begin(), fields_[i].end(), io::is_missing_word);
      for (size_t f = 0; f < text_.columns.size(); ++f) {
        const auto truth = truth_of(fields_[i][f]);
        if (!truth && !none && io::is_missing_word(fields_[i][f]))
          fail(text_.places[i], ": ", text_.columns[f], " is missing, but other labels of the row are not: of several ",
               "columns of 0 and 1 a row needs all (", numbers_ ? "--label-type regression accepts missing ones; " : "",
               "--label-columns makes a dataset of one column)");
        if (!truth && !none) fail(text_.places[i], ": ", text_.columns[f], " '", fields_[i][f], "' is neither 0 nor 1");
        labels.values.push_back(none ? kNone : *truth ? 1.f : 0.f);
      }
    }
  }

  /// Error for a count that is missing, or below 0.
  void require_count(std::optional<double> number, size_t row, size_t column) const {
    if (number && *number >= 0) return;
    fail(text_.places[row], ": ", text_.columns[column], " '", fields_[row][column], "' is ",
         number ? "below 0" : "missing", ": every example needs a count, which is at least 0",
         number ? " (--label-type regression reads negative numbers)" : "");
  }

  /// Error for a column without two different numbers; a warning where many become equal as labels are kept.
  void require_different(std::vector<double>& numbers, const std::string& column) const {
    const auto distinct = [](auto& values) {
      std::ranges::sort(values);
      const auto rest = std::ranges::unique(values);
      values.erase(rest.begin(), rest.end());
      return std::ssize(values);
    };
    const int64_t different = distinct(numbers);
    std::vector<float> kept(numbers.begin(), numbers.end());
    const int64_t left = distinct(kept);
    if (different < 2)
      fail(where_, ": column ", column, different == 0 ? " has no number" : " has the same value in every row",
           ": there is nothing to learn");
    constexpr const char* kRemedy = ": subtract their mean, or divide them";
    if (left < 2)
      fail(where_, ": column ", column, ": its ", different, " different numbers are one 32-bit float", kRemedy);
    if (100 * left < 99 * different)
      log::warn(where_, ": column ", column, ": its ", different, " different numbers are ", left,
                " different 32-bit floats", kRemedy);
  }

  void numbers(Labels& labels) const {
    labels.outputs = text_.columns;
    int64_t fractions = 0;
    std::vector<std::vector<double>> seen(text_.columns.size());
    for (size_t i = 0; i < fields_.size(); ++i)
      for (size_t f = 0; f < text_.columns.size(); ++f) {
        const auto number = number_of(fields_[i][f]);
        if (!number && !io::is_missing_word(fields_[i][f]))
          fail(text_.places[i], ": ", text_.columns[f], " '", fields_[i][f], "' is not a number",
               is_separated_number(std::string(fields_[i][f]))
                   ? ": decimal commas and thousands separators are not read"
                   : "");
        if (number && !std::isfinite(static_cast<float>(*number)))
          fail(text_.places[i], ": ", text_.columns[f], " '", fields_[i][f], "' is beyond the range of 32-bit floats");
        if (labels.type == LabelType::counts) {
          require_count(number, i, f);
          fractions += *number != std::floor(*number);
        }
        labels.values.push_back(number ? static_cast<float>(*number) : kNone);
        if (number) seen[f].push_back(*number);
      }
    for (size_t f = 0; f < seen.size(); ++f) require_different(seen[f], text_.columns[f]);
    if (fractions > 0)
      log::warn(where_, ": ", counted(fractions, "count"), fractions == 1 ? " is" : " are",
                " not whole: scaled values, such as reads per million, weigh in the loss as if they were counted");
    warn_of_missing_codes(labels.outputs, labels.values, where_);
  }

  const LabelText& text_;
  const std::string& where_;
  std::vector<std::vector<std::string_view>> fields_;
  // every label that is not missing is a number, a whole number, or 0 or 1
  bool numbers_ = false, whole_ = false, truths_ = false;
  bool names_ = false;  // every field is a name, also "NA"
};
}  // namespace

bool Labels::any(int64_t row) const {
  return !std::ranges::all_of(of(row), [](float value) { return std::isnan(value); });
}

bool Labels::same(int64_t row, int64_t other) const {
  return std::ranges::equal(of(row), of(other),
                            [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::string_view label_type_name(LabelType type) { return kLabelTypes[static_cast<size_t>(type)]; }

std::optional<LabelType> label_type_of_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kLabelTypes); ++i)
    if (kLabelTypes[i] == name) return static_cast<LabelType>(i);
  return std::nullopt;
}

Labels read_labels(const LabelText& text, std::optional<LabelType> forced, const std::string& where) {
  const auto without = without_lists(text, forced);
  Reader reader(without ? *without : text, where, forced == LabelType::binary || forced == LabelType::classes);
  if (text.rows.empty()) fail(where, ": no row has a label");
  const LabelType type = forced ? *forced : reader.recognised();
  if (!forced && !without && type == LabelType::multilabel && text.columns.size() == 1)
    warn_of_lists_that_may_be_names(text, where);
  return reader.read(type);
}

std::string label_text(const Labels& labels, int64_t row) {
  const auto width = static_cast<size_t>(labels.width());
  const float* values = labels.values.data() + static_cast<size_t>(row) * width;
  if (!are_numbers(labels.type) && std::isnan(values[0])) return "NA";
  switch (labels.type) {
    case LabelType::binary:
      return values[0] > 0 ? "1" : "0";
    case LabelType::classes:
      return labels.outputs[static_cast<size_t>(values[0])];
    default:
      break;
  }
  std::string text;
  for (size_t f = 0; f < width; ++f) {
    if (labels.type == LabelType::multilabel && values[f] == 0) continue;
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", values[f]);
    text += (text.empty() ? "" : ",") + (labels.type == LabelType::multilabel ? labels.outputs[f]
                                         : std::isnan(values[f])              ? "NA"
                                                                              : number);
  }
  return text.empty() ? "." : text;
}

}  // namespace bigdna::dataset
