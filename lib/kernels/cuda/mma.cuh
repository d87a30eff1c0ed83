// A warp's matrix instructions and copies, one function each (PTX ISA: mma.m16n8k16, ldmatrix, cp.async; sm_80 and
// later). tests/unit/kernels/cuda_emulator.h has the same functions for the CPU, lane by lane as the PTX manual lays
// the fragments out, so the kernels above this layer run there unchanged.
//
// Fragments, with g = lane / 4 and c = lane % 4; two 16-bit values to a register, the lower index in the lower half:
//   A (16 x 16): a[0] = row g, columns 2c, 2c+1; a[1] = row g+8; a[2], a[3] = the same rows, columns 2c+8, 2c+9
//   B (16 x 8):  b0 = rows 2c, 2c+1 of column g; b1 = rows 2c+8, 2c+9
//   C (16 x 8):  c[0], c[1] = row g, columns 2c, 2c+1; c[2], c[3] = row g+8
// Addresses in shared memory are byte offsets into the thread block's dynamic shared memory.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define BIGDNA_UNROLL _Pragma("unroll")
#define BIGDNA_UNROLL_BY(times) BIGDNA_PRAGMA(unroll times)
#define BIGDNA_PRAGMA(words) _Pragma(#words)

namespace bigdna::kernels {
namespace {

extern __shared__ __align__(1024) unsigned char shared_bytes[];

template <class T>
__device__ T* shared_at(uint32_t offset) {
  return reinterpret_cast<T*>(shared_bytes + offset);
}
__device__ uint32_t shared_address(uint32_t offset) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared_bytes)) + offset;
}

/// c += a b.
template <class T>
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1);
template <>
__device__ void mma<__nv_bfloat16>(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ void mma<__half>(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Four 8 x 8 matrices of 16-bit values. Lanes 8m .. 8m+7 give the addresses of matrix m's rows (16 bytes each);
/// r[m] is its row g, columns 2c, 2c+1, or of its transpose.
__device__ void ldmatrix(uint32_t (&r)[4], uint32_t offset) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(offset))
               : "memory");
}
__device__ void ldmatrix_transposed(uint32_t (&r)[4], uint32_t offset) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(offset))
               : "memory");
}

/// Starts a copy of 16 (4) aligned bytes to shared memory; zeros where not `real`, and `from` is not read.
__device__ void copy16(uint32_t offset, const void* from, bool real) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(offset)), "l"(from),
               "r"(real ? 16 : 0)
               : "memory");
}
__device__ void copy4(uint32_t offset, const void* from, bool real) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(offset)), "l"(from),
               "r"(real ? 4 : 0)
               : "memory");
}
/// Waits for all copies this thread has started; other threads' need a barrier after it.
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// 2^x to about 2 units in the last place; 0 for -infinity.
__device__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Two values rounded to T, and back.
template <class T>
__device__ uint32_t pack(float low, float high);
template <>
__device__ uint32_t pack<__nv_bfloat16>(float low, float high) {
  uint32_t r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
template <>
__device__ uint32_t pack<__half>(float low, float high) {
  uint32_t r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
template <class T>
__device__ float2 unpack(uint32_t pair);
template <>
__device__ float2 unpack<__nv_bfloat16>(uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
}
template <>
__device__ float2 unpack<__half>(uint32_t pair) {
  return __half22float2(*reinterpret_cast<const __half2*>(&pair));
}

}  // namespace
}  // namespace bigdna::kernels

#else
#define BIGDNA_UNROLL
#define BIGDNA_UNROLL_BY(times)
#endif
