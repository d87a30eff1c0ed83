/// Barcodes of cells and the groups that they belong to.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace bigdna::coverage {

/// The barcodes of one group, or of all, in a table (TSV or CSV) whose first line names the columns: the first column
/// is the barcode, the second its group.
class BarcodeGroup {
 public:
  /// `group` "": all barcodes. Errors name file and line: no second column, a barcode in two groups, no such group.
  BarcodeGroup(const std::string& path, const std::string& group);
  bool contains(std::string_view barcode) const { return barcodes_.contains(std::string(barcode)); }
  const std::string& path() const { return path_; }
  const std::string& example() const { return *barcodes_.begin(); }

 private:
  std::string path_;
  std::unordered_set<std::string> barcodes_;
};

}  // namespace bigdna::coverage
