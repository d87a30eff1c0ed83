/// CUDA's words for the CPU, enough to run lib/kernels/cuda's kernels in a test (block_emulator.h runs their threads).
/// Fragments are laid out as the PTX ISA manual draws them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/block_emulator.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};

namespace emulator {

/// The 16-bit value in row `k`, column `n` of wgmma's B, where the manual's canonical layouts have it. `rows`:
/// MN-major.
inline uint16_t of_matrix(uint64_t descriptor, bool rows, uint32_t k, uint32_t n) {
  const auto field = [&](int at) { return static_cast<uint32_t>(descriptor >> at & 0x3FFF) << 4; };
  const uint32_t start = field(0), leading = field(16), stride = field(32),
                 mode = static_cast<uint32_t>(descriptor >> 62);
  const uint32_t width = mode == 1 ? 128 : 64, panel = width / 2;  // bytes; values
  if (mode != 1 && mode != 2) block->outside = true;               // no other swizzling is used here
  const uint32_t linear = rows ? n % panel * 2 + n / panel * leading + k % 8 * width + k / 8 * stride
                               : n % 8 * width + n / 8 * stride + k * 2;
  const uint32_t at = start + linear, swizzled = at ^ (at >> 7 & (width / 16 - 1)) << 4;
  block->unfenced |= block->writers[swizzled / 16] != 0;
  uint16_t bits;
  std::memcpy(&bits, address(swizzled, 2), 2);
  return bits;
}

}  // namespace emulator

/// 16-bit types, for reading and writing values and as names for the instructions below.
struct __nv_bfloat16 {
  uint16_t bits = 0;
  __nv_bfloat16() = default;
  explicit __nv_bfloat16(float x) {
    uint32_t wide;
    std::memcpy(&wide, &x, 4);
    bits = std::isnan(x) ? 0x7FC0 : static_cast<uint16_t>((wide + 0x7FFF + (wide >> 16 & 1)) >> 16);
  }
  operator float() const {
    const uint32_t wide = uint32_t{bits} << 16;
    float x;
    std::memcpy(&x, &wide, 4);
    return x;
  }
};
struct __half {
  _Float16 value = 0;
  __half() = default;
  explicit __half(float x) : value(static_cast<_Float16>(x)) {}
  operator float() const { return static_cast<float>(value); }
};

template <class T>
uint32_t pack(float low, float high) {
  const T pair[2] = {T(low), T(high)};
  uint32_t bits;
  std::memcpy(&bits, pair, 4);
  return bits;
}
template <class T>
float2 unpack(uint32_t bits) {
  T pair[2];
  std::memcpy(static_cast<void*>(pair), &bits, 4);
  return {pair[0], pair[1]};
}

template <class T>
void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  emulator::Post post;
  for (unsigned i = 0; i < 4; ++i) {
    const float2 pair = unpack<T>(a[i]);
    post.a[i * 2] = pair.x, post.a[i * 2 + 1] = pair.y;
  }
  const float2 low = unpack<T>(b0), high = unpack<T>(b1);
  post.b[0] = low.x, post.b[1] = low.y, post.b[2] = high.x, post.b[3] = high.y;
  const emulator::Exchange warp(post);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = emulator::lane() / 4 + i / 2 * 8, column = emulator::lane() % 4 * 2 + i % 2;
    float sum = 0;
    for (unsigned k = 0; k < 16; ++k)
      sum += warp.of(row % 8 * 4 + k % 8 / 2).a[(row / 8 + k / 8 * 2) * 2 + k % 2] *
             warp.of(column * 4 + k % 8 / 2).b[k / 8 * 2 + k % 2];
    c[i] += sum;
  }
}
constexpr bool kWarpgroups = true;
inline uint32_t shared_address(uint32_t offset) { return offset; }
inline void __trap() { std::abort(); }
inline void fence_copies() {
  for (unsigned& writer : emulator::block->writers)
    if (writer == emulator::block->current + 1) writer = 0;
}
template <int N>
void wgmma_begin(float (&)[N][4]) {
  emulator::block->fibers[emulator::block->current].begun = true;
}
template <int N, int K>
void wgmma_begin(float (&c)[N][4], uint32_t (&)[K][4]) {
  wgmma_begin(c);
}
namespace emulator {

/// What a thread computes of a product: `a(half, k)` is element k of its row g (half 0) or g + 8 (half 1).
template <class T, int N, int kRows, class Rows>
auto product(float (&c)[N / 8][4], Rows a, uint64_t b, int add) {
  return [&c, a, b, add] {
    for (unsigned j = 0; j < N / 8; ++j)
      for (unsigned i = 0; i < 4; ++i) {
        float sum = 0;
        for (unsigned k = 0; k < 16; ++k)
          sum += a(i / 2, k) * unpack<T>(of_matrix(b, kRows, k, j * 8 + lane() % 4 * 2 + i % 2)).x;
        c[j][i] = add ? c[j][i] + sum : sum;
      }
  };
}
/// Does it, now or at wgmma_end().
template <class Product>
void start(Product product) {
  Fiber& self = block->fibers[block->current];
  if (!self.begun || block->fibers.size() % 128 != 0) block->unfenced = true;
  if (products == Arrive::at_once)
    product();
  else
    self.products.push_back(std::move(product));
}

}  // namespace emulator

template <class T, int N, int kRows>
void wgmma(float (&c)[N / 8][4], const uint32_t (&a)[4], uint64_t b, int add) {
  emulator::Post post;
  for (unsigned i = 0; i < 4; ++i) {
    const float2 pair = unpack<T>(a[i]);
    post.a[i * 2] = pair.x, post.a[i * 2 + 1] = pair.y;
  }
  const emulator::Exchange warp(post);
  std::vector<float> rows(2 * 16);  // g and g + 8
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned k = 0; k < 16; ++k)
      rows[half * 16 + k] = warp.of(emulator::lane() / 4 * 4 + k % 8 / 2).a[(half + k / 8 * 2) * 2 + k % 2];
  emulator::start(emulator::product<T, N, kRows>(
      c, [rows](unsigned half, unsigned k) { return rows[half * 16 + k]; }, b, add));
}
template <class T, int N, int kRows>
void wgmma(float (&c)[N / 8][4], uint64_t a, uint64_t b, int add) {
  const unsigned row = emulator::block->current % 128 / 32 * 16 + emulator::lane() / 4;
  const auto of_rows = [a, row](unsigned half, unsigned k) {
    return unpack<T>(emulator::of_matrix(a, false, k, row + half * 8)).x;
  };
  emulator::start(emulator::product<T, N, kRows>(c, of_rows, b, add));
}
template <int N>
void wgmma_end(float (&)[N][4]) {
  emulator::Fiber& self = emulator::block->fibers[emulator::block->current];
  for (const auto& product : self.products) product();
  self.products.clear();
  self.begun = false;
}
inline void ldmatrix(uint32_t (&r)[4], uint32_t offset) { emulator::ldmatrix(r, offset, false); }
inline void ldmatrix_transposed(uint32_t (&r)[4], uint32_t offset) { emulator::ldmatrix(r, offset, true); }

template <class T>
T* shared_at(uint32_t offset) {
  return reinterpret_cast<T*>(emulator::address(offset, alignof(T)));
}
inline void copy16(uint32_t offset, const void* from, bool real) { emulator::copy(offset, from, real, 16); }
inline void copy4(uint32_t offset, const void* from, bool real) { emulator::copy(offset, from, real, 4); }
inline void wait_for_copies() {
  auto& list = emulator::block->fibers[emulator::block->current].copies;
  for (const emulator::Copy& copy : list) emulator::deliver(copy);
  list.clear();
}
inline float exp2_fast(float x) { return std::exp2(x); }
inline float __fmul_rn(float a, float b) { return a * b; }

inline void __syncthreads() {
  emulator::wait(&emulator::Fiber::block_barriers, 0, static_cast<unsigned>(emulator::block->fibers.size()));
}
inline void __syncwarp() { emulator::wait_for_warp(); }
template <class T>
T __shfl_sync(unsigned, T value, int from) {
  return emulator::shuffle(value, static_cast<unsigned>(from));
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulator::shuffle(value, (emulator::block->current % 32) ^ static_cast<unsigned>(mask));
}
inline uint32_t __umulhi(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
inline float __uint_as_float(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline float __expf(float x) { return std::exp(x); }
using std::max;
using std::min;
