/// Columns of a table that hold splits, and are not read.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace bigdna::dataset {

class UnreadSplits {
 public:
  /// `read`: the places of the columns that are read.
  UnreadSplits(const std::vector<std::string>& columns, const std::set<int>& read);
  /// A row's fields.
  void add(const std::vector<std::string>& fields);
  /// Warns of each column that has a split's word in every row.
  void warn(const std::string& path) const;

 private:
  struct Column {
    std::string name;
    size_t at = 0;
    bool splits = true;
    std::set<std::string> words;
  };
  std::vector<Column> columns_;
};

}  // namespace bigdna::dataset
