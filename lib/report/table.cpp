#include "report/table.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"

namespace bigdna::report {

std::optional<double> number_of(std::string_view text) {
  if (text == "." || text == "NA") return NAN;
  return parse_number<double>(text);
}

Table::Table(const std::string& path) : lines_(path) {
  std::optional<std::string_view> line;
  while ((line = lines_.next()) && line->starts_with("##")) {
    const auto equals = std::min(line->find('='), line->size());
    facts_.emplace_back(line->substr(2, equals - 2), line->substr(std::min(equals + 1, line->size())));
  }
  if (!line) fail(lines_.path(), ": has no line with the names of its columns");
  if (line->starts_with('#')) line->remove_prefix(1);
  for (const auto name : io::split(*line)) columns_.emplace_back(name);
}

std::optional<size_t> Table::find(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<size_t>(found - columns_.begin());
}

bool Table::next() {
  const auto line = lines_.next();
  if (!line) return false;
  fields_ = io::split(*line);
  if (fields_.size() != columns_.size())
    fail(where(), ": has ", fields_.size(), " columns, but the line with their names has ", columns_.size());
  return true;
}

double Table::number(size_t column) const {
  const auto value = number_of(text(column));
  if (!value) fail(where(), ": '", text(column), "' in column ", columns_[column], " is not a number");
  return *value;
}

std::string Table::where() const { return concat(lines_.path(), ':', lines_.line()); }

}  // namespace bigdna::report
