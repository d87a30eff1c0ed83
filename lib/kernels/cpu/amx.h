/// Matrix products on AMX's tiles, and the operands of every product. Plain C++: no Highway, no std.
#pragma once

#include <cstdint>

namespace bigdna::kernels {

/// A stretch of the dimension that A [rows, words] and B [words, columns] share. A word is a float, or two
/// neighbouring bf16; strides are in words.
struct Panel {
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t b_stride;
  int64_t words;
};

constexpr int64_t kTileRows = 32, kTileWords = 16;  // of 2 x 2 tiles of C; of a step

inline bool fits_tiles(const Panel* panels, int count, int64_t columns, int64_t rows) {
  bool fits = columns % kTileRows == 0 && rows % kTileRows == 0;
  for (int i = 0; i < count; ++i) fits = fits && panels[i].words % kTileWords == 0;
  return fits;
}

/// C[rows, columns] (+)= A B in bf16, where fits_tiles(). Tiles: amx.cpp's, or a test's twin of them.
template <class Tiles>
void tile_product(Tiles& tiles, const Panel* panels, int count, int64_t columns, float* c, int64_t ldc, int64_t rows,
                  bool add) {
  for (int64_t column = 0; column < columns; column += kTileRows)
    for (int64_t row = 0; row < rows; row += kTileRows) {
      float* to = c + row * ldc + column;
      if (add)
        tiles.load(to, ldc);
      else
        tiles.zero();
      for (int i = 0; i < count; ++i) {
        const Panel& p = panels[i];
        for (int64_t word = 0; word < p.words; word += kTileWords)
          tiles.multiply_add(p.a + row * p.a_stride + word, p.a_stride, p.b + word * p.b_stride + column, p.b_stride);
      }
      tiles.store(to, ldc);
    }
}

/// Whether this processor has AMX for bf16 and the operating system permits it. Asks the system once.
bool has_amx();
/// Configures this thread's tiles for as long as the object lives (other libraries configure them differently).
struct AmxScope {
  AmxScope();
  ~AmxScope();
  AmxScope(const AmxScope&) = delete;
};
/// To be called within an AmxScope, if has_amx() and fits_tiles().
void amx_product(const Panel* panels, int count, int64_t columns, float* c, int64_t ldc, int64_t rows, bool add);

}  // namespace bigdna::kernels
