#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "coverage/record_readers.h"
#include "genome/assemblies.h"
#include "genome/bed.h"
#include "genome/gff.h"
#include "io/delimited.h"

namespace bigdna::coverage {

namespace {
constexpr size_t kMostColumns = 12;

/// The first columns of a line, separated by tabs, or by blanks in a line without tabs. Empty ones at its end are none.
struct Columns {
  std::array<std::string_view, kMostColumns> fields;
  size_t count = 0;
  std::string_view operator[](size_t i) const { return i < count ? fields[i] : std::string_view(); }
  void split(std::string_view line) {
    count = 0;
    const char separator = line.find('\t') == line.npos ? ' ' : '\t';
    for (size_t at = 0; at <= line.size() && count < kMostColumns;) {
      const size_t end = std::min(line.find(separator, at), line.size());
      if (separator == '\t' || end > at) fields[count++] = line.substr(at, end - at);
      at = end + 1;
    }
    while (count > 0 && fields[count - 1].empty()) --count;
  }
};

bool is_whole(std::string_view text) { return parse_number<int64_t>(text).has_value(); }
bool is_strand(std::string_view text) { return text == "+" || text == "-" || text == "."; }

/// Whether a fourth column is a signal's, maybe a missing one; "." is a name.
bool is_value(std::string_view text) {
  return parse_number<double>(text) || (text.find_first_not_of(".-?") != text.npos && io::is_missing_word(text));
}

/// "1,5", as a spreadsheet may write 1.5.
bool has_decimal_comma(std::string_view text) {
  const size_t comma = text.find(',');
  std::string number(text);
  if (comma != text.npos) number[comma] = '.';
  return comma != text.npos && text.find('.') == text.npos && parse_number<double>(number);
}

/// Whether a line has words where a record has its start and end.
bool is_header(const Columns& columns) {
  const auto is_word = [](std::string_view text) {
    return !text.empty() && ((text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z'));
  };
  return columns.count >= 3 && is_word(columns[1]) && is_word(columns[2]);
}

/// Whether columns 4 and 5 are two numbers of a signal, as of two tracks in one table. A barcode is no number, and a
/// width has an error of its own (genome::OneBased).
bool has_two_values(const Columns& columns) {
  const auto start = parse_number<int64_t>(columns[1]), end = parse_number<int64_t>(columns[2]),
             width = parse_number<int64_t>(columns[3]);
  return columns.count == 5 && parse_number<double>(columns[3]) && parse_number<double>(columns[4]) &&
         !(start && end && width == *end - *start + 1);
}

/// By the first record of a file; nullopt if it is none that is read.
std::optional<Kind> kind_of(const Columns& columns) {
  if (columns.count < 3 || !is_whole(columns[1]) || !is_whole(columns[2])) return std::nullopt;
  if (columns.count >= 6 && is_whole(columns[4]) && is_whole(columns[5])) return Kind::pairs;
  if (columns.count == 4 && is_value(columns[3])) return Kind::bedgraph;
  if (columns.count == 5 && is_whole(columns[4])) return Kind::fragments;
  if (columns.count >= 6 && (columns[5] == "+" || columns[5] == "-")) return Kind::reads;
  if (columns.count < 6 || columns[5] == ".") return Kind::intervals;
  return std::nullopt;
}

class TextRecords {
 public:
  TextRecords(io::LineReader lines, const Contigs& contigs, Records& to)
      : lines_(std::move(lines)), contigs_(contigs), to_(to) {}

  void read() {
    bool bedgraph = false;  // a track line says so
    while (const auto line = lines_.next()) {
      if (genome::is_bed_comment(*line)) {
        bedgraph |= line->starts_with("track") && line->find("type=bedGraph") != line->npos;
        one_based_.comment(*line);
        continue;
      }
      columns_.split(*line);
      if (!kind_) begin(*line, bedgraph);
      record();
    }
    if (!kind_) fail(lines_.path(), ": has no record");
    one_based_.refuse(lines_.path());
    warn_of_starts_from_1();
    warn_of_counted_places();
    if (*kind_ == Kind::pairs && !has_mates_)
      fail(lines_.path(), ": has numbers in columns 5 and 6, as BEDPE has, but column 4 is never a contig of ",
           contigs_.source());
    if (known_ == 0)
      fail(lines_.path(), ": no record lies on a contig of ", contigs_.source(), ": the file has ", contig_,
           " and maybe others, ", contigs_.source(), " ", contigs_.all().front().name);
  }

 private:
  [[noreturn]] void bad(const auto&... cause) const { fail(lines_.path(), ":", lines_.line(), ": ", cause...); }

  void begin(std::string_view line, bool bedgraph) {
    kind_ = kind_of(columns_);
    if (columns_.count == 4 && (bedgraph || has_decimal_comma(columns_[3]))) kind_ = Kind::bedgraph;
    if (has_two_values(columns_))
      bad("columns 4 and 5 are numbers, so this is neither a fragment file, whose column 4 is a barcode, nor bedGraph, "
          "whose only value is in column 4 (cut -f1-4 leaves the first value, cut -f1-3 the intervals)");
    if (!kind_)
      bad("is not a line of BED, BEDPE, a fragment file or bedGraph",
          genome::is_gff(line)  ? " (it looks like GTF or GFF)"
          : is_header(columns_) ? " (it looks like a header: begin it with #, or remove it)"
                                : "");
    if (*kind_ == Kind::fragments || *kind_ == Kind::bedgraph || *kind_ == Kind::intervals) width_ = columns_.count;
    if (*kind_ == Kind::reads || *kind_ == Kind::pairs) width_ = 6;
    to_.begin(*kind_);
  }

  int64_t position(size_t column, const char* what) const {
    const auto value = parse_number<int64_t>(columns_[column]);
    if (!value) bad(what, " '", columns_[column], "' is not a number");
    return *value;
  }

  /// Whether the contig is known; sets `number_`.
  bool find_contig(std::string_view name) {
    if (name != contig_ || !looked_up_) {
      contig_ = name;
      number_ = contigs_.find(name);
      mitochondrial_ = is_mitochondrial(name);
      looked_up_ = true;
    }
    known_ += number_.has_value();
    return number_.has_value();
  }

  void check(int64_t start, int64_t end) const {
    if (start < 0) bad("start ", start, " is negative");
    if (end < start) bad("end ", end, " is before start ", start);
    if (number_ && end > contigs_[*number_].length)
      bad("end ", end, " is past the end of ", genome::contig_and_length(contig_, contigs_[*number_].length));
  }

  void record() {
    if (columns_.count < width_) bad(columns_.count, " columns; the first record has at least ", width_);
    Read read;
    read.start = position(1, "start");
    read.end = position(2, "end");
    const bool known = find_contig(columns_[0]);
    if (*kind_ == Kind::pairs) {
      pair(read);
      return;
    }
    check(read.start, read.end);
    if (*kind_ != Kind::reads) one_based_.add(read.end - read.start, columns_[3]);
    if (*kind_ == Kind::bedgraph) {
      value(read.start, read.end);
      return;
    }
    if (known)
      read.contig = *number_;
    else
      read.state = Read::State::other_contig;
    read.mitochondrial = mitochondrial_;
    if (columns_.count > 5) {
      if (!is_strand(columns_[5])) bad("strand (column 6) is '", columns_[5], "', not +, - or .");
      read.strand = columns_[5][0];
      if (*kind_ == Kind::reads && read.strand == '.') bad("a read without a strand, and the first one has a strand");
      if (*kind_ == Kind::intervals && read.strand != '.') bad("an interval with a strand, and the first one has none");
    }
    if (*kind_ == Kind::fragments) {
      read.count = position(4, "count (column 5)");
      if (read.count < 1) bad("a fragment cannot be counted ", read.count, " times");
    } else {
      set_mapq(columns_[4], read);
    }
    if (*kind_ == Kind::reads) look_for_counts(read);
    read.barcode = columns_[3];
    if (columns_.count == kMostColumns && *kind_ == Kind::reads) set_blocks(read);
    to_.read(read);
  }

  /// Whether records may be places with the number of reads in column 5, as CTSS files of CAGE and bedMethyl have them:
  /// 1 bp long, never twice at one place.
  void look_for_counts(const Read& read) {
    if (!counted_places_) return;
    const auto place = std::pair(read.start, read.strand);
    counted_places_ = read.end - read.start == 1 && place != place_;
    place_ = place;
    if (score_.empty()) score_ = columns_[4];
    scores_differ_ |= score_ != columns_[4];
  }

  void warn_of_counted_places() const {
    if (*kind_ == Kind::reads && counted_places_ && scores_differ_)
      log::warn(lines_.path(), ": every record is 1 bp long and column 5 differs between records. Each counts once: ",
                "column 5 is taken for a mapping quality. If it is a number of reads, as in CTSS and bedMethyl files, ",
                "make a bedGraph of each strand (awk '$6==\"+\"' FILE | cut -f1-3,5)");
  }

  void set_mapq(std::string_view score, Read& read) const {
    const auto quality = parse_number<int>(score);
    if (quality && *quality >= 0 && *quality <= 255) read.mapq = *quality;
  }

  /// Of BED with 12 columns: the exons of a spliced read.
  void set_blocks(Read& read) {
    const auto sizes = io::split(columns_[10], ','), starts = io::split(columns_[11], ',');
    const int64_t count = position(9, "number of blocks (column 10)");
    if (count < 1 || std::ssize(sizes) < count || std::ssize(starts) < count) bad("columns 10 to 12 are not blocks");
    blocks_.clear();
    for (int64_t i = 0; i < count; ++i) {
      const auto size = parse_number<int64_t>(sizes[static_cast<size_t>(i)]);
      const auto start = parse_number<int64_t>(starts[static_cast<size_t>(i)]);
      if (!size || !start || *size < 0 || *start < 0 || read.start + *start + *size > read.end)
        bad("columns 10 to 12 are not blocks within the record");
      blocks_.emplace_back(read.start + *start, read.start + *start + *size);
    }
    if (count > 1) read.blocks = blocks_;
  }

  /// Of bedtools' BEDPE: columns 1 to 3 and 4 to 6 are the two reads, 9 and 10 their strands.
  void pair(Read& read) {
    const int64_t start = position(4, "start of the second read"), end = position(5, "end of the second read");
    has_mates_ = has_mates_ || columns_[3] == "." || contigs_.find(columns_[3]).has_value();
    if (columns_[0] != columns_[3] || read.start < 0 || start < 0) {
      read.state = Read::State::no_pair;
    } else {
      read.start = std::min(read.start, start);
      read.end = std::max(read.end, end);
      check(read.start, read.end);
      if (!number_) read.state = Read::State::other_contig;
    }
    read.contig = number_.value_or(0);
    read.mitochondrial = mitochondrial_;
    set_mapq(columns_[7], read);
    if (const auto strand = columns_[8]; strand == "+" || strand == "-") read.strand = strand[0];
    to_.read(read);
  }

  void value(int64_t start, int64_t end) {
    const auto value = parse_number<double>(columns_[3]);
    if (!value || !std::isfinite(*value))
      bad("value '", columns_[3], "' is not a finite number",
          has_decimal_comma(columns_[3]) ? " (decimal commas are not read)" : "");
    if (!number_) return;
    if (reached_.size() <= *number_) reached_.resize(contigs_.all().size(), 0);
    int64_t& reached = reached_[*number_];
    if (reached > 0) {
      ++neighbours_;
      touching_ += start == reached;
      one_off_ += start == reached + 1;
    }
    if (start < reached)
      bad("the interval overlaps or precedes the one before it; bedGraph must be sorted (sort -k1,1 -k2,2n)");
    reached = end;
    if (start < end) to_.value(*number_, start, end, static_cast<float>(*value));
  }

  /// Records of a signal follow each other without a gap, but for stretches of 0.
  void warn_of_starts_from_1() const {
    constexpr int64_t kFewest = 10;
    if (neighbours_ >= kFewest && touching_ == 0 && 2 * one_off_ > neighbours_)
      log::warn(lines_.path(), ": ", one_off_, " of ", counted(neighbours_, "record"),
                " begin one base behind the end of the one before, and none at it: do starts count from 1? "
                "bedGraph's count from 0");
  }

  io::LineReader lines_;
  const Contigs& contigs_;
  Records& to_;
  Columns columns_;
  std::optional<Kind> kind_;
  size_t width_ = 3;  // columns that every record has
  genome::OneBased one_based_;
  std::string contig_;
  bool looked_up_ = false, mitochondrial_ = false;
  std::optional<uint32_t> number_;
  int64_t known_ = 0;                                    // records on contigs that are counted on
  std::vector<int64_t> reached_;                         // of bedGraph, by contig: the end of the interval before
  int64_t neighbours_ = 0, touching_ = 0, one_off_ = 0;  // of bedGraph: records behind another one
  std::vector<std::pair<int64_t, int64_t>> blocks_;
  bool has_mates_ = false;                              // of pairs: a record's second read lies on a contig, or nowhere
  bool counted_places_ = true, scores_differ_ = false;  // of reads: look_for_counts()
  std::pair<int64_t, char> place_{-1, '.'};
  std::string score_;
};
}  // namespace

void read_text(io::Input input, const std::string& path, const Contigs& contigs, int threads, Records& to) {
  TextRecords(io::LineReader(std::move(input), path, threads), contigs, to).read();
}

}  // namespace bigdna::coverage
