#include "io/delimited.h"

#include <strings.h>

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace bigdna::io {

DelimitedReader::DelimitedReader(LineReader lines, std::vector<std::string> columns, TableForm form)
    : lines_(std::move(lines)), form_(form), separator_('\t'), header_(false), columns_(std::move(columns)) {}

DelimitedReader DelimitedReader::without_header(const std::string& path, std::vector<std::string> columns,
                                                TableForm form) {
  return {LineReader(path), std::move(columns), form};
}

DelimitedReader::DelimitedReader(LineReader lines, std::optional<std::string> first, TableForm form)
    : lines_(std::move(lines)), form_(form) {
  while (!first) {
    const auto line = lines_.next();
    if (!line) fail(path(), ": is empty (a header line was expected)");
    if (!line->empty()) first = *line;
  }
  line_ = lines_.line();
  if (first->starts_with('#')) first->erase(0, 1);
  if (first->find('\t') != std::string::npos) separator_ = '\t';
  columns_ = fields_of(*first);
  if (columns_.size() == 1)
    for (const auto& [separator, name] : {std::pair(';', "semicolons"), std::pair('|', "bars")})
      if (columns_[0].find(separator) != std::string::npos)
        fail(path(), ":", line_, ": the columns are separated by ", name,
             "; bigdna reads commas and tabs (and numbers with decimal points)");
  for (auto at = columns_.begin(); at != columns_.end(); ++at) {
    if (at->empty())
      fail(path(), ":", line_, ": column ", at - columns_.begin() + 1, " of the header has no name",
           at == columns_.begin() ? " (if it is an index that pandas wrote, to_csv(index=False) leaves it out)" : "");
    if (std::find(columns_.begin(), at, *at) != at) fail(path(), ":", line_, ": two columns are called '", *at, "'");
  }
}

std::optional<std::vector<std::string>> DelimitedReader::next() {
  while (const auto line = lines_.next()) {
    if (line->empty()) continue;
    line_ = lines_.line();
    if (form_.comments && line->front() == '#') {
      ++comments_;
      continue;
    }
    auto fields = fields_of(std::string(*line));
    if (fields.size() != columns_.size())
      fail(path(), ":", line_, ": ", fields.size(), fields.size() == 1 ? " field" : " fields",
           header_ ? ", but the header has " : " between tabs, but a row has ", columns_.size());
    return fields;
  }
  return std::nullopt;
}

std::vector<std::string> DelimitedReader::fields_of(std::string text) {
  std::vector<std::string> fields;
  for (size_t at = 0;; ++at) {
    std::string field;
    if (at == text.size() || text[at] != '"' || !form_.quotes) {
      const size_t end = std::min(text.find(separator_, at), text.size());
      field = text.substr(at, end - at);
      if (form_.quotes && separator_ == ',' && field.find('"') != std::string::npos)
        fail(path(), ":", line_, ": field ", fields.size() + 1, " holds a quote but does not begin with one");
      at = end;
    } else {
      for (++at;; ++at) {
        while (at == text.size()) {  // the field continues on the next line
          const auto more = lines_.next();
          if (!more) fail(path(), ":", line_, ": the quote that begins field ", fields.size() + 1, " is never closed");
          field += '\n';
          text = *more;
          at = 0;
        }
        if (text[at] == '"' && (++at == text.size() || text[at] != '"')) break;  // of two quotes the second is text
        field += text[at];
      }
      if (at < text.size() && text[at] != separator_)
        fail(path(), ":", line_, ": field ", fields.size() + 1, " has text after its closing quote");
    }
    fields.push_back(std::move(field));
    if (at == text.size()) return fields;
  }
}

bool is_missing_word(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\v\f\r";
  constexpr const char* kWords[] = {"NA",   "NaN",  "null",     "None", "nil",  "N/A",     "#N/A",
                                    "<NA>", "n.a.", "#N/A N/A", "#NA",  "-nan", "1.#QNAN", "missing",
                                    "nd",   "-",    "--",       ".",    "?",    "\\N"};
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return true;
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const char* word) { return equal_words(word, text); });
}

bool equal_words(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

void require_value(std::string_view text, std::string_view what, const std::string& where) {
  if (text.empty()) fail(where, ": the ", what, " is empty");
  if (is_missing_word(text)) fail(where, ": the ", what, " is '", text, "', a missing value");
}

void require_field(const std::string& text, std::string_view what, const std::string& where) {
  if (text.find_first_of("\t\r\n") != text.npos)
    fail(where, ": the ", what, " '", text, "' contains a tab or a line end");
  if (!is_utf8(text)) fail(where, ": the ", what, " '", text, "' is not UTF-8");
}

}  // namespace bigdna::io
