#include "base/utf8.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bigdna {

bool is_utf8(std::string_view text) try {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 128; };
  if (!std::all_of(text.begin(), text.end(), ascii)) (void)nlohmann::json(text).dump();
  return true;
} catch (const nlohmann::json::exception&) {
  return false;
}

}  // namespace bigdna
