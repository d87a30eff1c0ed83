/// Where predictions are written: tables, tracks and so on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prediction/interval_stream.h"

namespace bigdna::prediction {

class Sink {
 public:
  virtual ~Sink() = default;
  /// The files that it will write; none is touched before open().
  virtual std::vector<std::string> files() const = 0;
  /// The approximate number of bytes per interval in these files.
  virtual double bytes_per_interval() const = 0;
  virtual void open(const IntervalStream& intervals) = 0;
  /// Writes an interval. `scores` are those of all labels for the sequence as given and then, for Strands::both, for
  /// the reverse complement; NaN for no score. `in_shard` is false for a halo interval, read only for suppression.
  virtual void write(const Interval& interval, std::span<const float> scores, bool in_shard) = 0;
  /// Completes the files.
  virtual void commit() = 0;
};
using Sinks = std::vector<std::unique_ptr<Sink>>;

}  // namespace bigdna::prediction
