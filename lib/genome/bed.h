/// BED: plain, gzip, BGZF or stdin. 0-based half-open; `#`, track, browser and blank lines are skipped.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "genome/region.h"

namespace bigdna::genome {

struct BedRecord {
  Region region;                    // strand from column 6, else '.'
  std::string name;                 // column 4, else ""
  std::string score;                // column 5 as written, else ""
  std::vector<std::string> extra;   // columns 7 and on, as written
  int64_t line = 0;                 // 1-based, for messages
};

/// Errors read "FILE:LINE: cause": fewer than 3 columns, not a number, end before start, negative start.
class BedReader {
 public:
  explicit BedReader(const std::string& path);  // "-" is stdin
  ~BedReader();
  BedReader(BedReader&&) noexcept;
  const std::string& path() const;
  std::optional<BedRecord> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole file.
std::vector<BedRecord> read_bed(const std::string& path);

/// Lines of any text file, plain, gzip or BGZF, stdin for "-": what BedReader and tables are made of. A truncated
/// file is an Error naming it. CR at line ends is dropped.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  const std::string& path() const;
  std::optional<std::string_view> next();  // valid until the next call
  int64_t line() const;                    // 1-based number of the line last returned

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
