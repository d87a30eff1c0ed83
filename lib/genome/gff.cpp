#include "genome/gff.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/number.h"
#include "io/lines.h"

namespace bigdna::genome {
namespace {
/// The attributes that are read; the first `name_keys` name a row, the best first, and of these the first `gene_keys`
/// name its gene.
struct Key {
  enum : size_t {
    gene_name,
    gene,
    name,
    gene_id,
    id,
    parent,
    derives_from,
    transcript_id,
    is_circular,
    exon_number,
    tss_id,
    count
  };
  static constexpr size_t gene_keys = name, name_keys = parent;
};
constexpr std::array<std::string_view, Key::count> kKeys{"gene_name",   "gene",        "Name",         "gene_id",
                                                         "ID",          "Parent",      "Derives_from", "transcript_id",
                                                         "Is_circular", "exon_number", "tss_id"};

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// A GFF3 value, in which %XX is a byte.
std::string decoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF0123456789abcdef";
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t high = i + 2 < text.size() ? kDigits.find(text[i + 1]) : kDigits.npos,
                 low = i + 2 < text.size() ? kDigits.find(text[i + 2]) : kDigits.npos;
    const bool escaped = text[i] == '%' && high != kDigits.npos && low != kDigits.npos;
    value += escaped ? static_cast<char>(high % 16 * 16 + low % 16) : text[i];
    if (escaped) i += 2;
  }
  return value;
}

struct Attribute {
  std::string_view text;  // "" where it is missing
  bool gff3 = false;      // key=value, in which %XX is a byte
};

/// Where the first attribute ends: at its semicolon, or behind all of them. A quote counts where a value begins with
/// it, and ends in front of a semicolon or the end: `product=5" arm;` has none.
size_t end_of_attribute(std::string_view attributes) {
  const size_t end = std::min(attributes.find(';'), attributes.size());
  const size_t gap = std::min(attributes.find_first_of(" =", attributes.find_first_not_of(' ')), end);
  const size_t value = attributes.find_first_not_of(' ', gap + 1);
  if (gap == end || value >= attributes.size() || attributes[value] != '"') return end;
  for (size_t quote = value; (quote = attributes.find('"', quote + 1)) != attributes.npos;) {
    const size_t next = std::min(attributes.find_first_not_of(' ', quote + 1), attributes.size());
    if (next == attributes.size() || attributes[next] == ';') return next;
    if (attributes[quote - 1] == ' ') return end;  // the next attribute's: the first quote is never closed
  }
  return end;
}

/// The values of kKeys, the first of each, among attributes: `key "value";` (GTF) or `key=value;` (GFF3).
std::array<Attribute, Key::count> values_of(std::string_view attributes) {
  std::array<Attribute, Key::count> values;
  while (!attributes.empty()) {
    const size_t end = end_of_attribute(attributes);
    const auto attribute = trimmed(attributes.substr(0, end));
    attributes.remove_prefix(std::min(attributes.size(), end + 1));
    const size_t gap = attribute.find_first_of(" =");
    if (gap == attribute.npos) continue;
    auto text = trimmed(attribute.substr(gap + 1));
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    const auto key = std::ranges::find(kKeys, attribute.substr(0, gap));
    if (key == kKeys.end()) continue;
    auto& value = values[static_cast<size_t>(key - kKeys.begin())];
    if (value.text.empty()) value = {text, attribute[gap] == '='};
  }
  return values;
}

/// Column 9 of AUGUSTUS: a name alone. "" for another.
std::string_view name_alone(std::string_view attributes) {
  const auto name = trimmed(attributes);
  return name == "." || name.find_first_of(" =;\"") != name.npos ? "" : name;
}

}  // namespace

bool GffRecord::is_transcript() const {
  return type == "transcript" || type.ends_with("RNA") || type.ends_with("_transcript");
}

bool GffRecord::is_exon() const {
  return type == "exon" || type.ends_with("_exon") || type == "five_prime_UTR" || type == "five_prime_utr" ||
         type == "5UTR";
}

bool GffRecord::is_gene() const { return type == "gene" || type.ends_with("_gene"); }

bool is_gff(std::string_view line) {
  const auto fields = io::split(line);
  return fields.size() == 9 && !parse_number<int64_t>(fields[1]) && parse_number<int64_t>(fields[3]) &&
         parse_number<int64_t>(fields[4]);
}

GffRecord gff_record(std::string_view line) {
  const auto fields = io::split(line);
  if (fields.size() != 9) fail("a GTF or GFF line has 9 columns, this one has ", fields.size());
  const auto first = parse_number<int64_t>(fields[3]), last = parse_number<int64_t>(fields[4]);
  if (!first || *first < 1) fail("the start (column 4, 1-based) is '", fields[3], "', not a positive number");
  if (!last || *last > kMostPosition) fail("the end (column 5) is '", fields[4], "', not a position");
  if (*last < *first) fail("the end (column 5), ", *last, ", is before the start, ", *first);
  if (fields[6] != "+" && fields[6] != "-" && fields[6] != "." && fields[6] != "?")
    fail("the strand (column 7) is '", fields[6], "', not +, - or .");
  const auto values = values_of(fields[8]);
  GffRecord record{.type = std::string(fields[2]),
                   .region = {std::string(fields[0]), *first - 1, *last, fields[6] == "?" ? '.' : fields[6].front()},
                   .name = "",
                   .id = std::string(values[Key::id].text),
                   .parents = std::string(values[Key::parent].text),
                   .derives_from = std::string(values[Key::derives_from].text),
                   .transcript_id = std::string(values[Key::transcript_id].text),
                   .gene_id = std::string(values[Key::gene_id].text),
                   .exon_number = std::string(values[Key::exon_number].text),
                   .tss_id = std::string(values[Key::tss_id].text),
                   .circular = values[Key::is_circular].text == "true"};
  if (const auto name = name_alone(fields[8]); !name.empty())
    (record.is_transcript() ? record.transcript_id : record.gene_id) = record.name = name;
  for (size_t key = 0; key < Key::name_keys && record.name.empty(); ++key) {
    record.name = values[key].gff3 ? decoded(values[key].text) : std::string(values[key].text);
    record.named_by_gene = key < Key::gene_keys && !record.name.empty();
    record.has_name = key < Key::id && !record.name.empty();
  }
  return record;
}

}  // namespace bigdna::genome
