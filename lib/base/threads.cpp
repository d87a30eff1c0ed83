#include "base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace bigdna {

int available_threads() {
  const int all = std::max(1u, std::thread::hardware_concurrency());
  int threads = all;
  cpu_set_t affinity;
  if (sched_getaffinity(0, sizeof affinity, &affinity) == 0) threads = std::min(threads, CPU_COUNT(&affinity));
  bool own = threads < all;  // bound to processors of its own
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");  // cgroup v2: "quota period" in microseconds, or "max period"
  std::string quota;
  double period = 0;
  if (quota_file >> quota >> period && quota != "max" && period > 0)
    threads = std::min(threads, std::max(1, static_cast<int>(std::strtod(quota.c_str(), nullptr) / period)));
  if (const char* slurm = std::getenv("SLURM_CPUS_PER_TASK"))
    if (const long value = std::strtol(slurm, nullptr, 10); value > 0) {
      own = own || value < all;
      threads = std::min<long>(threads, value);
    }
  // Ranks of one training run that share this machine, or its quota, and are not bound to processors of their own: each its part.
  if (!own)
    for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
      if (const char* ranks = std::getenv(name))
        if (const long value = std::strtol(ranks, nullptr, 10); value > 1) {
          threads = static_cast<int>(std::max(1L, threads / value));
          break;
        }
  return std::max(1, threads);
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
  std::vector<std::thread> workers;
  for (int i = 1; i < used; ++i) workers.emplace_back(run);
  run();
  for (auto& worker : workers) worker.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace bigdna
