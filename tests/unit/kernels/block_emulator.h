/// A GPU's thread block on the CPU: a set of fibers on one thread, switched at __syncthreads() and at what a warp does
/// together (shuffles, mma, ldmatrix), which therefore must be reached by all of them, as on a GPU.
///
/// To find races: `order` runs the threads of a block forwards or backwards between barriers, and `copies` lets
/// cp.async deliver at once (as early as a GPU might: overwriting what others still read shows) or at the wait (as
/// late: reading before it shows); `products` lets wgmma read and write early or late likewise. Results must not depend
/// on any of them. Shared memory starts as NaN; addresses that are misaligned or outside it throw, and so does wgmma
/// where it reads what was not fenced for it or was not begun; bank conflicts of ldmatrix are counted.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

struct Dimensions {
  unsigned x = 0, y = 0, z = 0;
};
inline Dimensions blockIdx, threadIdx, blockDim, gridDim;

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
  bool uneven = false;    // a thread waits at a barrier that another will never reach
  bool outside = false;   // an address that is misaligned or outside shared memory
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

}  // namespace emulator
