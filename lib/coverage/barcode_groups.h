/// Barcodes of cells and the groups that they belong to.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace bigdna::coverage {

/// The barcodes of one group, or of all, in a table (TSV or CSV): the first column is the barcode, the second its
/// group. The first line names the columns, unless it begins with a barcode (bases, maybe with "-" and a number), as in
/// 10x's barcodes.tsv.
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
