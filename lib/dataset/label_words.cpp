#include "dataset/label_words.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "io/delimited.h"

namespace bigdna::dataset {

namespace {
/// Blanks, and what looks like one or like nothing: no-break, thin, narrow no-break, zero-width and ideographic space,
/// byte order mark.
constexpr std::string_view kBlanks[] = {
    " ", "\t", "\r", "\xC2\xA0", "\xE2\x80\x89", "\xE2\x80\xAF", "\xE2\x80\x8B", "\xE3\x80\x80", "\xEF\xBB\xBF"};
}  // namespace

std::string_view trimmed(std::string_view text) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto blank : kBlanks) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size()), changed = true;
      if (text.ends_with(blank)) text.remove_suffix(blank.size()), changed = true;
    }
  }
  return text;
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool is_separated_number(std::string field) {
  for (const char* blank : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"})  // no-break, narrow no-break, thin
    for (size_t at = field.find(blank); at != field.npos; at = field.find(blank)) field.replace(at, strlen(blank), " ");
  std::string_view text = field;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !is_digit(text.front())) return false;
  if (const auto e = text.find_first_of("eE"); e != text.npos && number_of(concat("1", text.substr(e))))
    text = text.substr(0, e);
  std::string separators;  // between runs of digits
  bool grouped = true;     // every run but the first and the last has three digits, the first at most three
  std::vector<size_t> runs{0};
  for (const char c : text)
    if (is_digit(c))
      ++runs.back();
    else if (c == ',' || c == '.' || c == ' ' || c == '\'' || c == '_')
      separators += c, runs.push_back(0);
    else
      return false;
  if (separators.empty() || std::find(runs.begin(), runs.end(), size_t{0}) != runs.end()) return false;
  if (separators == ",") return true;
  for (size_t i = 1; i + 1 < runs.size(); ++i) grouped = grouped && runs[i] == 3;
  const bool one_kind = separators.find_first_not_of(separators[0]) == separators.npos;
  const bool all_but_last = separators.find_first_not_of(separators[0]) == separators.size() - 1;
  const bool last_is_point = all_but_last && (separators.back() == '.' || separators.back() == ',');
  return grouped && runs[0] <= 3 && ((one_kind && separators != "." && runs.back() == 3) || last_is_point);
}

bool is_number_with_sign(std::string_view text) {
  const auto is_number = [](std::string_view part) {
    return number_of(trimmed(part)).has_value() || is_separated_number(std::string(trimmed(part)));
  };
  for (const std::string_view sign : {"\xC2\xB1", "+/-", "+-"})  // ±
    if (const auto at = text.find(sign); at != text.npos && at > 0)
      return is_number(text.substr(0, at)) && is_number(text.substr(at + sign.size()));
  if (text.ends_with('%')) return is_number(text.substr(0, text.size() - 1));
  for (const std::string_view minus : {"\xE2\x88\x92", "\xE2\x80\x93"})  // the minus sign and the en dash
    if (text.starts_with(minus)) return is_number(text.substr(minus.size()));
  if (text.ends_with('*')) return is_number(text.substr(0, text.find_last_not_of('*') + 1));  // of significance
  if (text.starts_with('(') && text.ends_with(')') && text.size() > 2)                        // in accounts, negative
    return is_number(text.substr(1, text.size() - 2));
  if (const auto exponent = text.find_first_of("dD"); exponent != text.npos && exponent > 0)  // Fortran's 1.5D+00
    return number_of(concat(text.substr(0, exponent), "e", text.substr(exponent + 1))).has_value();
  for (const std::string_view sign : {"<=", ">=", "<", ">", "~", "\xE2\x89\xA4", "\xE2\x89\xA5"})  // ≤ ≥
    if (text.starts_with(sign)) return is_number(text.substr(sign.size()));
  constexpr size_t kLongestUnit = 6;  // bytes
  const auto blank = text.rfind(' ');
  return blank != text.npos && text.size() - blank - 1 <= kLongestUnit && is_number(text.substr(0, blank)) &&
         !is_number(text.substr(blank + 1));
}

bool is_infinite(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = parse_number<double>(text);
  return value && std::isinf(*value);
}

bool is_spreadsheet_error(std::string_view text) {
  return text.size() > 2 && text.front() == '#' && (text.back() == '!' || text == "#NAME?");
}

bool is_bits(std::string_view text) { return text.size() > 1 && text.find_first_not_of("01") == text.npos; }

std::optional<int64_t> whole_of(std::string_view text) {
  const auto value = number_of(text);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 1e15) return std::nullopt;
  return static_cast<int64_t>(*value);
}

std::optional<bool> truth_of(std::string_view text) {
  if (const auto whole = whole_of(text))
    return *whole == 0 || *whole == 1 ? std::optional<bool>(*whole == 1) : std::nullopt;
  for (const auto& [no, yes] :
       {std::pair("negative", "positive"), std::pair("no", "yes"), std::pair("false", "true")}) {
    if (io::equal_words(text, no)) return false;
    if (io::equal_words(text, yes)) return true;
  }
  return std::nullopt;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(",;"), text.size());
    auto word = trimmed(text.substr(0, end));
    const bool quoted = word.size() > 1 && (word[0] == '\'' || word[0] == '"') && word.back() == word[0];
    if (quoted) word = trimmed(word.substr(1, word.size() - 2));
    if (!word.empty() && word != ".") words.emplace_back(word);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

}  // namespace bigdna::dataset
