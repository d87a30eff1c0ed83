// AMX's order of work with its tiles played by plain C++: what can be checked where there is no AMX; and on
// AMX itself where there is.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/rng.h"
#include "kernels/cpu/amx.h"

namespace bigdna::kernels {
namespace {

/// A word's two bf16: the first in the low half.
float half(float word, bool high) {
  uint32_t bits;
  std::memcpy(&bits, &word, 4);
  bits = high ? bits & 0xFFFF0000 : bits << 16;
  std::memcpy(&word, &bits, 4);
  return word;
}

/// What amx.cpp's do: 32 x 32 of C, 16 words a step.
struct PlainTiles {
  float sums[32][32];
  void zero() { std::memset(sums, 0, sizeof sums); }
  void load(const float* c, int64_t stride) {
    for (int r = 0; r < 32; ++r) std::memcpy(sums[r], c + r * stride, sizeof sums[r]);
  }
  void store(float* c, int64_t stride) {
    for (int r = 0; r < 32; ++r) std::memcpy(c + r * stride, sums[r], sizeof sums[r]);
  }
  void multiply_add(const float* a, int64_t a_stride, const float* b, int64_t b_stride) {
    for (int r = 0; r < 32; ++r)
      for (int c = 0; c < 32; ++c)
        for (int word = 0; word < 16; ++word)
          for (const bool high : {false, true})
            sums[r][c] += half(a[r * a_stride + word], high) * half(b[word * b_stride + c], high);
  }
};

/// Small whole numbers: sums are exact in any order.
std::vector<float> words(size_t count, Rng& rng) {
  std::vector<float> list(count);
  for (float& word : list) {
    uint32_t bits = 0;
    for (int i = 0; i < 2; ++i) {
      const float value = static_cast<float>(rng.below(17)) - 8;
      uint32_t part;
      std::memcpy(&part, &value, 4);
      bits = bits >> 16 | (part & 0xFFFF0000);
    }
    std::memcpy(&word, &bits, 4);
  }
  return list;
}

TEST(Tiles, equal_plain_products) {
  Rng rng(5);
  for (const int64_t rows : {32, 64})
    for (const int64_t columns : {32, 96})
      for (const bool add : {false, true}) {
        const int64_t lda = 80, ldb = columns + 16, ldc = columns + 48;
        const std::vector<float> a = words(rows * lda, rng), b = words(64 * ldb, rng);
        const Panel panels[] = {{a.data(), lda, b.data(), ldb, 32}, {a.data() + 40, lda, b.data() + 40 * ldb, ldb, 16}};
        std::vector<float> expected(rows * ldc, 3);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c) {
            float sum = add ? 3 : 0;
            for (const Panel& p : panels)
              for (int64_t word = 0; word < p.words; ++word)
                for (const bool high : {false, true})
                  sum += half(p.a[r * lda + word], high) * half(p.b[word * ldb + c], high);
            expected[r * ldc + c] = sum;
          }
        ASSERT_TRUE(fits_tiles(panels, 2, columns, rows));
        std::vector<float> ours(rows * ldc, 3);
        PlainTiles tiles;
        tile_product(tiles, panels, 2, columns, ours.data(), ldc, rows, add);
        EXPECT_EQ(ours, expected);
        if (!has_amx()) continue;
        ours.assign(rows * ldc, 3);
        const AmxScope scope;
        amx_product(panels, 2, columns, ours.data(), ldc, rows, add);
        EXPECT_EQ(ours, expected);
      }
}

TEST(Tiles, other_shapes_are_left_alone) {
  const Panel whole{nullptr, 0, nullptr, 0, 32}, part{nullptr, 0, nullptr, 0, 24};
  EXPECT_TRUE(fits_tiles(&whole, 1, 64, 64));
  EXPECT_FALSE(fits_tiles(&part, 1, 64, 64));
  EXPECT_FALSE(fits_tiles(&whole, 1, 48, 64));
  EXPECT_FALSE(fits_tiles(&whole, 1, 64, 37));
}

}  // namespace
}  // namespace bigdna::kernels
