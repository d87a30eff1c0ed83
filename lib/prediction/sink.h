/// Where predictions go: tables, tracks and the like.
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
  /// The files it will write; none are touched before open().
  virtual std::vector<std::string> files() const = 0;
  /// About how many bytes of them an interval takes.
  virtual double bytes_per_interval() const = 0;
  virtual void open(const IntervalStream& intervals) = 0;
  /// `scores`: of all labels, as given and then, for Strands::both, of the reverse complement; NaN: no score. `in_shard`
  /// false: a halo interval of a neighbouring shard, read only for suppression.
  virtual void write(const Interval& interval, std::span<const float> scores, bool in_shard) = 0;
  /// Makes the files whole.
  virtual void commit() = 0;
};
using Sinks = std::vector<std::unique_ptr<Sink>>;

}  // namespace bigdna::prediction
