#include "genome/bed.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "genome/gff.h"
#include "io/output.h"

namespace bigdna::genome {

struct BedReader::State {
  io::LineReader lines;
  StrandColumn strands = StrandColumn::read;
  std::optional<std::string> first = {};  // already read from `lines`
  std::string taken = {};
  OneBased one_based = {};
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

std::string_view unquoted(std::string_view text) {
  return text.size() > 1 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// What a header line belongs to, if starts count from 1 there; else "".
std::string one_based_table(std::string_view line) {
  if (line.starts_with('#')) line.remove_prefix(1);
  const auto columns = columns_of(line);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(columns, [&](std::string_view column) { return unquoted(column) == name; });
  };
  if (has("seqnames") && has("start")) return "R's GRanges";
  return has("abs_summit") && has("start") ? "MACS's .xls" : "";
}

/// Why the positions of a line may be no numbers. `first`: no record stands before it.
std::string hint_at(std::string_view line, const std::vector<std::string_view>& columns, bool first) {
  const auto is_number = [](std::string_view text) { return parse_number<int64_t>(text).has_value(); };
  if (is_gff(line)) return " (it looks like GTF or GFF)";
  if (line.starts_with('@')) return " (it looks like SAM or an interval_list, whose positions count from 1)";
  if (const auto table = one_based_table(line); first && !table.empty())
    return concat(" (a header line of ", table,
                  ", whose starts count from 1; BED's count from 0: subtract 1 from each)");
  const bool header = first && std::ranges::none_of(columns, [&](std::string_view text) {
                        return is_number(text) || text == "+" || text == "-" || text.starts_with('"');
                      });
  return header ? " (a header line needs a # before it)" : "";
}

/// Whether the line is of BEDPE: columns 4 to 6 are a second interval.
bool is_pair(const std::vector<std::string_view>& columns) {
  const auto start = parse_number<int64_t>(columns[4]), end = parse_number<int64_t>(columns[5]);
  constexpr size_t kLongest = 5;  // chr22: a longer word may be a peak's name
  const bool contig = columns[3] == columns[0] || (columns[3].starts_with("chr") && columns[3].size() <= kLongest);
  return contig && start && end && *start <= *end;
}
}  // namespace

bool is_bed_comment(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  return word.starts_with('#') || word == "track" || word == "browser" ||
         line.find_first_not_of(" \t") == std::string_view::npos;
}

void OneBased::comment(std::string_view line) {
  if (auto table = one_based_table(line); !table.empty()) header_ = std::move(table);
}

void OneBased::add(int64_t length, std::string_view column) {
  if (!widths_) return;  // nothing that follows changes what is known
  const int64_t width = parse_number<int64_t>(column).value_or(-1);
  widths_ = widths_ && width == length + 1;
  if (records_++ == 0) other_width_ = width == length;
}

void OneBased::refuse(const std::string& path) const {
  if (records_ == 0) return;
  const std::string remedy = "BED's count from 0 (subtract 1 from each)";
  if (widths_ && (records_ > 1 || !header_.empty()))
    fail(path,
         ": column 4 is end - start + 1 in every record, so starts count from 1, as in R's GRanges and MACS's "
         ".xls; ",
         remedy);
  if (!header_.empty() && !other_width_)
    log::warn(path, ": its header is that of ", header_, ", whose starts count from 1; ", remedy);
}

bool looks_like_bed(std::string_view line) {
  const auto columns = columns_of(line);
  return columns.size() >= 3 && parse_number<int64_t>(columns[1]) && parse_number<int64_t>(columns[2]);
}

BedReader::BedReader(const std::string& path, StrandColumn strands)
    : state_(new State{io::LineReader(path), strands}) {}
BedReader::BedReader(io::LineReader lines, std::string first, StrandColumn strands)
    : state_(new State{std::move(lines), strands, std::move(first)}) {}
BedReader::~BedReader() = default;
BedReader::BedReader(BedReader&&) noexcept = default;
const std::string& BedReader::path() const { return state_->lines.path(); }

std::optional<BedRecord> BedReader::next() {
  io::LineReader& lines = state_->lines;
  auto line = state_->next();
  const auto where = [&] { return concat(lines.path(), ":", lines.line(), ": "); };
  for (; line && is_bed_comment(*line); line = state_->next()) {
    state_->one_based.comment(*line);
    if (line->starts_with("track") && line->find("type=bedGraph") != std::string_view::npos)
      fail(where(),
           "the file is bedGraph, whose intervals are all of a signal, also where it is 0; regions or peaks in "
           "BED are expected");
  }
  if (!line) {
    std::exchange(state_->one_based, {}).refuse(lines.path());
    return std::nullopt;
  }
  const auto columns = columns_of(*line);
  if (columns.size() < 3)
    fail(where(), "a BED line has at least 3 columns, this one has ", columns.size(),
         line->starts_with('>') ? " (it looks like FASTA)" : "");
  const auto position = [&](std::string_view text, const char* what) {
    const auto value = parse_number<int64_t>(text);
    if (!value)
      fail(where(), what, " '", text, "' is not a number", hint_at(*line, columns, state_->one_based.is_empty()));
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
    if (columns[5] == "+" || columns[5] == "-" || columns[5] == ".")
      record.region.strand = columns[5][0];
    else if (is_pair(columns))
      fail(where(), "columns 4 to 6 are a second interval: pairs (BEDPE) are not read");
    else if (state_->strands == StrandColumn::ignored)
      record.no_strand = columns[5];
    else
      fail(where(), "strand (column 6) is '", columns[5], "', not +, - or . (cut -f1-5 leaves it out)");
  }
  state_->one_based.add(region.length(), columns.size() > 3 ? columns[3] : "");
  for (size_t i = 6; i < columns.size(); ++i) record.extra.emplace_back(columns[i]);
  return record;
}

void SignalCheck::add(const BedRecord& record) {
  const auto& region = record.region;
  numbers_ = numbers_ && record.columns == 4 && parse_number<double>(record.name).has_value();
  touching_ += region.start == end_ && region.contig == contig_;
  ++records_;
  end_ = region.end;
  if (contig_ != region.contig) contig_ = region.contig;
}

bool SignalCheck::is_signal() const {
  constexpr int64_t kLeastShare = 4;  // sparse signals have gaps between stretches of a few records
  return numbers_ && touching_ > 1 && kLeastShare * touching_ > records_;
}

namespace {
/// "1,2,3," or "1,2,3"; nullopt for anything else.
std::optional<std::vector<int64_t>> numbers_of(std::string_view list) {
  if (list.ends_with(',')) list.remove_suffix(1);
  std::vector<int64_t> numbers;
  for (const auto part : io::split(list, ',')) {
    const auto number = parse_number<int64_t>(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}
}  // namespace

std::optional<BedBlocks> blocks_of(const BedRecord& record) {
  if (record.extra.size() <= kBlockStarts) return std::nullopt;
  const auto count = parse_number<int64_t>(record.extra[kBlockCount]);
  auto sizes = numbers_of(record.extra[kBlockSizes]), starts = numbers_of(record.extra[kBlockStarts]);
  if (!count || *count < 1 || !sizes || !starts || std::ssize(*sizes) != *count || std::ssize(*starts) != *count)
    return std::nullopt;
  return BedBlocks{std::move(*sizes), std::move(*starts)};
}

const std::string& summit_text(const BedRecord& record) { return record.extra.at(kSummit); }

bool is_narrow_peak(const BedRecord& record) {
  if (record.extra.size() <= kSummit) return false;
  for (size_t i = 0; i < kSummit; ++i)
    if (!parse_number<double>(record.extra[i])) return false;
  const bool ten = record.columns == 10 && parse_number<int64_t>(summit_text(record));
  return ten || (!blocks_of(record) && (summit_offset(record) || summit_text(record) == kNoSummit));
}

std::optional<int64_t> summit_offset(const BedRecord& record) {
  const auto offset = parse_number<int64_t>(summit_text(record));
  return offset && *offset >= 0 && *offset < record.region.length() ? offset : std::nullopt;
}

bool is_peak_file(const std::string& path) {
  return io::has_suffix(path, {".narrowpeak", ".broadpeak", ".narrowpeak.gz", ".broadpeak.gz"});
}

int64_t centre_of(const BedRecord& record, const std::string& path) {
  const auto& region = record.region;
  const int64_t middle = region.start + region.length() / 2;
  if (!is_narrow_peak(record) && !(is_peak_file(path) && record.extra.size() > kSummit)) return middle;
  const auto summit = summit_offset(record);
  if (const auto& text = summit_text(record); !summit && text != kNoSummit)
    fail(path, ":", record.line, ": column 10, a narrowPeak's summit, is '", text, "', which is no base of the region");
  return summit ? region.start + *summit : middle;
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
  if (record.columns > 5)
    line += record.no_strand.empty() ? concat('\t', record.region.strand) : "\t" + record.no_strand;
  for (const auto& column : record.extra) line += '\t' + column;
  return line;
}

std::vector<BedRecord> read_bed(const std::string& path, StrandColumn strands) {
  BedReader reader(path, strands);
  std::vector<BedRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

}  // namespace bigdna::genome
