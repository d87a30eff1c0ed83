#include "variants/vcf_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "io/lines.h"

namespace bigdna::variants {

namespace {
constexpr std::string_view kColumns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";

bool has_blank(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); });
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

struct Entry {
  std::string_view key, value;  // without its quotes
  bool quoted = false;
};

/// Reads the entries between < and >; returns nullptr, or what is wrong.
const char* parse_entries(std::string_view text, std::vector<Entry>& entries) {
  while (!text.empty()) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) return "is not of the form KEY=VALUE";
    Entry entry{text.substr(0, equals), {}, false};
    text.remove_prefix(equals + 1);
    size_t end = 0;
    if (text.starts_with('"')) {
      entry.quoted = true;
      for (end = 1; end < text.size() && text[end] != '"'; ++end)
        if (text[end] == '\\') ++end;
      if (end >= text.size()) return "has a quotation mark that is not closed";
      entry.value = text.substr(1, end - 1);
      ++end;
      if (end < text.size() && text[end] != ',') return "has quotation marks within a value (write them as \\\")";
    } else {
      const bool list = text.starts_with('[');
      end = std::min(text.find(list ? ']' : ','), text.size());
      if (list) end = std::min(text.find(',', end), text.size());
      entry.value = text.substr(0, end);
      if (entry.value.find_first_of("\"<>") != std::string_view::npos)
        return "has a value with \" < or > outside quotation marks";
    }
    entries.push_back(entry);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return nullptr;
}

/// What is wrong with the parts of a list, in its column.
enum class Parts { good, blank, empty, twice, missing };
constexpr std::array<const char*, 5> kPartFaults{"", "is empty or has a blank", "has an empty part",
                                                 "has the same value twice", "has . among other values"};

Parts fault_of_parts(std::string_view text, char separator) {
  if (text == ".") return Parts::good;
  if (text.empty() || has_blank(text)) return Parts::blank;
  auto parts = io::split(text, separator);
  if (parts.size() == 1) return Parts::good;
  std::sort(parts.begin(), parts.end());
  if (parts.front().empty()) return Parts::empty;
  if (std::find(parts.begin(), parts.end(), ".") != parts.end()) return Parts::missing;
  return std::adjacent_find(parts.begin(), parts.end()) != parts.end() ? Parts::twice : Parts::good;
}

/// A Float of the specification: digits with a sign, a point, an exponent; or inf, infinity, nan in any case. It may be
/// beyond what a double holds.
bool is_float(std::string_view text) {
  if (text.starts_with("+-") || text.ends_with(')')) return false;  // the latter: nan(1)
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

Faults faults_of_info(std::string_view info) {
  if (info == ".") return {};
  if (info.empty()) return {{"INFO is empty", ""}, {}};
  Faults found;
  std::vector<std::string_view> keys;
  auto parts = io::split(info, ';');
  if (parts.back().empty() && parts.size() > 1) parts.pop_back();  // a last semicolon is common, and harmless
  for (const auto part : parts) {
    if (part.empty()) {
      found.tolerated = {"INFO has an empty part", std::string(info.substr(0, 40))};
      continue;
    }
    // The specification wants a word, but annotators write 1000g2015aug_all, GERP++_RS and fathmm-MKL_score.
    const auto key = part.substr(0, part.find('='));
    if (key.empty()) return {{"INFO has a value without a key", std::string(part)}, {}};
    if (has_blank(key)) return {{"INFO has a key with a blank in it", std::string(key)}, {}};
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) found.tolerated = {"INFO has the same key twice", std::string(*twice)};
  return found;
}
}  // namespace

std::string fault_of_first_line(std::string_view line) {
  constexpr std::string_view kStart = "##fileformat=VCFv";
  if (!line.starts_with(kStart)) return "is not VCF: its first line is not ##fileformat=VCFv4.2 or similar";
  const auto version = line.substr(kStart.size());
  const size_t dot = version.find('.');
  if (dot == std::string_view::npos || !is_digits(version.substr(0, dot)) || !is_digits(version.substr(dot + 1)))
    return concat("its version is '", version, "'");
  return "";
}

std::string fault_of_meta_line(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 2) return "is not of the form ##KEY=VALUE";
  if (equals + 1 == line.size()) return "has no value";
  const auto key = line.substr(2, equals - 2), value = line.substr(equals + 1);
  const bool typed = key == "INFO" || key == "FORMAT";
  if (!typed && key != "FILTER" && key != "ALT" && key != "contig") return "";
  if (!value.starts_with('<') || !value.ends_with('>')) return "is not between < and >";
  std::vector<Entry> entries;
  if (key == "ALT") return "";  // its ID may hold any punctuation
  if (const char* fault = parse_entries(value.substr(1, value.size() - 2), entries)) return fault;
  const auto find = [&](std::string_view name) {
    return std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == name; });
  };
  const auto id = find("ID");
  if (id == entries.end() || id->value.empty()) return "has no ID";
  if (has_blank(id->value)) return "has an ID with a blank in it";
  if (const auto description = find("Description"); description != entries.end() && !description->quoted)
    return "has a Description without quotation marks";
  if (!typed) return "";
  const auto number = find("Number"), type = find("Type");
  if (number == entries.end() || type == entries.end()) return "lacks Number or Type";
  constexpr std::array<std::string_view, 9> kNumbers{"A", "R", "G", ".", "P", "LA", "LR", "LG", "M"};
  if (!is_digits(number->value) && std::find(kNumbers.begin(), kNumbers.end(), number->value) == kNumbers.end())
    return concat("has the Number '", number->value, "'");
  constexpr std::array<std::string_view, 5> kTypes{"Integer", "Float", "Flag", "Character", "String"};
  if (std::find(kTypes.begin(), kTypes.end(), type->value) == kTypes.end())
    return concat("has the Type '", type->value, "'");
  return "";
}

std::string fault_of_column_line(std::string_view line, int64_t& samples) {
  samples = 0;
  if (!line.starts_with(kColumns))
    return "is not the line of column names (#CHROM POS ID REF ALT QUAL FILTER INFO, separated by tabs)";
  const auto rest = line.substr(kColumns.size());
  if (rest.empty()) return "";
  auto names = io::split(rest.substr(1));
  if (rest[0] != '\t' || names.front() != "FORMAT") return "has a ninth column that is not FORMAT";
  names.erase(names.begin());
  samples = static_cast<int64_t>(names.size());
  std::sort(names.begin(), names.end());
  if (!names.empty() && names.front().empty()) return "has a sample without a name";
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    return concat("has the sample '", *twice, "' twice");
  return "";
}

Columns columns_of(std::string_view line) {
  Columns columns;
  const std::array fields{&columns.contig, &columns.position, &columns.id,     &columns.ref,
                          &columns.alt,    &columns.quality,  &columns.filter, &columns.info};
  columns.info_begin = columns.info_end = line.size();
  size_t begin = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (begin > line.size()) {
      *fields[i] = ".";
      continue;
    }
    const size_t end = std::min(line.find('\t', begin), line.size());
    *fields[i] = line.substr(begin, end - begin);
    if (i == 7) columns.info_begin = begin, columns.info_end = end;
    ++columns.count;
    begin = end + 1;
  }
  if (begin <= line.size())
    columns.count += 1 + std::count(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '\t');
  return columns;
}

std::string Fault::text() const { return detail.empty() ? kind : concat(kind, " ('", detail, "')"); }

Faults faults_of_record(const Columns& columns) {
  const auto malformed = [](std::string kind, std::string_view detail = "") {
    return Faults{{std::move(kind), std::string(detail)}, {}};
  };
  const auto of_parts = [](const char* column, Parts fault) {
    return concat(column, " ", kPartFaults[static_cast<size_t>(fault)]);
  };
  if (has_blank(columns.contig)) return malformed("CHROM has a blank in it", columns.contig);
  const auto id = fault_of_parts(columns.id, ';');
  if (id == Parts::blank) return malformed(of_parts("ID", id), columns.id);
  if (columns.ref.empty() || columns.ref == ".") return malformed("REF is missing");
  if (!std::all_of(columns.ref.begin(), columns.ref.end(), [](unsigned char c) { return std::isalpha(c); }))
    return malformed("REF does not consist of bases", columns.ref);
  for (const auto part : io::split(columns.alt, ','))
    if (part.empty() || has_blank(part))
      return malformed("ALT has an empty allele, or one with a blank in it", columns.alt);
  if (columns.quality != "." && !is_float(columns.quality)) return malformed("QUAL is not a number", columns.quality);
  const auto filter = fault_of_parts(columns.filter, ';');
  if (filter == Parts::blank) return malformed(of_parts("FILTER", filter), columns.filter);
  Faults faults = faults_of_info(columns.info);
  const auto tolerate = [&](std::string kind, std::string_view detail) {
    if (!faults.malformed && !faults.tolerated) faults.tolerated = {std::move(kind), std::string(detail)};
  };
  const auto filters = io::split(columns.filter, ';');
  if (std::find(filters.begin(), filters.end(), "0") != filters.end()) tolerate("FILTER is 0", "");
  if (filter != Parts::good) tolerate(of_parts("FILTER", filter), columns.filter);
  if (id != Parts::good) tolerate(of_parts("ID", id), columns.id);
  return faults;
}

}  // namespace bigdna::variants
