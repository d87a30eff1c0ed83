/// Text tables with a header line: CSV as in RFC 4180, and TSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/lines.h"

namespace bigdna::io {

/// What a table may have beside its rows.
struct TableForm {
  bool quotes = true;     // a field that begins with a quote ends with one; else quotes are text
  bool comments = false;  // rows that begin with # are passed over, and counted
};

/// Fields are separated by tabs if the header line has one, else by commas. A field that begins with a quote ends with
/// one; inside it a quote is written twice, and separators and line ends are text. Blanks are kept, blank lines
/// skipped. Errors "FILE:LINE: cause": a row with more or fewer fields than the header, text after a closing quote, a
/// quote inside a field that does not begin with one (CSV), a quote that is never closed, an empty file, a column
/// without a name, two columns of the same name, semicolons or bars as separators.
class DelimitedReader {
 public:
  explicit DelimitedReader(const std::string& path, TableForm form = {})
      : DelimitedReader(LineReader(path), std::nullopt, form) {}
  /// A table without a header line, separated by tabs, that has these columns.
  static DelimitedReader without_header(const std::string& path, std::vector<std::string> columns, TableForm form = {});
  /// Continues where `lines` is. `first` is the header if it has been read from `lines` already (a leading "#" is
  /// dropped); nullopt if it is the next line.
  DelimitedReader(LineReader lines, std::optional<std::string> first, TableForm form = {});
  const std::vector<std::string>& columns() const { return columns_; }
  /// The fields of the next row, as many as columns().
  std::optional<std::vector<std::string>> next();
  const std::string& path() const { return lines_.path(); }
  int64_t line() const { return line_; }          // 1-based, on which the row last returned begins
  int64_t comments() const { return comments_; }  // rows passed over so far

 private:
  DelimitedReader(LineReader lines, std::vector<std::string> columns, TableForm form);
  std::vector<std::string> fields_of(std::string text);
  LineReader lines_;
  TableForm form_;
  char separator_ = ',';
  bool header_ = true;
  std::vector<std::string> columns_;
  int64_t line_ = 0, comments_ = 0;
};

/// Whether a field stands for no value: empty, or one of the words that R, pandas, spreadsheets and databases write
/// (NA, NaN, null, None, N/A, -, . ...), in any case.
bool is_missing_word(std::string_view text);
/// Whether they are the same, in upper or lower case.
bool equal_words(std::string_view a, std::string_view b);
/// Error "WHERE: the WHAT is empty", or "is 'NA', a missing value", if is_missing_word().
void require_value(std::string_view text, std::string_view what, const std::string& where);

/// Error "WHERE: the WHAT 'TEXT' contains a tab or a line end" (or "is not UTF-8") if the text cannot be a field of a
/// table that bigdna writes, which does not quote, or of its JSON.
void require_field(const std::string& text, std::string_view what, const std::string& where);

}  // namespace bigdna::io
