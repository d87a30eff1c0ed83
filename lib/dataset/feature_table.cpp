#include "dataset/feature_table.h"

#include <strings.h>

#include <algorithm>
#include <filesystem>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/label_words.h"
#include "io/delimited.h"

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
           fields.size() == 1 ? " (columns are separated by tabs or commas)" : "");
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
  log::info(path, others.find("', '") == std::string::npos ? concat(": its column ", others, " is not read")
                                                           : concat(": its columns ", others, " are not read"));
  return places;
}
}  // namespace

void read_feature_table(const std::string& path, io::TableForm form, std::span<const TableColumn> columns,
                        FurtherColumns further,
                        const std::function<void(const std::vector<std::string>&, int64_t)>& row) {
  io::DelimitedReader reader(path, form);
  std::vector<std::string_view> names;
  for (const auto& name : reader.columns()) names.push_back(trimmed(name));
  const auto places = places_of(columns, names, further, path, reader.line());
  while (const auto fields = reader.next()) {
    const std::string where = concat(path, ":", reader.line());
    std::vector<std::string> values;
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto& [name, absent, is_path] = columns[i];
      // a spreadsheet's "TF " is TF
      const auto text = places[i] < 0 ? std::string_view() : trimmed((*fields)[static_cast<size_t>(places[i])]);
      if (text.empty() && !absent) fail(where, ": no ", name);
      values.emplace_back(text.empty() ? absent : text);
      if (!is_path) io::require_field(values.back(), name, where);  // names go into tables and metrics.json
    }
    row(values, reader.line());
  }
  if (reader.comments() > 0)
    log::info(path, ": ", counted(reader.comments(), "row that begins with # is", "rows that begin with # are"),
              " left out");
}

}  // namespace bigdna::dataset
