/// Counts summed over bins: memory of 8 bytes a bin, only on contigs that have counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "coverage/contigs.h"
#include "coverage/counter.h"

namespace bigdna::coverage {

class BinSums final : public CountSink {
 public:
  BinSums(const Contigs& contigs, int64_t bin) : contigs_(contigs), bin_(bin), sums_(contigs.all().size()) {}
  void add(uint32_t contig, int64_t start, int64_t end, int64_t weight) override {
    add_each(contig, start, end, static_cast<double>(weight));
  }
  void add_value(uint32_t contig, int64_t start, int64_t end, float value) override {
    add_each(contig, start, end, value);
  }
  /// The sums of a contig's bins, the last of which may be shorter; empty if it has no counts.
  const std::vector<double>& of(uint32_t contig) const { return sums_[contig]; }
  int64_t bin() const { return bin_; }

 private:
  void add_each(uint32_t contig, int64_t start, int64_t end, double value) {
    auto& sums = sums_[contig];
    if (sums.empty()) sums.resize(static_cast<size_t>((contigs_[contig].length + bin_ - 1) / bin_));
    for (int64_t at = start / bin_; start < end; ++at) {
      const int64_t stop = std::min(end, (at + 1) * bin_);
      sums[static_cast<size_t>(at)] += value * static_cast<double>(stop - start);
      start = stop;
    }
  }

  const Contigs& contigs_;
  int64_t bin_;
  std::vector<std::vector<double>> sums_;
};

}  // namespace bigdna::coverage
