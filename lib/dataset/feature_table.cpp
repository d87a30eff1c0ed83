#include "dataset/feature_table.h"

#include <strings.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "dataset/label_words.h"
#include "io/delimited.h"
#include "io/lines.h"

namespace bigdna::dataset {

std::string group_of(const std::string& text) {
  for (const char* known : {"TF", "DHS", "HM"})
    if (strcasecmp(text.c_str(), known) == 0) return known;
  return text;
}

std::string beside(const std::string& table, const std::string& file) {
  return std::filesystem::path(file).is_absolute() ? file
                                                   : (std::filesystem::path(table).parent_path() / file).string();
}

namespace {
/// The place of each column among the fields of the first line; -1 for none.
std::vector<int> places_of(std::span<const TableColumn> columns, const std::vector<std::string_view>& fields,
                           FurtherColumns further, const std::string& path, int64_t line) {
  std::vector<int> places;
  std::string known;
  for (const auto& column : columns) {
    const auto found =
        std::ranges::find_if(fields, [&](std::string_view field) { return io::equal_words(field, column.name); });
    if (found == fields.end() && !column.absent)
      fail(path, ":", line, ": the first line has no column '", column.name, "'",
           fields.size() == 1 ? " (columns are separated by tabs)" : "");
    places.push_back(found == fields.end() ? -1 : static_cast<int>(found - fields.begin()));
    known += concat(known.empty() ? "" : ", ", column.name);
  }
  std::string others;
  for (size_t i = 0; i < fields.size(); ++i)
    if (std::ranges::find(places, static_cast<int>(i)) == places.end())
      others += concat(others.empty() ? "'" : ", '", fields[i], "'");
  if (others.empty()) return places;
  if (further == FurtherColumns::refused)
    fail(path, ":", line, ": no column may be called ", others, "; columns are ", known);
  log::info(path, ": its columns ", others, " are not read");
  return places;
}
}  // namespace

void read_feature_table(const std::string& path, std::span<const TableColumn> columns, FurtherColumns further,
                        const std::function<void(const std::vector<std::string>&, int64_t)>& row) {
  io::LineReader lines(path);
  std::vector<int> places;
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    auto fields = io::split(*line);
    for (auto& field : fields) field = trimmed(field);  // a spreadsheet's "TF " is TF
    if (places.empty()) {
      if (fields[0].starts_with('#')) fields[0].remove_prefix(1);
      places = places_of(columns, fields, further, path, lines.line());
      continue;
    }
    if (line->front() == '#') continue;
    std::vector<std::string> values;
    for (size_t i = 0; i < columns.size(); ++i) {
      const bool present = places[i] >= 0 && places[i] < static_cast<int>(fields.size()) && !fields[places[i]].empty();
      const auto& [name, absent, is_path] = columns[i];
      if (!present && !absent) fail(path, ":", lines.line(), ": no ", name);
      values.emplace_back(present ? fields[places[i]] : absent);
      if (!is_path && !is_utf8(values.back()))  // names go into metrics.json
        fail(path, ":", lines.line(), ": the ", name, " '", values.back(), "' is not UTF-8");
    }
    row(values, lines.line());
  }
  if (places.empty()) fail(path, ": is empty");
}

}  // namespace bigdna::dataset
