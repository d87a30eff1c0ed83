/// The intervals that `bigdna explain` and `marginalize` read: regions of a genome, or records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/task.h"
#include "genome/fasta.h"
#include "model_folder/network_config.h"
#include "prediction/interval_stream.h"
#include "prediction/sequence_input.h"
#include "prediction/tiling.h"

namespace bigdna::attribution {

prediction::IntervalInput interval_input(const prediction::SequenceInput& input);

/// Every source as one interval, of which the model reads `before` bp before its centre and `after` behind it, on the
/// forward strand. A promoter model reads what predict-promoter does: around a start site, which is a region of one
/// base, on its strand; and another region that is shorter than its interval as it is, with the start site at the same
/// share of its length. A model of a table reads the interval itself, on its strand.
class SiteTiling : public prediction::Tiling {
 public:
  using Around = dataset::Task::Site;
  SiteTiling(int64_t before, int64_t after, Around around = Around::bin)
      : before_(before), after_(after), around_(around) {}
  genome::Region source(const genome::Region& given) const override;
  int64_t count(const genome::Region& source) const override { return source.length() > 0 ? 1 : 0; }
  genome::Region interval(const genome::Region& source, int64_t) const override { return source; }
  genome::Region read(const genome::Region& interval) const override;
  genome::Region judged(const genome::Region& interval) const override { return interval; }
  /// What --around counts from, of an interval and what the model reads for it: the first base behind the middle or, of
  /// a promoter model, the start site (behind it on strand -).
  int64_t focus(const genome::Region& interval, const genome::Region& read, char strand) const;
  bool readable(const std::string&) const override { return true; }
  bool stranded() const { return around_ != Around::bin; }
  bool whole() const { return around_ == Around::whole; }
  bool is_short(const genome::Region& interval) const {
    return around_ == Around::start && interval.length() < length();
  }
  int64_t before() const { return before_; }  // the centre
  int64_t after() const { return after_; }
  int64_t length() const { return before_ + after_; }

 private:
  int64_t before_, after_;
  Around around_;
};

/// What the model reads for one interval.
struct Site {
  std::string name;                // of the region or record
  std::string contig, own_contig;  // as the input spells it, and as the genome does; of a record its name
  std::string window = {};         // bases of the forward strand; N past the ends
  char strand = '+';               // on which the model reads them
  int64_t window_start = 0;        // of the window's first base, 0-based; may be negative
  int64_t first = 0, count = 0;    // explained bases, in the window
  int64_t length = 0;              // of the contig or record
  int64_t position(int64_t i) const { return window_start + first + i; }  // of the i-th explained base
  char base(int64_t i) const { return window[static_cast<size_t>(first + i)]; }
};

/// What a network reads for the bin at an interval's centre.
SiteTiling tiling_of(const model_folder::NetworkConfig& config);

/// In the order of the input.
class Sites {
 public:
  /// `around`: bp on either side of an interval's centre that are explained; 0: the whole interval.
  Sites(const prediction::SequenceInput& input, int64_t around, const SiteTiling& tiling);
  std::optional<Site> next();
  /// Passes over so many intervals without reading their bases.
  void skip(int64_t intervals) { stream_.skip(intervals); }
  /// The number of intervals in the whole input. Reads all of a FASTA file; not for stdin and pipes.
  int64_t total() const;
  /// The same for progress; 0 if it is not known.
  uint64_t expected() const { return prediction::expected_intervals(stream_, input_, tiling_); }
  /// The genome's contigs; empty for records.
  std::vector<genome::Contig> contigs() const;
  /// Intervals whose ends the model does not read.
  int64_t cut() const { return cut_; }
  int64_t window() const { return tiling_.length(); }

 private:
  prediction::IntervalInput input_;
  int64_t around_, cut_ = 0;
  SiteTiling tiling_;
  prediction::IntervalStream stream_;
};

}  // namespace bigdna::attribution
