#include "dataset/table_positions.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "genome/bed.h"

namespace bigdna::dataset {

namespace {
/// Tables whose positions count from 1, by their first column, which is followed by Chr, Start, End and Strand.
struct OneBasedTable {
  std::string_view first, words;
};
constexpr OneBasedTable kOneBasedTables[] = {{"PeakID", "HOMER writes such tables"},
                                             {"GeneID", "featureCounts' SAF has these columns"}};

std::string_view one_based_table(const std::vector<std::string>& columns) {
  constexpr std::string_view kNext[] = {"Chr", "Start", "End", "Strand"};
  if (columns.size() <= std::size(kNext) || !std::equal(std::begin(kNext), std::end(kNext), columns.begin() + 1))
    return "";
  for (const auto& table : kOneBasedTables)
    if (columns[0].starts_with(table.first)) return table.words;
  return "";
}
}  // namespace

TablePositions::TablePositions(const io::DelimitedReader& reader, size_t contig)
    : path_(reader.path()), contig_(reader.columns()[contig]), one_based_(one_based_table(reader.columns())) {
  widths_.push_back({std::nullopt, "the length of the sequence", true});
  for (size_t i = 0; i < reader.columns().size(); ++i) {
    std::string name = reader.columns()[i];
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool named = std::ranges::any_of(std::array{"width", "len", "size"},
                                           [&](const char* word) { return name.find(word) != name.npos; });
    widths_.push_back({i, concat("the column ", reader.columns()[i]), named});
  }
}

void TablePositions::add(const TableRow& row, const std::vector<std::string>& fields) {
  const int64_t written = row.place->length();
  for (auto& width : widths_) {
    if (!width.closed && !width.half_open) continue;
    if (width.column ? io::is_missing_word(fields[*width.column]) : row.sequence.empty()) continue;
    const auto bases = width.column ? parse_number<int64_t>(fields[*width.column]) : std::ssize(row.sequence);
    width.differs |= width.first && bases != width.first;
    width.first = width.first ? width.first : bases;
    width.closed = width.closed && bases == written + 1;
    width.half_open = width.half_open && bases == written;
  }
}

void TablePositions::settle(std::span<TableRow> rows, std::span<const std::string> places) const {
  if (rows.empty()) return;
  const auto closed = std::ranges::find_if(widths_, [](const Width& width) { return width.closed && width.tells(); });
  const bool told = closed != widths_.end() ||
                    std::ranges::any_of(widths_, [](const Width& width) { return width.half_open && width.tells(); });
  const bool of_r = io::equal_words(contig_, "seqnames");
  const bool from_one = told ? closed != widths_.end() : of_r || !one_based_.empty();
  const std::string why = told && from_one ? concat(closed->what, " is end - start + 1 in every row")
                          : of_r           ? concat("a table of R has the column ", contig_)
                                           : std::string(one_based_);
  int64_t other_lengths = 0;
  std::string first_other;
  for (size_t i = 0; i < rows.size(); ++i) {
    auto& region = *rows[i].place;
    const int64_t start = region.start;
    if (from_one && start == 0) fail(places[i], ": start 0, but positions are 1-based: ", why);
    region.start -= from_one;
    if (region.end == region.start) fail(places[i], ": ", genome::kEmptyInterval);
    if (region.end < region.start) fail(places[i], ": end ", region.end, " is not after start ", start);
    const auto bases = std::ssize(rows[i].sequence);
    if (bases == 0 || bases == region.length() || other_lengths++) continue;
    first_other = concat(places[i], ": the sequence has ", bases, " bp, and its interval ", region.length(), " bp");
  }
  if (other_lengths)
    log::warn(first_other, ", as in ", counted(other_lengths, "row"), " of ", rows.size(),
              ": the sequence is used, and the interval only for splits");
  if (!from_one) return;
  const std::string said = concat(path_, ": positions are read as 1-based and closed: ", why,
                                  told ? "" : concat(" (call ", contig_, " chrom if they are 0-based and half-open)"));
  told ? log::info(said) : log::warn(said);
}

}  // namespace bigdna::dataset
