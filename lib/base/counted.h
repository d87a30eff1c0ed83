/// Numbers of things in messages.
#pragma once

#include <concepts>
#include <string>

namespace bigdna {

/// "1 file", "2 files". `many`: the plural where it takes more than an s, or a verb follows: "1 interval is".
inline std::string counted(std::integral auto count, const std::string& one, const std::string& many = "") {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace bigdna
