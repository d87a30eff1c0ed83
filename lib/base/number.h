/// A number that a whole text stands for.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace bigdna {

/// As std::from_chars() reads it: no blanks, no leading +, whatever the locale. Nothing if more than a number is there,
/// or if `T` cannot hold it.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace bigdna
