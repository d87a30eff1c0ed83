#pragma once

#include <string_view>

namespace bigdna {

/// Whether `text` is UTF-8, as all that goes into a JSON file has to be.
bool is_utf8(std::string_view text);

}  // namespace bigdna
