/// The dictionary of columns: every table that a command writes, with the name, type, unit and meaning of each column.
/// Writers check their columns against it; --help prints it, and docs/commands hold it (a test compares them).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::io {

enum class ColumnType {
  text,
  texts,  // any number of columns of text
  label,  // text that comes in many rows
  integer,
  flag,   // 1 or 0
  truth,  // True or False in text
  number,
  numbers,  // any number of columns, whose names are the model's
};

struct ColumnEntry {
  const char* name;  // of numbers and texts: how the columns are called, with the parts that vary in capitals
  ColumnType type;
  const char* unit;  // "" for none
  const char* meaning;
};

struct TableEntry {
  const char* name;     // "chromatin"
  const char* command;  // whose help and page list it
  const char* title;    // "Columns", or which of the command's tables it is
  std::vector<ColumnEntry> columns;
};

std::span<const TableEntry> column_dictionary();
/// Internal errors for a table or a column that is not in it.
const ColumnEntry& entry_of(std::string_view table, std::string_view column);
/// Whether a table of intervals or alleles, or one with a column for each output, may have a column of this name that
/// is no output: score, seen, column7, kmers:...
bool is_fixed_column(std::string_view name);
/// The tables of a command as its help lists them: lines of up to 110 columns.
std::string columns_text(std::string_view command);

}  // namespace bigdna::io
