#include "prediction/predict.h"

#include <algorithm>

#include "session/stream.h"

namespace bigdna::prediction {

namespace {

struct Chunk {
  int64_t number = 0;  // in the whole input
  std::vector<Interval> intervals;
  /// As from Predictor::score(); NaN for intervals without bases. Unset until they are computed.
  std::optional<std::vector<float>> scores;
  bool recorded = false;  // the scores are from the journal
};

std::vector<float> score(const Predictor& predictor, std::vector<Interval>& intervals, session::Strands strands) {
  const size_t sides = strands == session::Strands::both ? 2 : 1, columns = static_cast<size_t>(predictor.columns());
  std::vector<std::string> bases;
  std::vector<size_t> places;
  for (size_t i = 0; i < intervals.size(); ++i)
    if (!intervals[i].bases.empty()) {
      bases.push_back(std::move(intervals[i].bases));
      places.push_back(i);
    }
  std::vector<float> all(sides * intervals.size() * columns, std::numeric_limits<float>::quiet_NaN());
  if (bases.empty()) return all;
  const auto scores = predictor.score(std::move(bases), strands);
  for (size_t side = 0; side < sides; ++side)
    for (size_t i = 0; i < places.size(); ++i)
      std::copy_n(scores.begin() + static_cast<int64_t>((side * places.size() + i) * columns), columns,
                  all.begin() + static_cast<int64_t>((side * intervals.size() + places[i]) * columns));
  return all;
}

}  // namespace

void warn_of_auto_precision(const Shard& shard, const session::RunOptions& run, const char* precision) {
  if (!shard.whole() && run.precision == "auto")
    log::warn("--shard with --precision auto, which is ", precision,
              " here: give --precision to all parts, because it may be another on other machines");
}

std::vector<std::string> files_of(const Sinks& sinks) {
  std::vector<std::string> files;
  for (const auto& sink : sinks)
    for (auto& file : sink->files()) files.push_back(std::move(file));
  return files;
}

int64_t stream_predictions(const Predictor& predictor, IntervalStream& intervals, const Part& part,
                           session::Strands strands, ScoreJournal* journal, const Sinks& sinks,
                           log::Progress& progress) {
  const size_t sides = strands == session::Strands::both ? 2 : 1, columns = static_cast<size_t>(predictor.columns());
  intervals.skip(part.read_first);
  int64_t left = part.read_last - part.read_first, written = part.read_first;
  const int64_t most = predictor.chunk();
  int64_t chunks = part.read_first / most;
  std::vector<float> row(sides * columns);
  session::stream(
      predictor.threads(),
      [&]() -> std::optional<Chunk> {  // one thread at a time
        Chunk chunk;
        chunk.number = chunks++;
        if (journal) chunk.scores = journal->scores_of(chunk.number);
        chunk.recorded = chunk.scores.has_value();
        const auto wanted = [&] { return left > 0 || part.to_end; };
        for (; static_cast<int64_t>(chunk.intervals.size()) < most && wanted(); --left) {
          auto interval = intervals.next(/*with_bases=*/!chunk.recorded);
          if (!interval) break;
          chunk.intervals.push_back(std::move(*interval));
        }
        if (chunk.intervals.empty()) return std::nullopt;
        if (chunk.recorded && chunk.scores->size() != sides * chunk.intervals.size() * columns) journal->fail_damaged();
        return chunk;
      },
      [&](Chunk&& chunk) {  // on every thread
        if (!chunk.recorded) chunk.scores = score(predictor, chunk.intervals, strands);
        return std::move(chunk);
      },
      [&](Chunk&& chunk) {  // here, in order
        if (journal && !chunk.recorded) journal->append(chunk.number, *chunk.scores);
        const size_t size = chunk.intervals.size();
        for (size_t i = 0; i < size; ++i, ++written) {
          for (size_t side = 0; side < sides; ++side)
            std::copy_n(chunk.scores->begin() + static_cast<int64_t>((side * size + i) * columns), columns,
                        row.begin() + static_cast<int64_t>(side * columns));
          for (const auto& sink : sinks)
            sink->write(chunk.intervals[i], row, written >= part.first && written < part.last);
        }
        const auto done = static_cast<uint64_t>(written - part.read_first);
        chunk.recorded ? progress.resume(done) : progress.update(done);
      });
  return written - part.read_first;
}

}  // namespace bigdna::prediction
