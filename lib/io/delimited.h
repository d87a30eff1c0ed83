/// Tables as text: CSV as RFC 4180 describes it, and TSV, with a header line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/lines.h"

namespace bigdna::io {

/// Fields are separated by tabs where the header line has one, else by commas. A field that begins with a quote ends with one;
/// within it a quote is written twice, and separators and line ends are part of it. Blanks are kept. Blank lines are skipped.
/// Errors "FILE:LINE: cause": another number of fields than the header's, text after a closing quote, a quote inside a field
/// that does not begin with one (CSV), a quote that is never closed; an empty file; a column named twice, or not named.
class DelimitedReader {
 public:
  explicit DelimitedReader(const std::string& path) : DelimitedReader(LineReader(path), std::nullopt) {}
  /// Goes on where `lines` is: `first` is the line last read from it, the header ("#" before it is dropped); nullopt: it comes.
  DelimitedReader(LineReader lines, std::optional<std::string> first);
  const std::vector<std::string>& columns() const { return columns_; }
  /// The fields of the next row, as many as columns().
  std::optional<std::vector<std::string>> next();
  const std::string& path() const { return lines_.path(); }
  int64_t line() const { return line_; }  // 1-based, on which the row last returned begins

 private:
  std::vector<std::string> fields_of(std::string text);
  LineReader lines_;
  char separator_ = ',';
  std::vector<std::string> columns_;
  int64_t line_ = 0;
};

}  // namespace bigdna::io
