#include "prediction/predict.h"

#include <algorithm>

#include "prediction/journalled_stream.h"

namespace bigdna::prediction {

namespace {

/// As from Predictor::score(); NaN for intervals without bases. Takes the intervals' bases.
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
  std::vector<float> row(sides * columns);
  JournalledStream<std::vector<Interval>>{
      .threads = predictor.threads(),
      .journal = journal,
      .first = part.read_first / most,
      .read = [&](int64_t, bool recorded) -> std::optional<std::vector<Interval>> {
        std::vector<Interval> chunk;
        for (; std::ssize(chunk) < most && (left > 0 || part.to_end); --left) {
          auto interval = intervals.next(/*with_bases=*/!recorded);
          if (!interval) break;
          chunk.push_back(std::move(*interval));
        }
        if (chunk.empty()) return std::nullopt;
        return chunk;
      },
      .size = [&](const auto& chunk) { return sides * chunk.size() * columns; },
      .score = [&](auto& chunk) { return score(predictor, chunk, strands); },
      .write =
          [&](const auto& chunk, const auto& scores) {
            for (size_t i = 0; i < chunk.size(); ++i, ++written) {
              for (size_t side = 0; side < sides; ++side)
                std::copy_n(scores.begin() + static_cast<int64_t>((side * chunk.size() + i) * columns), columns,
                            row.begin() + static_cast<int64_t>(side * columns));
              for (const auto& sink : sinks) sink->write(chunk[i], row, written >= part.first && written < part.last);
            }
            return static_cast<uint64_t>(written - part.read_first);
          }}
      .run(progress);
  return written - part.read_first;
}

}  // namespace bigdna::prediction
