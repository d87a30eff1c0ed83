#include "dataset/table_positions.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "genome/bed.h"

namespace bigdna::dataset {

TablePositions::TablePositions(const io::DelimitedReader& reader, size_t contig)
    : path_(reader.path()), contig_(reader.columns()[contig]) {
  for (size_t i = 0; i < reader.columns().size(); ++i) {
    std::string name = reader.columns()[i];
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool named = std::ranges::any_of(std::array{"width", "len", "size"},
                                           [&](const char* word) { return name.find(word) != name.npos; });
    widths_.push_back({i, reader.columns()[i], named});
  }
}

void TablePositions::add(const genome::Region& written, const std::vector<std::string>& fields) {
  for (auto& width : widths_) {
    if ((!width.closed && !width.half_open) || io::is_missing_word(fields[width.column])) continue;
    const auto bases = parse_number<int64_t>(fields[width.column]);
    width.differs |= width.first && bases != width.first;
    width.first = width.first ? width.first : bases;
    width.closed = width.closed && bases == written.length() + 1;
    width.half_open = width.half_open && bases == written.length();
  }
}

void TablePositions::settle(std::span<TableRow> rows, std::span<const std::string> places) const {
  if (rows.empty()) return;
  const auto closed = std::ranges::find_if(widths_, [](const Width& width) { return width.closed && width.tells(); });
  const bool told = closed != widths_.end() ||
                    std::ranges::any_of(widths_, [](const Width& width) { return width.half_open && width.tells(); });
  const bool from_one = told ? closed != widths_.end() : io::equal_words(contig_, "seqnames");
  const std::string why = told && from_one ? concat("the column ", closed->name, " is end - start + 1 in every row")
                                           : concat("a table of R has the column ", contig_,
                                                    " (call it chrom if they are 0-based and half-open)");
  for (size_t i = 0; i < rows.size(); ++i) {
    auto& region = *rows[i].place;
    const int64_t start = region.start;
    if (from_one && start == 0) fail(places[i], ": start 0, but positions are 1-based: ", why);
    region.start -= from_one;
    if (region.end == region.start) fail(places[i], ": ", genome::kEmptyInterval);
    if (region.end < region.start) fail(places[i], ": end ", region.end, " is not after start ", start);
  }
  if (!from_one) return;
  const std::string said = concat(path_, ": positions are read as 1-based and closed: ", why);
  told ? log::info(said) : log::warn(said);
}

}  // namespace bigdna::dataset
