#include "genome/bed.h"

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "genome/gff.h"

namespace bigdna::genome {

struct BedReader::State {
  io::LineReader lines;
  std::optional<std::string> first = {};  // already read from `lines`
  std::string taken = {};
  bool any = false;  // whether a record was read
  std::optional<std::string_view> next() {
    if (!first) return lines.next();
    taken = std::move(*first);
    first.reset();
    return taken;
  }
};

namespace {
/// The columns, separated by tabs, or by runs of blanks in a line without tabs.
std::vector<std::string_view> columns_of(std::string_view line) {
  if (line.find('\t') != std::string_view::npos) return io::split(line);
  auto columns = io::split(line, ' ');
  std::erase(columns, "");
  return columns;
}

/// Why the positions of a line may be no numbers. `first`: no record stands before it.
const char* hint_at(std::string_view line, const std::vector<std::string_view>& columns, bool first) {
  const auto is_number = [](std::string_view text) { return parse_number<int64_t>(text).has_value(); };
  if (is_gff(line)) return " (it looks like GTF or GFF)";
  const bool header = first && std::ranges::none_of(columns, [&](std::string_view text) {
                        return is_number(text) || text == "+" || text == "-" || text.starts_with('"');
                      });
  return header ? " (a header line needs a # before it)" : "";
}
}  // namespace

bool is_bed_comment(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  return word.starts_with('#') || word == "track" || word == "browser" ||
         line.find_first_not_of(" \t") == std::string_view::npos;
}

bool looks_like_bed(std::string_view line) {
  const auto columns = columns_of(line);
  return columns.size() >= 3 && parse_number<int64_t>(columns[1]) && parse_number<int64_t>(columns[2]);
}

BedReader::BedReader(const std::string& path) : state_(new State{io::LineReader(path)}) {}
BedReader::BedReader(io::LineReader lines, std::string first) : state_(new State{std::move(lines), std::move(first)}) {}
BedReader::~BedReader() = default;
BedReader::BedReader(BedReader&&) noexcept = default;
const std::string& BedReader::path() const { return state_->lines.path(); }

std::optional<BedRecord> BedReader::next() {
  io::LineReader& lines = state_->lines;
  auto line = state_->next();
  const auto where = [&] { return concat(lines.path(), ":", lines.line(), ": "); };
  for (; line && is_bed_comment(*line); line = state_->next())
    if (line->starts_with("track") && line->find("type=bedGraph") != std::string_view::npos)
      fail(where(),
           "the file is bedGraph, whose intervals are all of a signal, also where it is 0; regions or peaks in "
           "BED are expected");
  if (!line) return std::nullopt;
  const auto columns = columns_of(*line);
  if (columns.size() < 3)
    fail(where(), "a BED line has at least 3 columns, this one has ", columns.size(),
         line->starts_with('>') ? " (it looks like FASTA)" : "");
  const auto position = [&](std::string_view text, const char* what) {
    const auto value = parse_number<int64_t>(text);
    if (!value) fail(where(), what, " '", text, "' is not a number", hint_at(*line, columns, !state_->any));
    return *value;
  };
  BedRecord record;
  record.line = lines.line();
  record.columns = static_cast<int>(columns.size());
  record.region = {std::string(columns[0]), position(columns[1], "start"), position(columns[2], "end"), '.'};
  const Region& region = record.region;
  if (region.contig.empty()) fail(where(), "the contig's name is empty");
  if (region.start < 0) fail(where(), "start ", region.start, " is negative");
  if (region.end < region.start) fail(where(), "end ", region.end, " is before start ", region.start);
  if (region.end > kMostPosition) fail(where(), "end ", region.end, " is longer than any contig");
  if (columns.size() > 3) record.name = columns[3];
  if (columns.size() > 4) record.score = columns[4];
  if (columns.size() > 5) {
    if (columns[5] != "+" && columns[5] != "-" && columns[5] != ".")
      fail(where(), "strand (column 6) is '", columns[5], "', not +, - or .");
    record.region.strand = columns[5][0];
  }
  state_->any = true;
  for (size_t i = 6; i < columns.size(); ++i) record.extra.emplace_back(columns[i]);
  return record;
}

bool EmptyIntervals::add(const BedRecord& record) {
  if (record.region.length() != 0) return false;
  if (count_++ == 0) line_ = record.line;
  return true;
}

void EmptyIntervals::warn(const std::string& path, const char* fate) const {
  if (count_ == 0) return;
  const std::string more = count_ == 1 ? "" : concat("; ", count_ - 1, " more ", count_ == 2 ? "is" : "are", " empty");
  log::warn(path, ":", line_, ": ", kEmptyInterval, " and ", fate, more);
}

void MissingStrands::add(const BedRecord& record, bool decides) {
  const auto is_strand = [](const std::string& text) { return text == "+" || text == "-"; };
  ++records_;
  if (record.region.strand != '.') return;
  const int misplaced = is_strand(record.score) ? 5 : is_strand(record.name) ? 4 : 0;
  if (!decides && !misplaced) return;
  if (missing_++ == 0) line_ = record.line;
  if (!misplaced_) misplaced_ = misplaced;
}

void MissingStrands::warn(const std::string& path, const std::string& what, const char* fate) const {
  if (missing_ == 0) return;
  const std::string hint =
      misplaced_ ? concat("; column ", misplaced_, " holds + or -: is it the strand? BED has it in column 6") : "";
  log::warn(path, ":", line_, ": ", missing_, " of ", counted(records_, what),
            missing_ == 1 ? " has no strand (column 6) and is " : " have no strand (column 6) and are ", fate, hint);
}

std::string to_line(const BedRecord& record) {
  std::string line = concat(record.region.contig, '\t', record.region.start, '\t', record.region.end);
  if (record.columns > 3) line += '\t' + record.name;
  if (record.columns > 4) line += '\t' + record.score;
  if (record.columns > 5) line += concat('\t', record.region.strand);
  for (const auto& column : record.extra) line += '\t' + column;
  return line;
}

std::vector<BedRecord> read_bed(const std::string& path) {
  BedReader reader(path);
  std::vector<BedRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

}  // namespace bigdna::genome
