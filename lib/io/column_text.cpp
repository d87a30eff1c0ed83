/// The dictionary of columns as help prints it.
#include <algorithm>
#include <string>

#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::io {

namespace {
const char* type_text(ColumnType type) {
  switch (type) {
    case ColumnType::text:
    case ColumnType::texts:
    case ColumnType::label:
      return "text";
    case ColumnType::integer:
      return "integer";
    case ColumnType::flag:
      return "0 or 1";
    case ColumnType::truth:
      return "True or False";
    case ColumnType::number:
    case ColumnType::numbers:
      break;
  }
  return "number";
}

/// Appends words, with line breaks before column `width`; further lines are indented.
void append_wrapped(std::string& lines, const std::string& words, size_t column, size_t indent, size_t width) {
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (column > indent && column + 1 + end - at > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (at > 0) {
      lines += ' ';
      ++column;
    }
    lines.append(words, at, end - at);
    column += end - at;
    at = end + 1;
  }
}
}  // namespace

std::string columns_text(std::string_view command) {
  std::string lines;
  for (const TableEntry& table : column_dictionary()) {
    if (table.command != command) continue;
    lines += concat(lines.empty() ? "" : "\n", table.title, ":");
    size_t widest = 0;
    for (const ColumnEntry& column : table.columns) widest = std::max(widest, std::string_view(column.name).size());
    for (const ColumnEntry& column : table.columns) {
      const std::string_view name = column.name;
      const std::string about =
          concat(column.meaning, " (", type_text(column.type), *column.unit ? ", " : "", column.unit, ")");
      lines.append("\n  ").append(name).append(widest + 2 - name.size(), ' ');
      append_wrapped(lines, about, widest + 4, widest + 4, 110);
    }
  }
  return lines;
}

}  // namespace bigdna::io
