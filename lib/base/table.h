/// Tables: arrays of rows that have names, by which options, configurations and files ask for them.
#pragma once

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace bigdna {

/// A row's name: its member `name`, or the row itself if it is nothing but a name.
template <class Row>
std::string_view name_of(const Row& row) {
  if constexpr (requires { row.name; })
    return row.name;
  else
    return row;
}

/// The row of that name; null if the table has none. `table`: its rows lie in memory one after the other, and outlive
/// the result.
template <std::ranges::contiguous_range Table>
auto find_row(Table&& table, std::string_view name) -> decltype(std::ranges::data(table)) {
  for (auto& row : table)
    if (name_of(row) == name) return &row;
  return nullptr;
}

/// The names of the table's rows.
template <std::ranges::input_range Table>
std::vector<std::string> row_names(Table&& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(name_of(row));
  return names;
}

/// "A, B, C"; `between`: what stands between two names.
inline std::string listed(const std::vector<std::string>& names, std::string_view between = ", ") {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : between).append(name);
  return text;
}

/// The row of that name; UsageError "unknown WHAT NAME (A, B, C)" if there is none. `what`: what the table holds.
template <std::ranges::contiguous_range Table>
auto& row_named(Table&& table, std::string_view name, std::string_view what) {
  auto* row = find_row(table, name);
  if (!row) throw UsageError(concat("unknown ", what, " ", name, " (", listed(row_names(table)), ")"));
  return *row;
}

}  // namespace bigdna
