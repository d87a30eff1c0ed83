/// bigWig files (Kent et al. 2010): values along a genome, with zoom levels for browsers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genome/fasta.h"

namespace bigdna::genome {

/// Whether regions come in an order in which a bigWig file can hold them: that of the contigs, without overlaps.
class TrackOrder {
 public:
  explicit TrackOrder(const std::vector<Contig>& contigs);
  /// Whether the region follows those before it. `contig`: its contig as `contigs` call it.
  bool follows(const std::string& contig, const Region& region);

 private:
  std::map<std::string, size_t> places_;
  std::pair<size_t, int64_t> last_{0, 0};  // the place of the contig, and the end on it
};

/// Writes a bigWig file, under a temporary name until commit(). Errors name the file. Time and memory grow with the
/// number of values and of contigs that have some, whatever their order.
class BigWigWriter {
 public:
  /// `contigs` are those of the genome, in the order in which values will come. Error for contigs of 4 Gbp or more.
  BigWigWriter(const std::string& path, const std::vector<Contig>& contigs);
  ~BigWigWriter();
  BigWigWriter(BigWigWriter&&) noexcept;
  /// Adds `value` for the bases [start, end) of a contig, 0-based. The file calls the contig `name`, which is the
  /// input's spelling ("chr20" for the genome's "20"); "" is the genome's. Intervals must be sorted in the order of
  /// `contigs` and not overlap. Error if they are not, if the value is not finite, the contig unknown or named
  /// differently before, or the interval empty or past the contig's end.
  void add(const std::string& contig, int64_t start, int64_t end, float value, std::string_view name = {});
  /// Writes zoom levels, index and contigs, closes and renames the file. It lists all contigs of the genome or, if the
  /// input spells any of them differently, only those that have values. A file without values is valid.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
