#include "genome/gff.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "io/lines.h"

namespace bigdna::genome {
namespace {
using std::string_view_literals::operator""sv;

constexpr std::array<std::string_view, 5> kNames{"gene_name", "gene", "Name", "gene_id", "ID"};  // the best first

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

/// The value of the first of `keys` among attributes, `key "value";` (GTF) or `key=value;` (GFF3); "" if there is none.
std::string value_of(std::string_view attributes, std::span<const std::string_view> keys) {
  size_t best = keys.size();
  std::string found;
  while (!attributes.empty()) {
    size_t end = 0;
    for (bool quoted = false; end < attributes.size() && (quoted || attributes[end] != ';'); ++end)
      quoted ^= attributes[end] == '"';
    const auto attribute = trimmed(attributes.substr(0, end));
    attributes.remove_prefix(std::min(attributes.size(), end + 1));
    const size_t gap = attribute.find_first_of(" =");
    if (gap == attribute.npos) continue;
    const auto key = attribute.substr(0, gap);
    auto value = trimmed(attribute.substr(gap + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    for (size_t i = 0; i < best; ++i)
      if (key == keys[i] && !value.empty()) {
        best = i;
        found = attribute[gap] == '=' ? decoded(value) : std::string(value);
      }
  }
  return found;
}

}  // namespace

bool GffRecord::is_transcript() const {
  return type == "transcript" || type.ends_with("RNA") || type.ends_with("_transcript");
}

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
  return {std::string(fields[2]),
          {std::string(fields[0]), *first - 1, *last, fields[6] == "?" ? '.' : fields[6].front()},
          value_of(fields[8], kNames)};
}

bool PrimaryTranscripts::add(const GffRecord& record, std::string_view line) {
  if (!record.is_transcript()) return false;
  const auto attributes = io::split(line).back();
  const auto parents = value_of(attributes, std::array{"Parent"sv});
  const bool part = std::ranges::any_of(io::split(parents, ','),
                                        [&](std::string_view parent) { return identifiers_.contains(parent); });
  if (auto id = value_of(attributes, std::array{"ID"sv}); !id.empty()) identifiers_.insert(std::move(id));
  return !part;
}

void GenesWithoutTranscripts::add(const GffRecord& record, std::string_view line) {
  const bool transcript = record.is_transcript(), coding = record.type == "CDS";
  if (!transcript && !coding && record.type != "gene" && !record.type.ends_with("_gene")) return;
  const auto attributes = io::split(line).back();
  const auto id = value_of(attributes, std::array{"ID"sv, "gene_id"sv});  // of GFF3, of GTF
  const auto parents = value_of(attributes, std::array{"Parent"sv});
  if (transcript)
    for (const auto gene : io::split(parents.empty() ? id : parents, ',')) with_transcript_.emplace(gene);
  else if (!id.empty() && (!coding || parents.empty()))
    genes_.insert(id);
}

void GenesWithoutTranscripts::warn(const std::string& path) const {
  const auto without =
      std::ranges::count_if(genes_, [&](const std::string& gene) { return !with_transcript_.contains(gene); });
  if (without)
    log::warn(path, ": ", without, " of ", counted(genes_.size(), "gene"), without == 1 ? " has" : " have",
              " no transcript (rows of type transcript, mRNA, lnc_RNA ...) and so no start site: what is read around "
              "them counts as sequence without one (a BED file can give the genes' 5' ends as start sites)");
}

}  // namespace bigdna::genome
