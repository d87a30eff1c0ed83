/// What became of the records of a prediction: counted for messages and for --counts, and judged by --strict.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/provenance.h"
#include "io/side_file.h"
#include "prediction/sink.h"
#include "models/task_details.h"

namespace bigdna::prediction {

/// The last of a prediction's sinks, so that the file of counts is there once everything else is.
class RecordCounts : public Sink {
 public:
  /// `path`: JSON ("": none). `strict`: an interval without a score, or of a length that is too far from those, is an
  /// Error that names its record. `lengths`: what an interval should have.
  RecordCounts(std::string command, std::string path, bool strict, models::TrainedLengths lengths,
               io::Provenance provenance = {});
  std::vector<std::string> files() const override;
  double bytes_per_interval() const override { return 0; }
  void open(const IntervalStream& intervals) override;
  void write(const Interval& interval, std::span<const float> scores, bool in_shard) override;
  void commit() override;

  /// Whether a record had several intervals.
  bool tiled() const { return intervals_ > records_; }
  int64_t without_score() const { return intervals_ - scored_; }
  /// Warns of intervals that are too short or too long and, unless there is a column for it, of those that overlap
  /// training data. Where there is a column, says of how many that is not known. `what`: "region".
  void warn(const std::string& what, bool seen_column) const;

 private:
  std::string command_, path_;
  bool strict_;
  models::TrainedLengths lengths_;
  io::Provenance provenance_;
  int64_t records_ = 0, intervals_ = 0, scored_ = 0, too_short_ = 0, too_long_ = 0, seen_ = 0, seen_unknown_ = 0;
  int64_t elsewhere_ = 0;  // records without bases before intervals of other shards
  const IntervalStream* stream_ = nullptr;
  std::optional<io::SideFile> file_;
};

}  // namespace bigdna::prediction
