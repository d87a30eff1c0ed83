/// CUDA's words for the CPU, enough to run kernels.cuh in a test: a thread block is a set of fibers on one
/// thread, switched at __syncthreads() and at warp shuffles, which therefore must be reached by all of them,
/// as on a GPU.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#define __global__
#define __device__
#define __shared__

struct Dimensions {
  unsigned x = 0, y = 0, z = 0;
};
inline Dimensions blockIdx, threadIdx, blockDim;

namespace emulator {

struct Fiber {
  ucontext_t context{};  // to start it; later switches are jumps, which ask nothing of the kernel
  jmp_buf place;
  std::vector<char> stack = std::vector<char>(64 << 10);
  bool started = false, finished = false;
  int64_t block_barriers = 0, warp_barriers = 0;  // how many this thread has reached
  uint32_t posted = 0;                            // what it gives to its warp's shuffle
};
struct Block {
  std::vector<Fiber> fibers;
  jmp_buf scheduler;
  unsigned current = 0;
  std::function<void()> body;
  bool uneven = false;  // a thread waits at a barrier that another will never reach
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

/// One thread block of `threads` threads (whole warps). Error where some threads miss a barrier of the
/// others.
inline void run_block(unsigned threads, std::function<void()> body) {
  Block state;
  block = &state;
  blockDim = {threads, 1, 1};
  state.fibers.resize(threads);
  state.body = std::move(body);
  for (Fiber& fiber : state.fibers) {
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    makecontext(&fiber.context, enter, 0);
  }
  for (unsigned finished = 0; finished < threads;) {
    finished = 0;
    for (state.current = 0; state.current < threads; ++state.current) {
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
}

template <class T>
T shuffle(T value, unsigned from) {
  const unsigned self = block->current;
  std::memcpy(&block->fibers[self].posted, &value, sizeof value);
  wait_for_warp();  // all have posted
  T result;
  std::memcpy(&result, &block->fibers[self / 32 * 32 + from].posted, sizeof result);
  wait_for_warp();  // all have read
  return result;
}

}  // namespace emulator

inline void __syncthreads() {
  emulator::wait(&emulator::Fiber::block_barriers, 0, static_cast<unsigned>(emulator::block->fibers.size()));
}
template <class T>
T __shfl_sync(unsigned, T value, int from) {
  return emulator::shuffle(value, static_cast<unsigned>(from));
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulator::shuffle(value, (emulator::block->current % 32) ^ static_cast<unsigned>(mask));
}
inline uint32_t __umulhi(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
inline float __expf(float x) { return std::exp(x); }
using std::max;
using std::min;
