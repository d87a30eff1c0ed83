/// Checks the table of a SentencePiece normaliser, which the library follows without looking at its bounds.
#pragma once

#include <string_view>

namespace bigdna::tokenizer {

/// "" if no text can lead the library out of a NormalizerSpec's precompiled_charsmap; otherwise what is wrong. The
/// table is the number of bytes of a double array (Darts-clone: Yata et al. 2007) as uint32, the double array, and the
/// texts that its leaves point to, each with a NUL behind it. An empty table is none.
std::string_view fault_of_charsmap(std::string_view table);

}  // namespace bigdna::tokenizer
