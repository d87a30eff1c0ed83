#include "coverage/barcode_groups.h"

#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "io/delimited.h"
#include "io/lines.h"

namespace bigdna::coverage {

namespace {
/// ACGTACGT, or ACGTACGT-1: what no column is called.
bool is_barcode(std::string_view text) {
  constexpr size_t kShortest = 6;
  const size_t bases = std::min(text.find_first_not_of("ACGTN"), text.size());
  const auto suffix = text.substr(bases);
  return bases >= kShortest && (suffix.empty() || (suffix[0] == '-' && parse_number<int64_t>(suffix.substr(1))));
}
}  // namespace

BarcodeGroup::BarcodeGroup(const std::string& path, const std::string& group) : path_(path) {
  io::DelimitedReader table(io::LineReader(path), std::nullopt);
  if (table.columns().size() < 2 && !group.empty())
    fail(path, ": has one column; the second one holds the groups of the barcodes");
  std::unordered_map<std::string, std::string> groups;
  std::set<std::string> names;
  auto row = is_barcode(table.columns()[0]) ? std::optional(table.columns()) : table.next();
  for (; row; row = table.next()) {
    const std::string of = row->size() > 1 ? (*row)[1] : "";
    const auto [found, added] = groups.emplace((*row)[0], of);
    if (!added && found->second != of)
      fail(path, ":", table.line(), ": barcode ", (*row)[0], " is in two groups, ", found->second, " and ", of);
    if (names.size() < 20) names.insert(of);
    if (group.empty() || of == group) barcodes_.insert((*row)[0]);
  }
  if (barcodes_.empty())
    fail(path, ": has no barcode",
         group.empty() ? "" : concat(" of group ", group, " (", listed({names.begin(), names.end()}), ")"));
}

}  // namespace bigdna::coverage
