/// An interval of a genome, and its text forms.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace bigdna::genome {

/// 0-based and half-open, as in BED. strand is '+', '-' or '.' (unknown).
struct Region {
  std::string contig;
  int64_t start = 0;
  int64_t end = 0;
  char strand = '.';
  int64_t length() const { return end - start; }
  auto operator<=>(const Region&) const = default;
};

/// The largest position that a file may name. No contig is as long, and sums of positions, windows and gaps stay far
/// below the limit of int64_t.
inline constexpr int64_t kMostPosition = int64_t{1} << 48;
/// The largest interval around a site that a model or dataset may read, in bp to either side.
inline constexpr int64_t kMostReach = int64_t{1} << 28;

/// The other spelling of a contig: without its "chr", or with one.
std::string other_spelling(const std::string& contig);
/// samtools' notation, 1-based and closed: "chr20:1,001-2,000". A known strand follows in brackets.
std::string to_string(const Region& region);

}  // namespace bigdna::genome
