/// Implementation of ordered_pipeline; include base/threads.h.
#pragma once

#include <exception>
#include <map>
#include <thread>
#include <vector>

#include "base/threads.h"

namespace bigdna {

template <class Produce, class Work, class Consume>
void ordered_pipeline(int threads, Produce produce, Work work, Consume consume) {
  if (threads <= 1) {
    while (auto item = produce()) consume(work(std::move(*item)));
    return;
  }
  using Item = typename std::invoke_result_t<Produce>::value_type;
  using Result = std::invoke_result_t<Work, Item&&>;
  const uint64_t in_flight = 4 * static_cast<uint64_t>(threads);
  std::mutex input, state;
  std::condition_variable changed;
  std::map<uint64_t, Result> ready;  // results waiting for their turn
  uint64_t taken = 0, wanted = 0;
  int running = threads;
  bool exhausted = false, stop = false;
  std::exception_ptr error;

  auto run = [&] {
    try {
      while (true) {
        std::optional<Item> item;
        uint64_t index = 0;
        {
          std::lock_guard input_lock(input);
          {
            std::unique_lock lock(state);
            changed.wait(lock, [&] { return stop || exhausted || taken < wanted + in_flight; });
            if (stop || exhausted) break;
          }
          item = produce();
          std::lock_guard lock(state);
          if (!item) {
            exhausted = true;
            break;
          }
          index = taken++;
        }
        Result result = work(std::move(*item));
        std::lock_guard lock(state);
        ready.emplace(index, std::move(result));
        changed.notify_all();
      }
    } catch (...) {
      std::lock_guard lock(state);
      if (!error) error = std::current_exception();
      stop = true;
    }
    std::lock_guard lock(state);
    --running;
    changed.notify_all();
  };

  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(run);
  auto finish = [&] {
    for (auto& worker : workers) worker.join();
  };
  try {
    while (true) {
      std::unique_lock lock(state);
      changed.wait(lock, [&] { return stop || ready.count(wanted) || (running == 0 && !ready.count(wanted)); });
      if (stop) break;
      auto next = ready.extract(wanted);
      if (next.empty()) break;
      ++wanted;
      changed.notify_all();
      lock.unlock();
      consume(std::move(next.mapped()));
    }
  } catch (...) {
    {
      std::lock_guard lock(state);
      stop = true;
      changed.notify_all();
    }
    finish();
    throw;
  }
  finish();
  if (error) std::rethrow_exception(error);
}

}  // namespace bigdna
