/// How predictions cut a record or region into intervals, and what a model reads for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "dataset/bin.h"
#include "genome/region.h"

namespace bigdna::prediction {

class Tiling {
 public:
  virtual ~Tiling() = default;
  /// The region that is tiled for a given one; by default the same.
  virtual genome::Region source(const genome::Region& given) const { return given; }
  virtual int64_t count(const genome::Region& source) const = 0;
  /// The i-th interval, from 0, in the order in which they are written.
  virtual genome::Region interval(const genome::Region& source, int64_t i) const = 0;
  /// What the model reads for an interval; bases past the contig's ends are N.
  virtual genome::Region read(const genome::Region& interval) const = 0;
  /// The part of this that must not overlap training data.
  virtual genome::Region judged(const genome::Region& interval) const = 0;
  /// Whether the bases of read() have few enough N for a score.
  virtual bool readable(const std::string& bases) const = 0;
  /// Whether rows keep the input's columns past the sixth.
  virtual bool keeps_columns() const { return false; }
};

/// Intervals of `upstream` + `downstream` bp, which start every `stride` bp along the strand (unset: a quarter of their
/// length, or with `context` all of it); the last one ends where the source ends. A shorter source is one interval. A
/// single base of a genome is a start site, read with its surroundings.
class PromoterTiling : public Tiling {
 public:
  /// `context`: bases to either side of an interval that the model reads, too.
  PromoterTiling(int64_t upstream, int64_t downstream, std::optional<int64_t> stride, double max_n_fraction,
                 int64_t context = 0)
      : upstream_(upstream),
        downstream_(downstream),
        stride_(stride.value_or(std::max<int64_t>(1, (upstream + downstream) / (context ? 1 : 4)))),
        max_n_fraction_(max_n_fraction),
        context_(context) {}
  genome::Region source(const genome::Region& given) const override;
  int64_t count(const genome::Region& source) const override;
  genome::Region interval(const genome::Region& source, int64_t i) const override;
  /// With `context`, the middle is that of the bin (ChromatinTiling::judged()), whichever strand is read.
  genome::Region read(const genome::Region& interval) const override {
    const int64_t odd = context_ ? interval.length() % 2 : 0;
    return {interval.contig, interval.start - context_ - odd, interval.end + context_, interval.strand};
  }
  genome::Region judged(const genome::Region& interval) const override { return interval; }
  bool readable(const std::string& bases) const override;
  int64_t length() const { return upstream_ + downstream_; }
  int64_t stride() const { return stride_; }

 private:
  int64_t upstream_, downstream_, stride_;
  double max_n_fraction_;
  int64_t context_;
};

/// Every source as it is, along its strand.
class WholeTiling : public Tiling {
 public:
  /// `bin_at`: of records for a chromatin model, where the bin's centre is, as a fraction of the length; the bin, of
  /// `bin` bp, is what must not overlap training data.
  explicit WholeTiling(std::optional<double> bin_at = std::nullopt, int64_t bin = dataset::kBin)
      : bin_at_(bin_at), bin_(bin) {}
  int64_t count(const genome::Region& source) const override { return source.length() > 0 ? 1 : 0; }
  genome::Region interval(const genome::Region& source, int64_t) const override { return source; }
  genome::Region read(const genome::Region& interval) const override { return interval; }
  genome::Region judged(const genome::Region& interval) const override;
  bool readable(const std::string& bases) const override;
  bool keeps_columns() const override { return true; }

 private:
  std::optional<double> bin_at_;
  int64_t bin_;
};

/// Every source as it is, or cut into pieces of `tile` bp (0: never), of which the last may be shorter. The model reads
/// the bin at an interval's centre, of `bin` bp, with its context.
class ChromatinTiling : public Tiling {
 public:
  ChromatinTiling(int64_t bin, int64_t upstream, int64_t downstream, int64_t tile)
      : bin_(bin), upstream_(upstream), downstream_(downstream), tile_(tile) {}
  int64_t count(const genome::Region& source) const override;
  genome::Region interval(const genome::Region& source, int64_t i) const override;
  genome::Region read(const genome::Region& interval) const override;
  genome::Region judged(const genome::Region& interval) const override;
  bool readable(const std::string& bases) const override;
  bool keeps_columns() const override { return true; }

 private:
  int64_t bin_, upstream_, downstream_, tile_;
};

}  // namespace bigdna::prediction
