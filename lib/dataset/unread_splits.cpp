#include "dataset/unread_splits.h"

#include "base/log.h"
#include "dataset/table_rows.h"

namespace bigdna::dataset {

UnreadSplits::UnreadSplits(const std::vector<std::string>& columns, const std::set<int>& read) {
  for (size_t at = 0; at < columns.size(); ++at)
    if (!read.contains(static_cast<int>(at))) columns_.push_back({columns[at], at, true, {}});
}

void UnreadSplits::add(const std::vector<std::string>& fields) {
  for (auto& column : columns_)
    if (column.splits && (column.splits = split_of_word(fields[column.at]).has_value()))
      column.words.insert(fields[column.at]);
}

void UnreadSplits::warn(const std::string& path) const {
  for (const auto& column : columns_)
    if (column.splits && !column.words.empty())
      log::warn(path, ": column ", column.name, " holds a split in every row (", *column.words.begin(),
                column.words.size() > 1 ? " ..." : "", "), and is not read: --split-column ", column.name, " reads it");
}

}  // namespace bigdna::dataset
