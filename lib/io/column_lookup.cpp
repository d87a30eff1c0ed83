/// Looks entries of the dictionary of columns up.
#include "base/error.h"
#include "base/table.h"
#include "io/column_dictionary.h"

namespace bigdna::io {

const ColumnEntry& entry_of(std::string_view table, std::string_view column) {
  const TableEntry* entry = find_row(column_dictionary(), table);
  const ColumnEntry* found = entry ? find_row(entry->columns, column) : nullptr;
  if (found) return *found;
  fail("internal error: the dictionary of columns has no ", column, " of ", table);
}

bool is_fixed_column(std::string_view name) {
  constexpr std::string_view kFeature = "FEATURE", kDigits = "0123456789";
  for (const TableEntry& table : column_dictionary()) {
    const bool others = find_row(table.columns, "rank") || find_row(table.columns, "q");  // of no outputs
    if (others || !(find_row(table.columns, kFeature) || find_row(table.columns, "chrom"))) continue;
    for (const ColumnEntry& column : table.columns) {
      std::string_view stem = column.name;
      if (stem == kFeature) continue;
      if (const size_t colon = stem.find(':'); colon != stem.npos) {  // kmers:FEATURE
        if (name.starts_with(stem.substr(0, colon + 1))) return true;
      } else if (column.type == ColumnType::texts) {  // columnN
        stem.remove_suffix(1);
        if (name.starts_with(stem) && name.find_first_not_of(kDigits, stem.size()) == std::string_view::npos)
          return true;
      } else if (name == stem) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace bigdna::io
