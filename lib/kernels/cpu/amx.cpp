#include "kernels/cpu/amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC target("amx-tile,amx-bf16")

namespace bigdna::kernels {
namespace {

/// Tiles 0..3: C, 2 x 2 of 16 x 16 floats; 4, 5: A's rows; 6, 7: B's columns.
struct Tiles {
  void zero() {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  void load(const float* c, int64_t stride) {
    _tile_loadd(0, c, stride * 4);
    _tile_loadd(1, c + 16, stride * 4);
    _tile_loadd(2, c + 16 * stride, stride * 4);
    _tile_loadd(3, c + 16 * stride + 16, stride * 4);
  }
  void store(float* c, int64_t stride) {
    _tile_stored(0, c, stride * 4);
    _tile_stored(1, c + 16, stride * 4);
    _tile_stored(2, c + 16 * stride, stride * 4);
    _tile_stored(3, c + 16 * stride + 16, stride * 4);
  }
  void multiply_add(const float* a, int64_t a_stride, const float* b, int64_t b_stride) {
    _tile_loadd(4, a, a_stride * 4);
    _tile_loadd(6, b, b_stride * 4);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + 16, b_stride * 4);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + 16 * a_stride, a_stride * 4);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
};

struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kConfig;

void configure() { _tile_loadconfig(&kConfig); }
void release() { _tile_release(); }

bool request_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  __builtin_cpu_init();
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool has_amx() {
  static const bool has = request_amx();
  return has;
}
AmxScope::AmxScope() {
  if (has_amx()) configure();
}
AmxScope::~AmxScope() {
  if (has_amx()) release();
}
void amx_product(const Panel* panels, int count, int64_t columns, float* c, int64_t ldc, int64_t rows, bool add) {
  Tiles tiles;
  tile_product(tiles, panels, count, columns, c, ldc, rows, add);
}

}  // namespace bigdna::kernels

#else

namespace bigdna::kernels {
bool has_amx() { return false; }
AmxScope::AmxScope() = default;
AmxScope::~AmxScope() = default;
void amx_product(const Panel*, int, int64_t, float*, int64_t, int64_t, bool) {}
}  // namespace bigdna::kernels

#endif
