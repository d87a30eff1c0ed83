/// The encoding of text in files: UTF-8.
#pragma once

#include <string_view>

namespace bigdna {

/// Whether `text` is valid UTF-8, as everything written to a JSON file must be.
bool is_utf8(std::string_view text);

}  // namespace bigdna
