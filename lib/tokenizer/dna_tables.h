/// The encoder's fast path: packed tables for the pieces of up to 16 bases that consist of A, C, G and T alone. They
/// tell which pieces match at a position, and whether two pieces stay apart.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/token_boundary.h"

namespace bigdna::tokenizer {

class DnaTables {
 public:
  static constexpr uint16_t kNone = UINT16_MAX;
  static constexpr int kLongest = 16;  // bases: two bits each in a uint32_t

  /// Two bits a base: A 0, C 1, T 2, G 3 (bits 1 and 2 of the letter).
  static uint32_t code(char base) { return static_cast<uint32_t>(base >> 1) & 3; }
  static bool is_base(char c) { return c == 'A' || c == 'C' || c == 'G' || c == 'T'; }

  /// usable() is false if the vocabulary needs the general path: explicit merges, equal scores, too many pieces, or
  /// pieces of more than kLongest bases.
  DnaTables(const Vocabulary& vocabulary, const TokenBoundary& pairs);
  bool usable() const { return usable_; }

  size_t size() const { return tokens_.size(); }
  TokenId id(uint16_t token) const { return ids_[token]; }
  uint32_t length(uint16_t token) const { return lengths_[token]; }

  /// Bit l - 1 is set if a piece of l bases may match where the next 16 bases are `window`, with the first base in the
  /// highest bits.
  uint32_t lengths_at(uint32_t window) const { return by_prefix_[window >> 16]; }
  /// The reachable piece that is the first `length` bases of the window, or kNone.
  uint16_t piece_at(uint32_t window, uint32_t length) const {
    const uint16_t token = find(window >> (32 - 2 * length), length);
    return token != kNone && reachable_[token] ? token : kNone;
  }
  /// TokenBoundary::stay_apart of two pieces.
  bool stay_apart(uint16_t a, uint16_t b) const;

 private:
  /// Tokens are numbered by rank, after the single bases.
  struct Token {
    uint32_t code;
    uint16_t left, right;
  };
  static constexpr uint32_t kBits = 10;  // each pair of the first 1024 tokens has a bit

  void number_pieces(const Vocabulary& vocabulary, const TokenBoundary& pairs);
  void index_pieces();
  void fill_bitmap();
  uint16_t find(uint32_t code, uint32_t length) const {
    if (length <= 8) return short_[offset(length) + code];
    const uint64_t key = hash(code, length), bit = key >> filter_shift_;
    if (!(filter_[bit >> 6] >> (bit & 63) & 1)) return kNone;
    for (uint64_t i = key >> shift_;; i = (i + 1) & (long_.size() - 1)) {
      const uint32_t entry = long_[i];
      if (entry == kFree) return kNone;
      const auto token = static_cast<uint16_t>(entry);
      if (entry >> 16 == (key >> 16 & 0xffff) && tokens_[token].code == code && lengths_[token] == length) return token;
    }
  }
  static uint32_t offset(uint32_t length) { return ((1u << (2 * length)) - 4) / 3; }
  static uint64_t hash(uint32_t code, uint32_t length) {
    return ((uint64_t{1} << (2 * length)) | code) * 0x9E3779B97F4A7C15;
  }
  bool bit(uint32_t a, uint32_t b) const { return bitmap_[(a << kBits | b) >> 6] >> (b & 63) & 1; }

  static constexpr uint32_t kFree = UINT32_MAX;
  const TokenBoundary& pairs_;
  bool usable_ = true, any_irregular_ = false;
  uint32_t bases_ = 0;  // number of pieces of one base
  std::vector<TokenId> ids_;
  std::vector<Token> tokens_;
  std::vector<uint8_t> lengths_, reachable_, irregular_;
  std::vector<uint16_t> by_prefix_;  // by 8 bases
  std::vector<uint16_t> short_;      // by length up to 8 and code
  std::vector<uint32_t> long_;       // longer: 16 bits of the hash, token
  std::vector<uint64_t> filter_;     // bits by hash: most lookups find no piece, which is then a well-predicted branch
  int shift_ = 0, filter_shift_ = 0;
  std::vector<uint64_t> bitmap_;
};

}  // namespace bigdna::tokenizer
