/// Threads that wait between many short tasks: a merge takes microseconds, less than starting a thread.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "base/threads.h"

namespace bigdna::tokenizer {

class Team {
 public:
  /// `threads` in all, the caller's included; fewer if no more can be started.
  explicit Team(int threads) {
    workers_ = start_threads(threads - 1, [this](int i) { work(i + 1); });
  }
  ~Team() {
    stop_ = true;
    task_ = nullptr;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls task(i) for i in [0, count), i on thread i mod threads, and returns when all are done. Tasks do
  /// not throw.
  template <class Task>
  void run(size_t count, const Task& task) {
    if (workers_.empty() || count == 1) {
      for (size_t i = 0; i < count; ++i) task(i);
      return;
    }
    const size_t threads = workers_.size() + 1;
    const std::function<void(size_t)> mine = [&](size_t thread) {
      for (size_t i = thread; i < count; i += threads) task(i);
    };
    task_ = &mine;
    done_.store(0, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    mine(0);
    for (size_t done; (done = done_.load(std::memory_order_acquire)) < workers_.size();) pause(done_, done);
  }

 private:
  /// Waits until `value` changes: spins briefly, then sleeps.
  template <class Value>
  static void pause(const std::atomic<Value>& value, Value old) {
    for (int spin = 0; spin < 2000; ++spin)
      if (value.load(std::memory_order_acquire) != old) return;
    value.wait(old, std::memory_order_acquire);
  }
  void work(int thread) {
    for (uint32_t seen = 0;; ++seen) {
      while (round_.load(std::memory_order_acquire) == seen) pause(round_, seen);
      if (stop_) return;
      (*task_)(static_cast<size_t>(thread));
      done_.fetch_add(1, std::memory_order_release);
      done_.notify_one();
    }
  }
  std::atomic<uint32_t> round_{0};
  std::atomic<size_t> done_{0};
  std::atomic<bool> stop_{false};
  const std::function<void(size_t)>* task_ = nullptr;
  std::vector<std::jthread> workers_;
};

}  // namespace bigdna::tokenizer
