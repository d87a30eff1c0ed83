#include "genome/region_string.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "genome/assemblies.h"

namespace bigdna::genome {

namespace {
/// A position as htslib reads it: digits with commas between them, or 1.5k, 20M, 3e6. nullopt for anything else, and
/// for a number that is not whole.
std::optional<int64_t> position_of(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::string digits(text);
  std::erase(digits, ',');
  for (const auto& [suffixes, exponent] : {std::pair("kK", "e3"), std::pair("mM", "e6"), std::pair("gG", "e9")})
    if (std::string_view(suffixes).find(digits.back()) != std::string_view::npos) {
      digits.pop_back();
      digits += exponent;
      break;
    }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  constexpr double kMost = 9007199254740992;  // 2^53: doubles below are exact
  if (error != std::errc() || stop != end || value != std::floor(value) || value > kMost) return std::nullopt;
  return static_cast<int64_t>(value);
}
}  // namespace

Region parse_region(const std::string& text, const LengthOf& length_of, const std::string& genome) {
  const auto refuse = [&](const auto&... cause) { fail("region '", text, "': ", cause...); };
  std::string name = text;
  std::optional<std::string_view> range;  // what follows the colon
  std::optional<int64_t> length;
  if (text.starts_with('{')) {
    const size_t close = text.find('}');
    if (close == std::string::npos) refuse("the brace { is not closed");
    const auto rest = std::string_view(text).substr(close + 1);
    if (!rest.empty() && rest.front() != ':') refuse("} is followed by '", rest, "', not by a colon");
    name = text.substr(1, close - 1);
    if (!rest.empty()) range = rest.substr(1);
    length = length_of(name);
  } else {
    length = length_of(name);
    if (const size_t colon = text.rfind(':'); colon != std::string::npos) {
      const auto shorter = text.substr(0, colon);
      const auto length_of_shorter = length_of(shorter);
      if (length && length_of_shorter)
        refuse("is ambiguous, because ", genome, " has a contig ", text, " and a contig ", shorter, ": write {", text,
               "}, or {", shorter, "}", text.substr(colon));
      if (length_of_shorter) {
        range = std::string_view(text).substr(colon + 1);
        length = length_of_shorter;
        name = shorter;
      }
    }
  }
  if (!length) refuse(genome, " has no such contig");

  int64_t first = 1, last = *length;  // 1-based, closed
  if (range) {
    const size_t dash = std::min(range->find('-'), range->size());
    const auto begin = range->substr(0, dash), end = range->substr(std::min(dash + 1, range->size()));
    if (begin.empty() && end.empty()) refuse("no position follows the colon (CONTIG:START-END, 1-based)");
    for (const auto& [digits, value] : {std::pair(begin, &first), std::pair(end, &last)}) {
      if (digits.empty()) continue;
      const auto position = position_of(digits);
      if (!position) refuse("'", digits, "' is not a position (CONTIG:START-END, 1-based)");
      if (*position == 0) refuse("positions begin at 1");
      *value = *position;
    }
    if (last < first && !end.empty()) refuse("its end is before its start");
  }
  if (first > *length) refuse("starts past the end of ", contig_and_length(name, *length));
  if (range && range->find('-') == range->npos && first < last)
    log::warn("region '", text, "': without an end it reaches to the contig's, ", last, ", as in samtools (", text, "-",
              *range, " is one base)");
  return {name, first - 1, std::min(last, *length), '.'};
}

std::optional<Region> region_of_name(const std::string& name, int64_t length) {
  const size_t colon = name.rfind(':'), dash = name.rfind('-');
  if (colon == std::string::npos || dash == std::string::npos || dash < colon || colon == 0) return std::nullopt;
  const auto number = [&](size_t begin, size_t end) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(name.data() + begin, name.data() + end, value);
    return error == std::errc() && stop == name.data() + end ? value : int64_t{-1};
  };
  const int64_t first = number(colon + 1, dash), last = number(dash + 1, name.size());
  if (first < 1 || last < first || last - first + 1 != length) return std::nullopt;
  return Region{name.substr(0, colon), first - 1, last, '.'};
}

}  // namespace bigdna::genome
