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

/// The other spelling of a contig: without its "chr", or with one.
std::string other_spelling(const std::string& contig);
/// samtools' notation, 1-based and closed: "chr20:1,001-2,000". A known strand follows in brackets.
std::string to_string(const Region& region);

}  // namespace bigdna::genome
