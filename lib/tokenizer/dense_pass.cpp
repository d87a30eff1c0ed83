#include "tokenizer/dense_pass.h"

#include <cstring>

#define HWY_WANT_AVX3_DL 1  // its byte compress makes the pass three times as fast
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tokenizer/dense_pass.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"

#ifndef BIGDNA_TOKENIZER_DENSE_PASS_ONCE
#define BIGDNA_TOKENIZER_DENSE_PASS_ONCE
namespace bigdna::tokenizer {

/// The state of a pass: tokens before `in` have been read, tokens before `out` written; `previous` is the token left of
/// `in`.
struct DenseState {
  size_t in = 0, out = 0;
  uint8_t previous;
};

inline void dense_scalar(uint8_t* tokens, size_t size, uint8_t left, uint8_t right, uint8_t merged, DenseState& state,
                         DenseCounts& counts) {
  while (state.in < size) {
    const uint8_t token = tokens[state.in];
    if (token == left && state.in + 1 < size && tokens[state.in + 1] == right) {
      if (state.previous == merged)
        ++counts.adjacent;
      else
        ++counts.before[state.previous];
      ++counts.after[tokens[state.in + 2]];
      tokens[state.out++] = state.previous = merged;
      state.in += 2;
    } else {
      tokens[state.out++] = state.previous = token;
      ++state.in;
    }
  }
}

}  // namespace bigdna::tokenizer
#endif

HWY_BEFORE_NAMESPACE();
namespace bigdna::tokenizer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Every second bit of each run of ones, from its first bit on: where merges of a token with itself begin.
inline uint64_t alternate(uint64_t runs) {
  constexpr uint64_t kEven = 0x5555555555555555;
  const uint64_t starts = runs & ~(runs << 1);
  const uint64_t from_even = runs & ~(runs + (starts & kEven));  // a sum clears the runs that begin at even bits
  return (from_even & kEven) | (runs & ~from_even & ~kEven);
}

/// Processes blocks of 64 tokens while they and the token after them lie within `size`. A block is read completely
/// before what remains of it is stored, at or before its old position.
void dense_blocks(uint8_t* tokens, size_t size, uint8_t left, uint8_t right, uint8_t merged, DenseState& state,
                  DenseCounts& counts) {
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint8_t, 64> d;
  const size_t lanes = hn::Lanes(d);
  const auto a = hn::Set(d, left), b = hn::Set(d, right), t = hn::Set(d, merged);
  // four of each, so that equal neighbours do not wait for each other
  uint32_t before[4][256] = {}, after[4][256] = {};
  uint64_t carry1 = 0, carry2 = 0;  // the previous block merged at its last token; at its last but one
  uint8_t previous = state.previous;
  size_t in = state.in, out = state.out;
  uint32_t turn = 0;
  for (; in + 66 <= size; in += 64) {
    uint64_t merges = 0;
    for (size_t k = 0; k < 64; k += lanes) {
      const auto first = hn::LoadU(d, tokens + in + k), second = hn::LoadU(d, tokens + in + k + 1);
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, hn::And(hn::Eq(first, a), hn::Eq(second, b)), bits);
      uint64_t word;
      std::memcpy(&word, bits, 8);
      merges |= word << k;
    }
    if (left == right) merges = alternate(merges & ~carry1);
    const uint64_t beside = merges << 2 | carry2 | carry1 << 1;
    counts.adjacent += static_cast<uint64_t>(__builtin_popcountll(merges & beside));
    for (uint64_t rest = merges & ~beside; rest; rest &= rest - 1) {
      const int j = __builtin_ctzll(rest);
      ++before[turn++ & 3][j ? tokens[in + static_cast<size_t>(j) - 1] : previous];
    }
    for (uint64_t rest = merges; rest; rest &= rest - 1)
      ++after[turn++ & 3][tokens[in + static_cast<size_t>(__builtin_ctzll(rest)) + 2]];
    const uint64_t keep = ~(merges << 1 | carry1);
    previous = tokens[in + 63];
    for (size_t k = 0; k < 64; k += lanes) {
      uint8_t merge_bits[8], keep_bits[8];
      const uint64_t merge_word = merges >> k, keep_word = keep >> k;
      std::memcpy(merge_bits, &merge_word, 8);
      std::memcpy(keep_bits, &keep_word, 8);
      const auto values = hn::IfThenElse(hn::LoadMaskBits(d, merge_bits), t, hn::LoadU(d, tokens + in + k));
      if (merges == 0 && carry1 == 0) {
        hn::StoreU(values, d, tokens + out);
        out += lanes;
      } else {
        out += hn::CompressStore(values, hn::LoadMaskBits(d, keep_bits), d, tokens + out);
      }
    }
    carry1 = merges >> 63;
    carry2 = merges >> 62 & 1;
  }
  for (int k = 0; k < 4; ++k)
    for (size_t j = 0; j < 256; ++j) counts.before[j] += before[k][j], counts.after[j] += after[k][j];
  state = {in + carry1, out, carry1 || carry2 ? merged : previous};
#else
  (void)tokens, (void)size, (void)left, (void)right, (void)merged, (void)state, (void)counts;
#endif
}

}  // namespace bigdna::tokenizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bigdna::tokenizer {

HWY_EXPORT(dense_blocks);

size_t dense_pass(uint8_t* tokens, size_t size, uint8_t left, uint8_t right, uint8_t merged, uint8_t end,
                  DenseCounts& counts) {
  DenseState state{0, 0, end};
  HWY_DYNAMIC_DISPATCH(dense_blocks)(tokens, size, left, right, merged, state, counts);
  dense_scalar(tokens, size, left, right, merged, state, counts);
  return state.out;
}

size_t dense_pass_scalar(uint8_t* tokens, size_t size, uint8_t left, uint8_t right, uint8_t merged, uint8_t end,
                         DenseCounts& counts) {
  DenseState state{0, 0, end};
  dense_scalar(tokens, size, left, right, merged, state, counts);
  return state.out;
}

}  // namespace bigdna::tokenizer
#endif
