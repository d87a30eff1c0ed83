/// Encodes a text that differs from an encoded one in a few places: only the tokens around these are computed again.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tokenizer/encoder.h"

namespace bigdna::tokenizer {

/// Bases [from, from + length) of the original are bases [to, to + length) of the edited text.
struct SharedPart {
  int64_t from = 0, to = 0, length = 0;
};

/// Returns what encoder.encode(edited) does. `original` is the encoding of the original text; `shared` are the parts
/// that both texts have in common, in order and without overlap. Only the text between them is encoded, with enough of
/// its surroundings to join the original's tokens.
Encoding encode_edited(const Encoder& encoder, const Encoding& original, std::string_view edited,
                       std::span<const SharedPart> shared);

}  // namespace bigdna::tokenizer
