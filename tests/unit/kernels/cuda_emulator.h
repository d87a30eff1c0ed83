/// CUDA's words for the CPU, enough to run lib/kernels/cuda's kernels in a test: a thread block is a set of fibers on
/// one thread, switched at __syncthreads() and at what a warp does together (shuffles, mma, ldmatrix), which therefore
/// must be reached by all of them, as on a GPU. Fragments are laid out as the PTX ISA manual draws them.
///
/// To find races: `order` runs the threads of a block forwards or backwards between barriers, and `copies` lets
/// cp.async deliver at once (as early as a GPU might: overwriting what others still read shows) or at the wait (as
/// late: reading before it shows); `products` lets wgmma read and write early or late likewise. Results must not depend
/// on any of them. Shared memory starts as NaN; addresses that are misaligned or outside it throw, and so does wgmma
/// where it reads what was not fenced for it or was not begun; bank conflicts of ldmatrix are counted.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <type_traits>
#include <stdexcept>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

struct Dimensions {
  unsigned x = 0, y = 0, z = 0;
};
inline Dimensions blockIdx, threadIdx, blockDim, gridDim;

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

enum class Order { forwards, backwards };
enum class Arrive { at_once, at_the_wait };
inline Order order = Order::forwards;
inline Arrive copies = Arrive::at_once, products = Arrive::at_once;  // of cp.async; of wgmma
inline int64_t bank_conflicts = 0;
inline int64_t shared_size = 0;  // bytes the running kernel asked for
alignas(128) inline unsigned char shared_memory[232448];

struct Copy {
  uint32_t offset, bytes;
  const void* from;  // null: zeros
};
/// What a lane shows to its warp.
struct Post {
  uint32_t words[6] = {};
  float a[8], b[4];  // of mma
};

struct Fiber {
  ucontext_t context{};  // to start it; later switches are jumps, which ask nothing of the kernel
  jmp_buf place;
  bool started = false, finished = false;
  int64_t block_barriers = 0, warp_barriers = 0;  // how many this thread has reached
  Post posts[2];                                  // by turns: a lane may be one exchange ahead of another
  std::vector<Copy> copies;                       // not waited for yet
  std::vector<std::function<void()>> products;    // of wgmma, the same
  bool begun = false;                             // wgmma
};
struct Block {
  std::vector<Fiber> fibers;
  jmp_buf scheduler;
  unsigned current = 0;
  std::function<void()> body;
  bool uneven = false;   // a thread waits at a barrier that another will never reach
  bool outside = false;  // an address that is misaligned or outside shared memory
  bool unfenced = false;  // wgmma of what nobody fenced, without a beginning, or by fewer than four warps
  // of 16 bytes that are not fenced: its thread + 1
  std::vector<unsigned> writers = std::vector<unsigned>(sizeof shared_memory / 16);
};
inline Block* block = nullptr;

inline void enter() {
  block->body();
  block->fibers[block->current].finished = true;
  _longjmp(block->scheduler, 1);
}
inline void yield() {
  if (_setjmp(block->fibers[block->current].place) == 0) _longjmp(block->scheduler, 1);
}
inline void resume(Fiber& fiber) {
  if (_setjmp(block->scheduler) != 0) return;
  if (fiber.started) _longjmp(fiber.place, 1);
  fiber.started = true;
  setcontext(&fiber.context);
}

/// Waits until all of threads [first, last) have reached as many barriers of this kind.
inline void wait(int64_t Fiber::*barriers, unsigned first, unsigned last) {
  Fiber& self = block->fibers[block->current];
  const int64_t mine = ++(self.*barriers);
  for (unsigned i = first; i < last; ++i)
    while (block->fibers[i].*barriers < mine) {
      if (block->fibers[i].finished) {
        block->uneven = true;
        break;
      }
      yield();
    }
}
inline void wait_for_warp() {
  const unsigned first = block->current / 32 * 32;
  wait(&Fiber::warp_barriers, first, first + 32);
}

inline std::vector<std::vector<char>> stacks;  // made once

/// One thread block of `threads` threads (whole warps). Error where some threads miss a barrier of the
/// others.
inline void run_block(unsigned threads, std::function<void()> body) {
  Block state;
  block = &state;
  blockDim = {threads, 1, 1};
  state.fibers.resize(threads);
  state.body = std::move(body);
  while (stacks.size() < threads) stacks.emplace_back(64 << 10);
  for (unsigned i = 0; i < threads; ++i) {
    ucontext_t& context = state.fibers[i].context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks[i].data();
    context.uc_stack.ss_size = stacks[i].size();
    makecontext(&context, enter, 0);
  }
  for (unsigned finished = 0; finished < threads;) {
    finished = 0;
    for (unsigned i = 0; i < threads; ++i) {
      state.current = order == Order::forwards ? i : threads - 1 - i;
      Fiber& fiber = state.fibers[state.current];
      if (!fiber.finished) {
        threadIdx = {state.current, 0, 0};
        resume(fiber);
      }
      finished += fiber.finished;
    }
  }
  block = nullptr;
  if (state.uneven) throw std::logic_error("a barrier that not all threads reach");
  if (state.outside) throw std::logic_error("an address that is misaligned or outside shared memory");
  if (state.unfenced)
    throw std::logic_error("wgmma of copies that are not fenced, that was not begun, or by fewer than four warps");
}

/// A launch, its thread blocks one after another: what the kernels' passes (tensor.cuh, rows.cuh) are given.
struct Launch {
  template <class... Parameters, class... Arguments>
  int operator()(void (*kernel)(Parameters...), int64_t blocks, int threads, uint32_t bytes,
                 const Arguments&... arguments) const {
    gridDim = {static_cast<unsigned>(blocks), 1, 1};
    for (unsigned i = 0; i < gridDim.x; ++i) {
      shared_size = bytes;
      std::memset(shared_memory, 0xFF, bytes);  // NaN
      blockIdx = {i, 0, 0};
      run_block(static_cast<unsigned>(threads), [&] { kernel(arguments...); });
    }
    return 0;
  }
};

inline unsigned lane() { return block->current % 32; }
/// Shows `post` to the warp and returns what its lanes show.
class Exchange {
 public:
  explicit Exchange(const Post& post)
      : first_(block->current / 32 * 32), turn_(block->fibers[block->current].warp_barriers % 2) {
    block->fibers[block->current].posts[turn_] = post;
    wait_for_warp();
  }
  const Post& of(unsigned lane) const { return block->fibers[first_ + lane].posts[turn_]; }

 private:
  unsigned first_;
  int64_t turn_;
};

template <class T>
T shuffle(T value, unsigned from) {
  static_assert(sizeof value <= 4);
  Post post;
  std::memcpy(post.words, &value, sizeof value);
  const Exchange warp(post);
  T result;
  std::memcpy(&result, warp.of(from).words, sizeof result);
  return result;
}

inline unsigned char* address(uint32_t offset, uint32_t bytes) {
  if (offset % bytes == 0 && offset + bytes <= shared_size) return shared_memory + offset;
  block->outside = true;  // exceptions must not leave a fiber
  return shared_memory;
}
inline void deliver(const Copy& copy) {
  unsigned char* to = address(copy.offset, copy.bytes);
  if (copy.from)
    std::memcpy(to, copy.from, copy.bytes);
  else
    std::memset(to, 0, copy.bytes);
  block->writers[copy.offset / 16] = block->current + 1;
}
inline void copy(uint32_t offset, const void* from, bool real, uint32_t bytes) {
  if (reinterpret_cast<uintptr_t>(from) % bytes != 0) block->outside = true;
  const Copy made{offset, bytes, real ? from : nullptr};
  if (copies == Arrive::at_once)
    deliver(made);
  else
    block->fibers[block->current].copies.push_back(made);
}

inline void ldmatrix(uint32_t (&r)[4], uint32_t offset, bool transposed) {
  Post post;
  post.words[0] = offset;
  const Exchange warp(post);
  for (unsigned m = 0; m < 4; ++m) {
    const auto value = [&](unsigned row, unsigned column) {
      uint16_t bits;
      std::memcpy(&bits, address(warp.of(m * 8 + row).words[0], 16) + column * 2, 2);
      return uint32_t{bits};
    };
    const unsigned g = lane() / 4, c = lane() % 4 * 2;
    r[m] = transposed ? value(c, g) | value(c + 1, g) << 16 : value(g, c) | value(g, c + 1) << 16;
    if (lane() != 0) continue;
    unsigned banks = 0;  // the eight rows of a matrix are read at one time, 16 bytes each of 128
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned bit = 1u << warp.of(m * 8 + row).words[0] / 16 % 8;
      bank_conflicts += (banks & bit) != 0;
      banks |= bit;
    }
  }
}

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
template <int N, int K>
void wgmma_begin(float (&)[N][4], uint32_t (&)[K][4]) {
  emulator::block->fibers[emulator::block->current].begun = true;
}
template <class T, int N, int kRows>
void wgmma(float (&c)[N / 8][4], const uint32_t (&a)[4], uint64_t b, int add) {
  emulator::Fiber& self = emulator::block->fibers[emulator::block->current];
  if (!self.begun || emulator::block->fibers.size() % 128 != 0) emulator::block->unfenced = true;
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
  auto product = [&c, b, add, rows] {
    for (unsigned j = 0; j < N / 8; ++j)
      for (unsigned i = 0; i < 4; ++i) {
        float sum = 0;
        for (unsigned k = 0; k < 16; ++k) {
          const uint32_t bits = emulator::of_matrix(b, kRows, k, j * 8 + emulator::lane() % 4 * 2 + i % 2);
          sum += rows[i / 2 * 16 + k] * unpack<T>(bits).x;
        }
        c[j][i] = add ? c[j][i] + sum : sum;
      }
  };
  if (emulator::products == emulator::Arrive::at_once)
    product();
  else
    self.products.push_back(std::move(product));
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
