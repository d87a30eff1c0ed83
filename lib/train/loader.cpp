#include "train/loader.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/threads.h"

namespace bigdna::train {

struct Loader::State {
  struct Result {
    std::vector<corpus::Example> examples;
    std::exception_ptr error;
  };

  Make make;
  int64_t ahead;     // the most batches that are being made or ready
  int64_t started;   // the next batch that a worker takes
  int64_t consumed;  // the next batch that next() returns
  bool stop = false;
  std::map<int64_t, Result> ready;
  std::mutex mutex;
  std::condition_variable room, filled;
  std::vector<std::jthread> workers;  // declared last, so that they are joined before the rest is destroyed

  State(Make m, int64_t first, int64_t prefetch)
      : make(std::move(m)), ahead(prefetch), started(first), consumed(first) {}
  ~State() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    room.notify_all();
  }

  Result run(int64_t batch) const {
    Result result;
    try {
      result.examples = make(batch);
    } catch (...) {
      result.error = std::current_exception();
    }
    return result;
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      room.wait(lock, [&] { return stop || started < consumed + ahead; });
      if (stop) return;
      const int64_t batch = started++;
      lock.unlock();
      Result result = run(batch);
      lock.lock();
      ready.emplace(batch, std::move(result));
      if (batch == consumed) filled.notify_all();
    }
  }
};

Loader::Loader(Make make, int64_t first, int workers, int prefetch)
    : state_(std::make_unique<State>(std::move(make), first, std::max({1, workers, prefetch}))) {
  state_->workers = start_threads(workers, [state = state_.get()](int) { state->work(); });
}

Loader::~Loader() = default;

std::vector<corpus::Example> Loader::next() {
  State& s = *state_;
  State::Result result;
  if (s.workers.empty()) {
    result = s.run(s.consumed++);
  } else {
    std::unique_lock lock(s.mutex);
    s.filled.wait(lock, [&] { return !s.ready.empty() && s.ready.begin()->first == s.consumed; });
    result = std::move(s.ready.begin()->second);
    s.ready.erase(s.ready.begin());
    ++s.consumed;
    s.room.notify_all();
  }
  if (result.error) std::rethrow_exception(result.error);
  return std::move(result.examples);
}

}  // namespace bigdna::train
