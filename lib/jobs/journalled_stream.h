/// A long job in chunks, which are read and written in the order of the input, scored on all threads between, and kept
/// in a journal, from which a killed job goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "jobs/score_journal.h"
#include "session/stream.h"

namespace bigdna::jobs {

/// The stages of such a job. A Chunk is what is scored and journalled together: some intervals or records of the input,
/// with what is needed to write them. Chunks have numbers from `first` on, their place in the whole input where a part
/// of a job must have the chunks of all of it. Of each, the journal holds the values, which alone decide what is
/// written: a chunk whose values were recorded before this run is read and written, but not scored.
///
/// An exception of a stage ends the job and is thrown by run(), after all chunks before that one were journalled and
/// written, for any number of threads.
template <class Chunk>
struct JournalledStream {
  int threads = 1;                  // that score: Placement::streams()
  ScoreJournal* journal = nullptr;  // null: every chunk is scored, and nothing recorded
  int64_t first = 0;                // the first chunk's number in the whole input

  /// The next chunk, or nullopt at the end. `recorded`: its values are in the journal, so that only what writing it
  /// needs has to be read. Called by one thread at a time.
  std::function<std::optional<Chunk>(int64_t number, bool recorded)> read;
  /// How many values the chunk has. A journal that has another number of them is damaged (Error).
  std::function<size_t(const Chunk&)> size;
  /// Computes the chunk's values, and may take from the chunk what writing it does not need. Called on all threads.
  std::function<std::vector<float>(Chunk&)> score;
  /// Writes the chunk, and returns how much of the input is done, for the progress. Called on the thread of run(), in
  /// order, after the chunk was journalled.
  std::function<uint64_t(const Chunk&, const std::vector<float>& values)> write;

  void run(log::Progress& progress) const {
    struct Entry {
      int64_t number;
      Chunk chunk;
      std::optional<std::vector<float>> values;
      bool recorded;
    };
    session::stream(
        threads,
        [&, number = first]() mutable -> std::optional<Entry> {
          auto values = journal ? journal->scores_of(number) : std::nullopt;
          const bool recorded = values.has_value();
          auto chunk = read(number, recorded);
          if (!chunk) return std::nullopt;
          if (recorded && values->size() != size(*chunk)) journal->fail_damaged();
          return Entry{number++, std::move(*chunk), std::move(values), recorded};
        },
        [&](Entry&& entry) {
          if (!entry.recorded) entry.values = score(entry.chunk);
          return std::move(entry);
        },
        [&](Entry&& entry) {
          if (journal && !entry.recorded) journal->append(entry.number, *entry.values);
          const uint64_t done = write(entry.chunk, *entry.values);
          entry.recorded ? progress.resume(done) : progress.update(done);
        });
  }
};

}  // namespace bigdna::jobs
