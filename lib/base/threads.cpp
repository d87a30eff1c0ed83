#include "base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/cgroup.h"
#include "base/log.h"

namespace bigdna {

int available_threads() {
  const int all = std::max(1u, std::thread::hardware_concurrency());
  int threads = all;
  cpu_set_t affinity;
  if (sched_getaffinity(0, sizeof affinity, &affinity) == 0) threads = std::min(threads, CPU_COUNT(&affinity));
  bool own = threads < all;  // this process is bound to a part of the processors
  if (const auto processors = cgroup_processors())
    threads = std::min(threads, std::max(1, static_cast<int>(*processors)));
  if (const char* slurm = std::getenv("SLURM_CPUS_PER_TASK"))
    if (const long value = std::strtol(slurm, nullptr, 10); value > 0) {
      own = own || value < all;
      threads = std::min<long>(threads, value);
    }
  // Ranks of a training run that share this machine or its quota, without being bound to processors: each takes an
  // equal part.
  if (!own)
    for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
      if (const char* ranks = std::getenv(name))
        if (const long value = std::strtol(ranks, nullptr, 10); value > 1) {
          threads = static_cast<int>(std::max(1L, threads / value));
          break;
        }
  return std::max(1, threads);
}

namespace {
std::atomic<void (*)()> prepare_thread{nullptr};
}

void prepare_threads(void (*prepare)()) { prepare_thread = prepare; }

std::vector<std::jthread> start_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<size_t>(std::max(0, count)));
  try {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([body, i] {
        if (auto* const prepare = prepare_thread.load()) prepare();
        body(i);
      });
  } catch (const std::exception& error) {  // std::system_error, or out of memory
    static std::once_flag warned;
    std::call_once(warned, [&] {
      log::warn("only ", threads.size(), " of ", count, " threads could be started (", error.what(),
                "); continuing with these");
    });
  }
  return threads;
}

int startable_threads(int wanted) {
  std::mutex gate;
  std::vector<std::jthread> threads;
  const std::lock_guard all_at_once(gate);  // unlocked before `threads` are joined
  try {
    while (static_cast<int>(threads.size()) + 1 < wanted) threads.emplace_back([&gate] { std::lock_guard pass(gate); });
  } catch (const std::exception&) {  // that is the answer
  }
  return static_cast<int>(threads.size()) + 1;
}

void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& body) {
  const int used = static_cast<int>(std::min<int64_t>(std::max(1, threads), count));
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  auto run = [&] {
    try {
      for (int64_t i; (i = next.fetch_add(1)) < count;) body(i);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  {
    const auto workers = start_threads(used - 1, [&](int) { run(); });
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace bigdna
