/// Tables of features, and of files that features come from: TSV or CSV (io::DelimitedReader), with the columns' names
/// in the first line.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/delimited.h"

namespace bigdna::dataset {

/// "tf" -> "TF": the three groups that have a meaning are recognised in any case.
std::string group_of(const std::string& text);

struct TableColumn {
  std::string name;
  const char* absent = "-";  // the value where the column is missing or the field is empty; null: it may not be
  bool path = false;         // of a file, relative to the table; need not be UTF-8
};
/// What is done with columns that are not asked for.
enum class FurtherColumns { named_in_log, refused };

/// Calls row(values in the order of `columns`, line) for each row. Columns are named in any case. Errors "FILE:LINE:
/// cause": a column or value is missing, or is not UTF-8.
void read_feature_table(const std::string& path, io::TableForm form, std::span<const TableColumn> columns,
                        FurtherColumns further,
                        const std::function<void(const std::vector<std::string>& values, int64_t line)>& row);

/// A file named in a table, whose place is relative to it.
std::string beside(const std::string& table, const std::string& file);

}  // namespace bigdna::dataset
