/// A text with its bases packed in two bits each: gives windows of 16 bases at any position, and where runs of bases
/// end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tokenizer/dna_tables.h"

namespace bigdna::tokenizer {

class PackedText {
 public:
  /// Keeps a view of the text. Characters that are not bases get an arbitrary code; run_end() tells where they are.
  void assign(std::string_view text) {
    text_ = text;
    packed_.resize(text.size() / 4 + 16);
    size_t i = 0, out = 0;
    for (; i + 8 <= text.size(); i += 8, out += 2) {
      uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
      word = word >> 1 & 0x0303030303030303;
      word = (word | word >> 6) & 0x000f000f000f000f;
      word = (word | word >> 12) & 0x000000ff000000ff;
      word |= word >> 24;
      packed_[out] = static_cast<uint8_t>(word >> 8);
      packed_[out + 1] = static_cast<uint8_t>(word);
    }
    uint32_t rest = 0;
    for (size_t k = 0; k < 8; ++k) rest = rest << 2 | (i + k < text.size() ? DnaTables::code(text[i + k]) : 0);
    packed_[out++] = static_cast<uint8_t>(rest >> 8);
    packed_[out++] = static_cast<uint8_t>(rest);
    std::memset(packed_.data() + out, 0, packed_.size() - out);
    run_begin_ = run_end_ = 0;
  }

  /// 16 bases from `at` on, the first in the highest bits; zeros past the end.
  uint32_t window(size_t at) const {
    uint64_t word;
    std::memcpy(&word, packed_.data() + at / 4, 8);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    return static_cast<uint32_t>(word << (at % 4 * 2) >> 32);
  }

  /// The end of the run of bases that holds `at`; `at` itself if it is not a base.
  size_t run_end(size_t at) {
    if (at >= run_begin_ && at < run_end_) return run_end_;
    size_t end = at;
    while (end < text_.size() && DnaTables::is_base(text_[end])) ++end;
    if (end == at) return at;
    run_begin_ = at;
    return run_end_ = end;
  }

 private:
  std::string_view text_;
  std::vector<uint8_t> packed_;
  size_t run_begin_ = 0, run_end_ = 0;
};

}  // namespace bigdna::tokenizer
