/// A text table that bigdna wrote, read row by row: ## lines, one line of names that begins with #, rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/lines.h"

namespace bigdna::report {

class Table {
 public:
  /// Error naming the file if it is missing, is no text, or has no line of names.
  explicit Table(const std::string& path);
  const std::vector<std::string>& columns() const { return columns_; }
  bool has(std::string_view column) const { return find(column).has_value(); }
  std::optional<size_t> find(std::string_view column) const;
  /// The ## lines as they are: "bigdna_version", "0.1.0" ...
  const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }

  /// Goes to the next row. Error "FILE:LINE: ..." for one with another number of columns than there are names.
  bool next();
  std::string_view text(size_t column) const { return fields_[column]; }
  /// NaN for "." and NA. Error "FILE:LINE: ..." for anything else that is no number.
  double number(size_t column) const;
  std::string where() const;

 private:
  io::LineReader lines_;
  std::vector<std::string> columns_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<std::string_view> fields_;
};

/// The number of a field, NaN for "." and NA; nullopt for anything else.
std::optional<double> number_of(std::string_view text);

}  // namespace bigdna::report
