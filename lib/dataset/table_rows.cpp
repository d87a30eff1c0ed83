#include "dataset/table_rows.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "dataset/label_words.h"
#include "dataset/table_positions.h"
#include "dataset/unread_splits.h"
#include "genome/bed.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/md5.h"
#include "io/read_progress.h"

namespace bigdna::dataset {

namespace {
namespace fs = std::filesystem;
using Names = std::vector<const char*>;
constexpr std::string_view kCellBlanks = " \t\v\f\r";
constexpr const char* kCompressed[] = {".gz", ".bgz", ".xz"};
constexpr const char* kExtensions[] = {".csv", ".tsv", ".txt", ".bed", ".fa", ".fna", ".fasta"};

/// A file to read, and what its name tells.
struct Source {
  std::string path;
  std::optional<Split> split;
  std::string label;  // the class; "" for none
};

std::string without_compression(std::string name) {
  for (const char* ending : kCompressed)
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::string_view(ending).size());
  return name;
}

/// The name without its extensions; nullopt if these are not a table's.
std::optional<std::string> stem_of(std::string name) {
  name = without_compression(std::move(name));
  for (const char* ending : kExtensions)
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::string_view(ending).size());
  return std::nullopt;
}

/// Reads split and class from the parts of "NAME.SPLIT.CLASS.csv", or of SPLIT/CLASS.csv or SPLIT/CLASS/NAME.csv in a
/// folder.
Source source_of(const std::string& path, const fs::path& within) {
  Source source{path, {}, ""};
  for (const auto& step : within.parent_path()) {
    if (source.split) {  // SPLIT/CLASS/NAME.csv, in as many folders as there may be
      source.label = step;
      return source;
    }
    source.split = split_of_word(step.string());
  }
  const auto stem = stem_of(within.filename()).value_or("");
  for (const auto part : io::split(stem, '.'))
    if (source.split)
      source.label = part;
    else
      source.split = split_of_word(part);
  return source;
}

/// Whether a name in a folder is nothing that its owner put there: hidden (also .ipynb_checkpoints, macOS' ._NAME and
/// editors' swap files), an editor's backup or lock, or what unpacking on another system left.
bool is_left_behind(const std::string& name) {
  return name.starts_with('.') || name.ends_with('~') || name.starts_with("~$") || name == "__MACOSX" ||
         (name.starts_with('#') && name.ends_with('#'));
}

/// The tables in a folder and below it, in the order of their paths.
std::vector<fs::path> tables_in(const std::string& folder) {
  std::map<std::string, fs::path> files;  // by path without the compression's ending
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(folder); entry != end; ++entry) {
    const std::string name = entry->path().filename();
    if (is_left_behind(name)) {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || !stem_of(name)) continue;
    const auto [other, is_new] = files.emplace(without_compression(entry->path()), entry->path());
    if (!is_new)
      fail(folder, ": ", std::min(other->second, entry->path()).filename().string(), " and ",
           std::max(other->second, entry->path()).filename().string(), " are one table twice: leave one of them");
  }
  if (files.empty()) fail(folder, ": the folder has no table (.csv, .tsv, .bed, .fa; .gz, .xz)");
  std::vector<fs::path> paths;
  for (const auto& [name, path] : files) paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<Source> sources_of(const TableInputs& inputs) {
  std::vector<Source> sources;
  for (size_t i = 0; i < inputs.paths.size(); ++i) {
    const auto& path = inputs.paths[i];
    const size_t before = sources.size();
    if (path == "-" || !fs::is_directory(path)) {
      sources.push_back(path == "-" ? Source{path, {}, ""} : source_of(path, fs::path(path).filename()));
    } else {
      const auto files = tables_in(path);
      for (const auto& file : files) {
        sources.push_back(source_of(file, file.lexically_relative(path)));
        if (!sources.back().split && files.size() > 1 && inputs.splits.empty())
          fail(file.string(), ": neither its name nor its folder's names a split (train, validation, dev, test)");
      }
    }
    if (!inputs.splits.empty()) {
      const auto split = split_of_word(inputs.splits[i]);
      for (size_t j = before; j < sources.size(); ++j) sources[j].split = split;
    }
  }
  return sources;
}

std::string in_words(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    const char* quote = name.find_first_of(" ,") == name.npos ? "" : "'";
    text += concat(text.empty() ? "" : ", ", quote, name, quote);
  }
  return text;
}

class TableReader {
 public:
  explicit TableReader(const TableColumns& columns) : columns_(columns) {}

  void read(const Source& source, io::ReadProgress& progress) {
    io::LineReader lines(source.path);
    progress_.emplace(progress, source.path);
    auto first = lines.next();
    while (first && first->empty()) first = lines.next();
    if (!first) fail(lines.path(), ": is empty (a header line was expected)");
    const std::string text(*first);
    table_.files.push_back(source.path);
    content_.emplace();
    if (text.starts_with('>'))
      read_fasta(std::move(lines), text, source);
    else
      read_columns(io::DelimitedReader(std::move(lines), text), source);
    const auto [other, is_new] = contents_.emplace(content_->hex(), source.path);
    if (!is_new) fail(source.path, ": holds the same rows and labels as ", other->second, ": leave one of them");
  }
  LabelledTable take() {
    if (!columns_.group.empty()) name_missing_groups();
    return std::move(table_);
  }

 private:
  void read_columns(io::DelimitedReader reader, const Source& source) {
    const int sequence = place_of_column(reader, columns_.sequence, "--sequence-column", {"sequence", "seq"});
    const int chrom = place_of_column(reader, "", "", {"chrom", "chromosome", "chr", "region", "contig", "seqnames"});
    const int start = place_of_column(reader, "", "", {"start", "chromstart"}),
              end = place_of_column(reader, "", "", {"end", "stop", "chromend"});
    const int strand = place_of_column(reader, "", "", {"strand"});
    const int split = place_of_column(reader, columns_.split, "--split-column", {"split"});
    const int group = columns_.group.empty() ? -1 : place_of_column(reader, columns_.group, "--group-column", {});
    const int name = place_of_column(reader, columns_.name, "--name-column", {"name", "id"});
    const bool placed = chrom >= 0 && start >= 0 && end >= 0;
    if (sequence < 0 && !placed)
      fail(reader.path(), ":", reader.line(),
           ": no column sequence (--sequence-column), and no columns chrom, start and end; the columns are ",
           in_words(reader.columns()));

    std::vector<int> labels;
    std::vector<std::string> label_names;
    auto asked_labels = columns_.labels;
    std::string joined;  // a column's name may have commas
    for (const auto& asked : asked_labels) joined += (joined.empty() ? "" : ",") + asked;
    if (std::ranges::find(reader.columns(), joined) != reader.columns().end()) asked_labels = {joined};
    for (const auto& asked : asked_labels) labels.push_back(place_of_column(reader, asked, "--label-columns", {}));
    if (labels.empty())
      if (const int found = place_of_column(reader, "", "--label-columns", {"label", "labels", "target", "y"});
          found >= 0)
        labels = {found};
    for (const int at : labels) label_names.push_back(reader.columns()[static_cast<size_t>(at)]);
    if (labels.empty()) {
      if (source.label.empty())
        fail(reader.path(), ":", reader.line(), ": no column label (--label-columns); the columns are ",
             in_words(reader.columns()));
      label_names = {"label"};
    }
    take_label_columns(label_names, reader.path(), reader.line());

    const size_t first = table_.rows.size();
    std::optional<TablePositions> positions;
    if (placed) positions.emplace(reader, chrom);
    std::set<int> read(labels.begin(), labels.end());
    read.insert({sequence, chrom, start, end, strand, split, group, name});
    UnreadSplits unread(reader.columns(), read);
    while (auto fields = reader.next()) {
      for (auto& text : *fields) text = std::string(trimmed(text));  // the group "A " is the group "A"
      if (split < 0 && !source.split) unread.add(*fields);
      const auto field = [&](int at) -> std::string& { return (*fields)[static_cast<size_t>(at)]; };
      const std::string where = concat(reader.path(), ":", reader.line());
      TableRow row;
      row.split = source.split;
      if (split >= 0) {
        row.split = split_of_word(field(split));
        if (!row.split)
          fail(where, ": ", reader.columns()[static_cast<size_t>(split)], " '", field(split),
               "' is not a split (train, validation, valid, val, dev, test)");
      }
      if (placed)
        row.place = region_of(field(chrom), field(start), field(end), strand >= 0 ? field(strand) : ".", where);
      if (sequence >= 0) {
        row.sequence = field(sequence);
        io::require_value(row.sequence, "sequence", where);
      }
      if (placed) positions->add(row, *fields);
      if (group >= 0 && !io::is_missing_word(field(group))) io::require_field(row.group = field(group), "group", where);
      if (name >= 0 && !io::is_missing_word(field(name))) row.name = field(name);
      std::vector<std::string> values;
      for (const int at : labels) values.push_back(std::move(field(at)));
      if (labels.empty()) values = {source.label};
      add(std::move(row), std::move(values), where);
    }
    unread.warn(reader.path());
    if (positions)
      positions->settle(std::span(table_.rows).subspan(first), std::span(table_.labels.places).subspan(first));
  }

  void read_fasta(io::LineReader lines, std::string header, const Source& source) {
    for (const auto& [column, option] :
         {std::pair(columns_.group, "--group-column"), {columns_.split, "--split-column"}})
      if (!column.empty()) fail(lines.path(), ": is FASTA, which has no columns (", option, ' ', column, ")");
    TableRow row;
    std::vector<std::string> values;
    std::string where;
    const auto begin = [&] {
      where = concat(lines.path(), ":", lines.line());
      header.resize(header.find_last_not_of(kCellBlanks) + 1);
      const auto parts = io::split(std::string_view(header).substr(1), '|');
      values.assign(parts.begin() + 1, parts.end());
      if (values.empty() && !source.label.empty()) values = {source.label};
      if (values.empty()) fail(where, ": no label after a | in the header (>NAME|LABEL)");
      std::vector<std::string> names = columns_.labels;
      if (names.empty() && values.size() == 1) names = {"label"};
      for (size_t i = names.size(); columns_.labels.empty() && i < values.size(); ++i)
        names.push_back(concat("label", i + 1));
      if (names.size() != values.size() || (!table_.rows.empty() && values.size() != table_.labels.columns.size()))
        fail(where, ": ", counted(values.size(), "label"), " in the header, expected ",
             table_.rows.empty() ? names.size() : table_.labels.columns.size());
      if (table_.rows.empty()) take_label_columns(names, lines.path(), lines.line());
      row = {};
      row.split = source.split;
      row.name = parts[0];
    };
    const auto finish = [&] {
      io::require_value(row.sequence, "sequence", where);
      add(std::move(row), std::move(values), where);
    };
    begin();
    while (const auto line = lines.next()) {
      if (line->starts_with('>')) {
        finish();
        header = *line;
        begin();
      } else {
        row.sequence += line->substr(0, line->find_last_not_of(kCellBlanks) + 1);
      }
    }
    finish();
  }

  void take_label_columns(const std::vector<std::string>& names, const std::string& path, int64_t line) {
    if (table_.labels.columns.empty()) table_.labels.columns = names;
    if (table_.labels.columns != names)
      fail(path, ":", line, ": the labels are ", in_words(names), ", but in ", table_.files.front(), " they are ",
           in_words(table_.labels.columns));
  }

  static int64_t number_of(const std::string& text, const char* what, const std::string& where) {
    const auto value = parse_number<int64_t>(text);
    if (!value) fail(where, ": ", what, " '", text, "' is not a number");
    if (*value < 0) fail(where, ": ", what, " is negative");
    return *value;
  }

  /// As written: TablePositions says how they count.
  static genome::Region region_of(const std::string& contig, const std::string& start, const std::string& end,
                                  const std::string& strand, const std::string& where) {
    io::require_field(contig, "contig", where);
    genome::Region region{contig, number_of(start, "start", where), number_of(end, "end", where), '.'};
    io::require_value(contig, "contig", where);
    if (region.end > genome::kMostPosition) fail(where, ": end ", end, " is longer than any contig");
    if (strand == "*" || strand.empty()) return region;  // R's word for none
    if (strand != "+" && strand != "-" && strand != ".") fail(where, ": strand '", strand, "' is not +, - or .");
    region.strand = strand[0];
    return region;
  }

  void add(TableRow row, std::vector<std::string> labels, const std::string& where) {
    const auto take = [&](const auto& field) { content_->update(concat(field, '\n')); };
    take(row.name), take(row.sequence);
    if (row.place) take(genome::to_string(*row.place)), take(row.place->strand);
    for (const auto& label : labels) take(label);
    progress_->tick();
    table_.rows.push_back(std::move(row));
    table_.labels.rows.push_back(std::move(labels));
    table_.labels.places.push_back(where);
  }

  /// Rows without a group are a group each, under a name that no other group has.
  void name_missing_groups() {
    std::set<std::string> groups;
    for (const auto& row : table_.rows) groups.insert(row.group);
    int64_t missing = 0;
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      auto& group = table_.rows[i].group;
      if (!group.empty()) continue;
      for (group = concat("row", i + 1); !groups.insert(group).second;) group += '_';
      ++missing;
    }
    if (missing)
      log::info(missing, " of ", counted(table_.rows.size(), "row"), missing == 1 ? " has" : " have", " no group (",
                columns_.group, " is empty or a missing value), and ",
                missing == 1 ? "is a group of its own" : "each is a group of its own");
  }

  const TableColumns& columns_;
  LabelledTable table_;
  std::optional<io::Md5> content_;  // of the file that is read
  std::optional<io::ReadProgress::File> progress_;
  std::map<std::string, std::string> contents_;  // -> the file
};
}  // namespace

std::optional<Split> split_of_word(std::string_view word) {
  for (const char* name : {"train", "training"})
    if (io::equal_words(word, name)) return Split::train;
  for (const char* name : {"validation", "valid", "val", "dev"})
    if (io::equal_words(word, name)) return Split::validation;
  for (const char* name : {"test", "testing"})
    if (io::equal_words(word, name)) return Split::test;
  return std::nullopt;
}

int place_of_column(const io::DelimitedReader& reader, const std::string& asked, const char* option,
                    const Names& names) {
  const auto& columns = reader.columns();
  std::vector<std::string> candidates;  // in the order of preference
  const auto add = [&](std::string_view name, bool in_any_case) {
    for (const auto& column : columns)
      if ((in_any_case ? io::equal_words(column, name) : column == name) &&
          std::find(candidates.begin(), candidates.end(), column) == candidates.end())
        candidates.push_back(column);
  };
  if (!asked.empty()) {
    add(asked, false);
    if (candidates.empty()) add(asked, true);
    if (candidates.empty())
      fail(reader.path(), ":", reader.line(), ": no column is called '", asked, "' (", option, "); the columns are ",
           in_words(columns));
  }
  for (const char* name : asked.empty() ? names : Names{}) add(name, true);
  if (candidates.empty()) return -1;
  if (candidates.size() > 1)
    log::warn(reader.path(), ":", reader.line(), ": of the columns ", in_words(candidates), " the first is read",
              *option ? concat(" (", option, " chooses another)") : "");
  return static_cast<int>(std::find(columns.begin(), columns.end(), candidates[0]) - columns.begin());
}

std::vector<std::string> table_files_of(const std::string& path) try {
  if (std::error_code error; !fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& file : tables_in(path)) files.push_back(file.string());
  return files;
} catch (const Error&) {
  return {};  // the command says so
}

LabelledTable read_tables(const TableInputs& inputs) {
  TableReader reader(inputs.columns);
  const auto sources = sources_of(inputs);
  std::vector<std::string> paths;
  for (const auto& source : sources) paths.push_back(source.path);
  io::ReadProgress progress("rows", paths);
  for (const auto& source : sources) reader.read(source, progress);
  return reader.take();
}

}  // namespace bigdna::dataset
