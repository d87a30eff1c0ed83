/// Prefetching: worker threads make items ahead of the consumer, in order, through a bounded queue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "corpus/example.h"

namespace bigdna::corpus {

/// Yields batches first, first + 1, ... of examples: batch i is make(i). Workers only run ahead; the order
/// and the content do not depend on their number. next() rethrows what make() threw for its batch, and may be
/// called again for the batch after it. 0 workers, or none that can be started: next() makes the
/// batch itself.
class Loader {
 public:
  using Make = std::function<std::vector<Example>(int64_t batch)>;
  Loader(Make make, int64_t first, int workers, int prefetch = 4);
  ~Loader();
  std::vector<Example> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::corpus
