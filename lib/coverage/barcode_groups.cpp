#include "coverage/barcode_groups.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/table.h"
#include "io/delimited.h"
#include "io/lines.h"

namespace bigdna::coverage {

namespace {
/// With each run of digits as one 0, and each run of six or more bases as one N.
std::string shape_of(std::string_view text) {
  constexpr size_t kFewestBases = 6;
  std::string shape;
  while (!text.empty()) {
    const size_t bases = std::min(text.find_first_not_of("ACGTN"), text.size());
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const size_t taken = bases >= kFewestBases ? bases : std::max<size_t>(digits, 1);
    shape += bases >= kFewestBases ? 'N' : digits > 0 ? '0' : text[0];
    text.remove_prefix(taken);
  }
  return shape;
}

/// Whether the first row of a table is a barcode, and no header: it holds bases (ACGTACGT-1, Sample#ACGTACGT-1), or
/// digits where the next row has digits (cell_1).
bool is_barcode(const std::string& first, const std::string& next) {
  const auto shape = shape_of(first);
  return shape.find('N') != shape.npos || (shape.find('0') != shape.npos && shape == shape_of(next));
}
}  // namespace

BarcodeGroup::BarcodeGroup(const std::string& path, const std::string& group) : path_(path) {
  io::DelimitedReader table(io::LineReader(path), std::nullopt);
  if (table.columns().size() < 2 && !group.empty())
    fail(path, ": has one column; the second one holds the groups of the barcodes");
  std::unordered_map<std::string, std::string> groups;
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& row) {
    const std::string of = row.size() > 1 ? row[1] : "";
    const auto [found, added] = groups.emplace(row[0], of);
    if (!added && found->second != of)
      fail(path, ":", table.line(), ": barcode ", row[0], " is in two groups, ", found->second, " and ", of);
    if (names.size() < 20) names.insert(of);
    if (group.empty() || of == group) barcodes_.insert(row[0]);
  };
  auto row = table.next();
  if (is_barcode(table.columns()[0], row ? row->front() : "")) add(table.columns());
  for (; row; row = table.next()) add(*row);
  if (barcodes_.empty())
    fail(path, ": has no barcode",
         group.empty() ? "" : concat(" of group ", group, " (", listed({names.begin(), names.end()}), ")"));
}

}  // namespace bigdna::coverage
