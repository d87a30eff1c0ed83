/// Prefetching: worker threads make batches ahead of the consumer, who gets them in order through a bounded queue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "corpus/example.h"

namespace bigdna::train {

/// Yields batches first, first + 1, ... of examples: batch i is make(i). Order and content do not depend on the number
/// of workers. next() rethrows what make() threw for its batch, and may then be called for the next batch. With 0
/// workers, or if none can be started, next() makes the batch itself.
class Loader {
 public:
  using Make = std::function<std::vector<corpus::Example>(int64_t batch)>;
  Loader(Make make, int64_t first, int workers, int prefetch = 4);
  ~Loader();
  std::vector<corpus::Example> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::train
