#include "coverage/track.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/number.h"

namespace bigdna::coverage {

namespace {
constexpr std::array<std::string_view, 5> kCounts{"coverage", "starts", "ends", "cuts", "midpoints"};
constexpr std::array<std::string_view, 3> kUnits{"auto", "reads", "fragments"};
constexpr int64_t kMostBases = 100'000;  // of a shift, an extension, a fragment

template <class Enum, size_t N>
Enum named(const std::array<std::string_view, N>& names, std::string_view text) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  std::string all;
  for (const auto name : names) all += concat(all.empty() ? "" : ", ", name);
  fail("is not one of ", all);
}

template <size_t N>
std::vector<std::string> list(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

int64_t whole(std::string_view text, int64_t low, int64_t high) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = parse_number<int64_t>(text);
  if (!number || *number < low || *number > high) fail("is not a whole number from ", low, " to ", high);
  return *number;
}

/// Two numbers with `separator` between them.
std::pair<std::string, std::string> two(const std::string& text, char separator, const char* form) {
  const size_t at = text.find(separator);
  if (at == text.npos) fail("is not of the form ", form);
  return {text.substr(0, at), text.substr(at + 1)};
}

const std::vector<TrackSetting> kSettings{
    {"count", "WHAT", "coverage",
     "What is counted: coverage (every aligned base), starts (5' ends), ends (3' ends), cuts (5' ends of reads, both "
     "ends of fragments) or midpoints",
     list(kCounts), [](TrackOptions& o, const std::string& text) { o.count = named<Count>(kCounts, text); }},
    {"unit", "UNIT", "auto",
     "Count reads, or fragments (a pair of reads, a record of BEDPE or of a fragment file, an interval without a "
     "strand). auto: fragments for files of fragments and for midpoints of pairs; otherwise reads",
     list(kUnits), [](TrackOptions& o, const std::string& text) { o.unit = named<Unit>(kUnits, text); }},
    {"strand",
     "STRAND",
     ".",
     "Count only this strand (the left cut of a fragment is on +, the right cut on -)",
     {".", "+", "-"},
     [](TrackOptions& o, const std::string& text) {
       if (text != "." && text != "+" && text != "-") fail("is not +, - or .");
       o.strand = text[0];
     }},
    {"shift",
     "PLUS,MINUS",
     "0,0",
     "Move reads of strand + and the left ends of fragments by PLUS bp to the right, reads of strand - and right ends "
     "by MINUS. Use 4,-5 or 4,-4 for ATAC-seq that is not shifted yet",
     {},
     [](TrackOptions& o, const std::string& text) {
       const auto [plus, minus] = two(text, ',', "PLUS,MINUS");
       o.shift_plus = whole(plus, -kMostBases, kMostBases);
       o.shift_minus = whole(minus, -kMostBases, kMostBases);
     }},
    {"extend",
     "BP",
     "0",
     "Reads have this length, from their 5' end; 0: their own",
     {},
     [](TrackOptions& o, const std::string& text) { o.extend = whole(text, 0, kMostBases); }},
    {"fragment_length",
     "LOW-HIGH",
     "any",
     "Only fragments of this length, both ends included, or reads of pairs that are as long: 0-100 is nucleosome-free, "
     "180-247 one nucleosome",
     {},
     [](TrackOptions& o, const std::string& text) {
       o.least_length = o.most_length = 0;
       if (text == "any") return;
       const auto [low, high] = two(text, '-', "LOW-HIGH");
       o.least_length = whole(low, 0, kMostBases);
       o.most_length = whole(high, 1, kMostBases);
       if (o.most_length < o.least_length) fail("ends before it begins");
     }},
    {"min_mapq",
     "N",
     "0",
     "Only reads of at least this mapping quality (in BED and BEDPE: the score)",
     {},
     [](TrackOptions& o, const std::string& text) { o.min_mapq = static_cast<int>(whole(text, 0, 255)); }},
    {"duplicates",
     "drop|keep",
     "drop",
     "drop: leave out reads that are flagged as duplicates, and count each record of a fragment file once; keep: count "
     "duplicates, and each record of a fragment file as many times as its count column",
     {"drop", "keep"},
     [](TrackOptions& o, const std::string& text) {
       if (text != "drop" && text != "keep") fail("is not drop or keep");
       o.duplicates = text == "keep";
     }},
    {"scale",
     "X",
     "1",
     "Factor for all counts, or cpm: per million counted reads or fragments",
     {},
     [](TrackOptions& o, const std::string& text) {
       o.per_million = text == "cpm";
       const auto number = o.per_million ? 1. : parse_number<double>(text).value_or(0);
       if (!std::isfinite(number) || number <= 0) fail("is not a number above 0, or cpm");
       o.scale = number;
     }},
    {"barcodes",
     "TABLE",
     "",
     "Only fragments whose barcode is in this table: its first line names the columns (unless it is a barcode, as in "
     "10x's barcodes.tsv), the first column is the barcode "
     "and the second its group (TSV or CSV)",
     {},
     [](TrackOptions& o, const std::string& text) { o.barcodes = text; },
     true},
    {"barcode_group",
     "GROUP",
     "",
     "Only barcodes of this group",
     {},
     [](TrackOptions& o, const std::string& text) { o.barcode_group = text; }},
};
}  // namespace

std::span<const TrackSetting> track_settings() { return kSettings; }
std::string_view count_name(Count count) { return kCounts[static_cast<size_t>(count)]; }

void check(const TrackOptions& options, const std::string& where) {
  const auto bad = [&](const auto&... cause) { throw UsageError(concat(where, where.empty() ? "" : ": ", cause...)); };
  if (options.extend && options.unit == Unit::fragments)
    bad("extend is for reads: fragments have their own length (unit is fragments)");
  if (options.extend && options.count == Count::ends) bad("the ends of extended reads are not known: extend or ends");
  if (!options.barcode_group.empty() && options.barcodes.empty()) bad("barcode_group needs the table barcodes");
}

}  // namespace bigdna::coverage
