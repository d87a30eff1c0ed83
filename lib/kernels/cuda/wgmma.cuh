// A warpgroup's matrix instructions, one function each (PTX ISA: wgmma.mma_async; sm_90a alone): four neighbouring
// warps multiply 64 rows, 16 a warp, by a tile in shared memory, which is read once for all four where mma.sync reads
// it once a warp. Fragments are mma's (mma.cuh): a warp's A, which may be in shared memory too, and C are its own 16
// rows. tests/unit/kernels/cuda_emulator.h has the same functions for the CPU.
//
// In order: fence_copies() by all who wrote the tile, a barrier, wgmma_begin(c) or (c, a), wgmma() ..., wgmma_end(c);
// neither c nor a is touched between the first and the last of these. A fragment a that is still needed after them
// (the same rows times the next tile) is best left in shared memory: ptxas 13.0 gives its registers to others.
#pragma once

#include "kernels/cuda/mma.cuh"

namespace bigdna::kernels {
namespace {

/// A or B in shared memory, as the manual's matrix descriptor: `inside` bytes from a tile's address (which is worked
/// out once for all parts of the tile), bytes to the next panel of 64 columns, bytes to the next 8 rows, and rows of 64
/// or of 128 swizzled bytes.
__device__ uint64_t matrix_descriptor(uint32_t tile, uint32_t inside, uint32_t panel_bytes, uint32_t eight_rows_bytes,
                                      int row_bytes) {
  const uint32_t swizzle = row_bytes == 64 ? 2 : 1;
  const uint32_t low = ((shared_address(tile) & 0x3FFFF) >> 4 | panel_bytes >> 4 << 16) + (inside >> 4),
                 high = eight_rows_bytes >> 4 | swizzle << 30;
  return uint64_t{high} << 32 | low;
}

#ifdef __CUDACC__

/// Whether this is compiled for a device that has them.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define BIGDNA_WARPGROUPS 1
#else
#define BIGDNA_WARPGROUPS 0
#endif
constexpr bool kWarpgroups = BIGDNA_WARPGROUPS;

#define BIGDNA_SUM(j) "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
#if BIGDNA_WARPGROUPS
#define BIGDNA_SUMS_32 BIGDNA_SUM(0), BIGDNA_SUM(1), BIGDNA_SUM(2), BIGDNA_SUM(3)
#define BIGDNA_SUMS_64 BIGDNA_SUMS_32, BIGDNA_SUM(4), BIGDNA_SUM(5), BIGDNA_SUM(6), BIGDNA_SUM(7)
#define BIGDNA_SUMS_128                                                                                         \
  BIGDNA_SUMS_64, BIGDNA_SUM(8), BIGDNA_SUM(9), BIGDNA_SUM(10), BIGDNA_SUM(11), BIGDNA_SUM(12), BIGDNA_SUM(13), \
      BIGDNA_SUM(14), BIGDNA_SUM(15)
#define BIGDNA_OPERANDS_32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define BIGDNA_OPERANDS_64 BIGDNA_OPERANDS_32 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define BIGDNA_OPERANDS_128                                                                       \
  BIGDNA_OPERANDS_64                                                                              \
      ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53," \
      "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
/// `a0` ... `rows`: the numbers of the operands after the sums.
#define BIGDNA_WGMMA(n, type, a0, a1, a2, a3, descriptor, plus, rows)                                              \
  if constexpr (N == n)                                                                                            \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %" #plus ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type \
               "." type " {" BIGDNA_OPERANDS_##n "}, {%" #a0 ",%" #a1 ",%" #a2 ",%" #a3 "}, %" #descriptor         \
                                                 ", p, 1, 1, %" #rows "; }"                                        \
               : BIGDNA_SUMS_##n                                                                                   \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(kRows))
/// The same with A in shared memory.
#define BIGDNA_WGMMA_SHARED(n, type, left, descriptor, plus, rows)                                                 \
  if constexpr (N == n)                                                                                            \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %" #plus ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type \
               "." type " {" BIGDNA_OPERANDS_##n "}, %" #left ", %" #descriptor ", p, 1, 1, 0, %" #rows "; }"      \
               : BIGDNA_SUMS_##n                                                                                   \
               : "l"(a), "l"(b), "r"(add), "n"(kRows))
#define BIGDNA_WGMMA_OF(type)                         \
  BIGDNA_WGMMA(32, type, 16, 17, 18, 19, 20, 21, 22); \
  BIGDNA_WGMMA(64, type, 32, 33, 34, 35, 36, 37, 38); \
  BIGDNA_WGMMA(128, type, 64, 65, 66, 67, 68, 69, 70)
#define BIGDNA_WGMMA_SHARED_OF(type)             \
  BIGDNA_WGMMA_SHARED(32, type, 16, 17, 18, 19); \
  BIGDNA_WGMMA_SHARED(64, type, 32, 33, 34, 35)
#endif

/// Starts c = a b (add = 0) or c += a b. B is 16 x N. kRows 1: its rows are rows of the tile; 0: its columns are.
template <class T, int N, int kRows>
__device__ void wgmma(float (&c)[N / 8][4], const uint32_t (&a)[4], uint64_t b, int add) {
  static_assert(N == 32 || N == 64 || N == 128);
#if BIGDNA_WARPGROUPS
  if constexpr (std::is_same_v<T, __half>) {
    BIGDNA_WGMMA_OF("f16");
  } else {
    BIGDNA_WGMMA_OF("bf16");
  }
#endif
}
/// The same where A, 64 x 16, is in shared memory (its descriptor); its rows are rows of the tile.
template <class T, int N, int kRows>
__device__ void wgmma(float (&c)[N / 8][4], uint64_t a, uint64_t b, int add) {
  static_assert(N == 32 || N == 64);
#if BIGDNA_WARPGROUPS
  if constexpr (std::is_same_v<T, __half>) {
    BIGDNA_WGMMA_SHARED_OF("f16");
  } else {
    BIGDNA_WGMMA_SHARED_OF("bf16");
  }
#endif
}
/// To be called before the first wgmma(), which then reads the values that c and a hold now.
template <int N>
__device__ void wgmma_begin(float (&c)[N][4]) {
#if BIGDNA_WARPGROUPS
  BIGDNA_UNROLL
  for (int j = 0; j < N; ++j) asm volatile("" : BIGDNA_SUM(j)::"memory");  // nothing writes c below the fence
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
template <int N, int K>
__device__ void wgmma_begin(float (&c)[N][4], uint32_t (&a)[K][4]) {
#if BIGDNA_WARPGROUPS
  BIGDNA_UNROLL
  for (int k = 0; k < K; ++k) asm volatile("" : "+r"(a[k][0]), "+r"(a[k][1]), "+r"(a[k][2]), "+r"(a[k][3])::"memory");
  wgmma_begin(c);
#endif
}
/// Waits for everything that was started; c is then complete.
template <int N>
__device__ void wgmma_end(float (&c)[N][4]) {
#if BIGDNA_WARPGROUPS
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  BIGDNA_UNROLL
  for (int j = 0; j < N; ++j) asm volatile("" : BIGDNA_SUM(j)::"memory");  // nothing reads c above the wait
#endif
}
/// This thread's finished copies to shared memory, made visible to wgmma.
__device__ void fence_copies() {
#if BIGDNA_WARPGROUPS
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
#endif

}  // namespace
}  // namespace bigdna::kernels
