/// Threads that use a Session: each runs its own batches, and the results do not depend on their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "model/parallel.h"
#include "session/run_options.h"

namespace bigdna::session {

/// An ordered_pipeline (base/threads.h) whose `work` runs a Session: produce() -> optional<Item>, work(Item&&) ->
/// Result, consume(Result&&) in the order of the items. `threads`: Placement::streams().
template <class Produce, class Work, class Consume>
void stream(int threads, Produce produce, Work work, Consume consume) {
  const model::OneThreadPerOperation guard;
  ordered_pipeline(threads, std::move(produce), std::move(work), std::move(consume));
}

/// `columns` numbers for each sequence: calls run(span of sequences) on `size` of them at a time.
template <class Run>
auto in_chunks(std::span<const std::string> sequences, int64_t columns, int threads, Run run,
               int64_t size = kPredictionChunk) {
  const auto together = static_cast<size_t>(size);
  std::invoke_result_t<Run, std::span<const std::string>> all(sequences.size() * static_cast<size_t>(columns));
  const model::OneThreadPerOperation guard;
  parallel_for(static_cast<int64_t>((sequences.size() + together - 1) / together), threads, [&](int64_t chunk) {
    const size_t begin = static_cast<size_t>(chunk) * together;
    const auto values = run(sequences.subspan(begin, std::min(together, sequences.size() - begin)));
    std::copy(values.begin(), values.end(), all.begin() + static_cast<int64_t>(begin) * columns);
  });
  return all;
}

}  // namespace bigdna::session
