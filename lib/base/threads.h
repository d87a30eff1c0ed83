/// Threads: how many there are, a parallel loop, and the bounded queue between producers and a consumer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace bigdna {

/// Processors this process may use: the least of CPU affinity, the cgroup's quota and SLURM_CPUS_PER_TASK, or a share
/// of that if torchrun or mpirun started several processes on this machine.
int available_threads();

/// `prepare` is called on each thread that start_threads() starts from now on, before its body. For libraries that keep
/// settings for each thread.
void prepare_threads(void (*prepare)());

/// Starts threads that run body(0), body(1), ... body(count - 1); they are joined when the result is destroyed. Where
/// the system cannot start as many (a container's limit on processes, too little memory for stacks), there are fewer,
/// and a warning says so the first time. So the work must not depend on the number of threads.
std::vector<std::jthread> start_threads(int count, const std::function<void(int)>& body);

/// How many of `wanted` threads can run at the same time, the caller's included. Finds out by starting them.
int startable_threads(int wanted);

/// Calls body(i) for every i in [0, count), in any order, on at most `threads` threads (the caller's included).
/// The first exception is rethrown here after the others have stopped.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& body);

/// A first-in first-out queue of at most `capacity` items. After close(), consumers drain it and then get nullopt.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  /// Waits for room; false once closed (the item is dropped).
  bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }
  /// Waits for an item; nullopt once closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool closed_ = false;
};

/// Runs `work` on `threads` threads and passes the results to `consume` on the calling thread, in the order of
/// `produce`'s items and with a bounded number in flight. This is how commands write output in the order of the input.
///   produce() -> optional<Item> (called by one thread at a time), work(Item&&) -> Result, consume(Result&&)
/// An exception of produce, work or consume is rethrown here once all earlier results have been consumed, so the caller
/// sees the same for any number of threads.
template <class Produce, class Work, class Consume>
void ordered_pipeline(int threads, Produce produce, Work work, Consume consume) {
  if (threads <= 1) {
    while (auto item = produce()) consume(work(std::move(*item)));
    return;
  }
  using Result = std::invoke_result_t<Work, typename std::invoke_result_t<Produce>::value_type&&>;
  // Futures in the order of their items. A worker that waits for room here holds `input`. The future at the front
  // belongs to a worker that has already released `input` and needs no lock to fulfil it, so there will always be room.
  BoundedQueue<std::future<Result>> results(4 * static_cast<size_t>(threads));
  std::mutex input;
  bool ended = false;  // guarded by input
  auto run = [&] {
    while (true) {
      std::promise<Result> result;
      decltype(produce()) item;
      {
        std::lock_guard lock(input);
        if (ended) return;
        try {
          item = produce();
          if (item) ended = !results.push(result.get_future());
        } catch (...) {
          result.set_exception(std::current_exception());
          results.push(result.get_future());
        }
        ended |= !item;
        if (ended) return results.close();
      }
      try {
        result.set_value(work(std::move(*item)));
      } catch (...) {
        result.set_exception(std::current_exception());
      }
    }
  };
  const std::vector<std::jthread> workers = start_threads(threads, [&](int) { run(); });
  struct Close {  // before the workers are joined, also when consume throws
    BoundedQueue<std::future<Result>>& results;
    ~Close() { results.close(); }
  } close{results};
  if (workers.empty()) return ordered_pipeline(1, std::move(produce), std::move(work), std::move(consume));
  while (auto result = results.pop()) consume(result->get());
}

}  // namespace bigdna
