/// BED: plain, gzip, BGZF, xz or stdin. 0-based half-open; `#`, track, browser and blank lines are skipped, but that of
/// bedGraph is an error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "genome/region.h"
#include "io/lines.h"

namespace bigdna::genome {

struct BedRecord {
  Region region;                   // strand from column 6, else '.'
  std::string no_strand;           // column 6 as written, where it is no strand (StrandColumn::ignored)
  std::string name;                // column 4, else ""
  std::string score;               // column 5 as written, else ""
  std::vector<std::string> extra;  // columns 7 and up, as written
  int64_t line = 0;                // 1-based, for messages
  int columns = 3;                 // number of columns that were read
};
/// The record as a line of as many columns as were read, without the line end.
std::string to_line(const BedRecord& record);

/// Whether column 6 is a strand. Where it is ignored it may hold anything, as SEACR's and SICER's peaks have.
enum class StrandColumn { read, ignored };

/// Columns are separated by tabs, or by blanks in a line without tabs. Errors read "FILE:LINE: cause": fewer than 3
/// columns, not a number, end before start, negative start, a strand that is not + - or '.', pairs (BEDPE). At the end
/// of the file: "FILE: cause" for starts that count from 1, which column 4 tells, if it is end - start + 1 in every
/// record (R's GRanges, MACS's .xls).
class BedReader {
 public:
  explicit BedReader(const std::string& path, StrandColumn strands = StrandColumn::read);  // "-" is stdin
  /// Continues where `lines` is; `first` is the line last read from it.
  BedReader(io::LineReader lines, std::string first, StrandColumn strands = StrandColumn::read);
  ~BedReader();
  BedReader(BedReader&&) noexcept;
  const std::string& path() const;  // for messages: "stdin" for "-"
  std::optional<BedRecord> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What tells tables whose starts count from 1 from BED: their header, and a column 4 that is end - start + 1.
class OneBased {
 public:
  /// A line before the records that is_bed_comment().
  void comment(std::string_view line);
  /// A record of end - start `length`, and its column 4 ("" without one).
  void add(int64_t length, std::string_view column);
  bool is_empty() const { return records_ == 0; }
  /// At the end of the file: error if column 4 is the width in every record (of one record, if the header says so,
  /// too); a warning if the header alone says so.
  void refuse(const std::string& path) const;

 private:
  std::string header_;  // of R's GRanges or MACS, if it has been read
  int64_t records_ = 0;
  bool widths_ = true;        // column 4 is end - start + 1 in every record
  bool other_width_ = false;  // column 4 is end - start in the first
};

/// Places of columns in BedRecord::extra: of BED's thick part and blocks, and of narrowPeak's summit.
inline constexpr size_t kThickStart = 0, kThickEnd = 1, kBlockCount = 3, kBlockSizes = 4, kBlockStarts = 5, kSummit = 3;

/// Sizes, and starts counted from the record's.
struct BedBlocks {
  std::vector<int64_t> sizes, starts;
};
/// Columns 10 to 12 where they are a count of 1 or more and two lists of so many numbers, whatever these are.
std::optional<BedBlocks> blocks_of(const BedRecord& record);

/// Whether columns 7 to 10 are narrowPeak's: three numbers and a summit. Further columns may follow (IDR writes 20);
/// then column 10 has to be a base of the record or kNoSummit, and columns 7 to 12 are not BED's thick part and blocks.
bool is_narrow_peak(const BedRecord& record);
/// Of a narrowPeak, the summit (column 10): bases from the record's start. nullopt if it is no base of the record, such
/// as kNoSummit.
std::optional<int64_t> summit_offset(const BedRecord& record);
inline constexpr std::string_view kNoSummit = "-1";
/// Column 10 as it is written; only of a record that has it.
const std::string& summit_text(const BedRecord& record);
/// Whether a file's name says that its columns from the seventh on are those of narrowPeak or broadPeak.
bool is_peak_file(const std::string& path);
/// The base that windows around a record lie around: the summit of a narrowPeak that names one, otherwise the middle.
/// Error naming file and line if the summit lies outside the region.
int64_t centre_of(const BedRecord& record, const std::string& path);

inline constexpr const char* kEmptyInterval = "the interval is empty (end = start)";

/// Records of a file that have no bases, of which one warning names the first.
class EmptyIntervals {
 public:
  /// Whether the record is one; counts it.
  bool add(const BedRecord& record);
  /// If there were any: "FILE:LINE: the interval is empty (end = start) and FATE; 2 more are empty".
  void warn(const std::string& path, const char* fate = "is ignored") const;

 private:
  int64_t line_ = 0, count_ = 0;
};

/// Records of a file that have no strand, and are read on +: one warning counts them and names the first, and the
/// column that seems to hold the strand instead.
class MissingStrands {
 public:
  /// Counts a record. `decides`: whether the strand decides what is read; else the record counts as one without a
  /// strand only if its name or score is + or -.
  void add(const BedRecord& record, bool decides);
  /// If there were any: "FILE:LINE: 2 of 3 intervals have no strand (column 6) and are taken as +; ...". `what`: what a
  /// record is.
  void warn(const std::string& path, const std::string& what = "interval", const char* fate = "taken as +") const;

 private:
  int64_t records_ = 0, missing_ = 0, line_ = 0;
  int misplaced_ = 0;  // the column of the first record that looks like a strand; 0: none
};

/// Tells bedGraph, whatever it is called: four columns, of which the last is a number, and records that begin where the
/// one above ends. Peaks and regions do not touch each other.
class SignalCheck {
 public:
  void add(const BedRecord& record);
  bool is_signal() const;

 private:
  std::string contig_;
  int64_t end_ = -1, records_ = 0, touching_ = 0;
  bool numbers_ = true;  // in the last of four columns, so far
};

/// Whether it is a `#`, track, browser or blank line.
bool is_bed_comment(std::string_view line);

/// Whether the first three columns are a word and two numbers: for messages about another format.
bool looks_like_bed(std::string_view line);

/// All records of the file.
std::vector<BedRecord> read_bed(const std::string& path, StrandColumn strands = StrandColumn::read);

}  // namespace bigdna::genome
