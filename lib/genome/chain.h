/// UCSC chain files (https://genome.ucsc.edu/goldenPath/help/chain.html) and lift-over as UCSC's liftOver does it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "genome/region.h"

namespace bigdna::genome {

/// Why a region was not lifted, in liftOver's words.
enum class Unlifted {
  none,        // it was lifted
  deleted,     // no aligned base
  partial,     // one chain holds part of it, less than asked for
  split,       // several chains hold parts of it, none enough
  duplicated,  // several chains hold enough of it
  empty,       // it has no bases
};
const char* to_string(Unlifted reason);

struct Lifted {
  Region region;  // where reason is none: from the first to the last aligned base; the strand follows the chain's
  Unlifted reason = Unlifted::none;
};

/// A chain file, plain or compressed, from the assembly its targets are of (hg38 in hg38ToHg19) to its queries'.
/// Immutable and shareable between threads.
class Chains {
 public:
  /// Errors "FILE:LINE: cause": not a chain file, blocks that disagree with their header.
  explicit Chains(const std::string& path);
  /// `least` is the share of bases that one chain must align (liftOver's -minMatch). Contig names may differ by a
  /// "chr" prefix from the file's; the result's is then changed likewise.
  Lifted lift(const Region& region, double least = 0.95) const;
  /// Whether there is a chain from that contig, or from its other spelling.
  bool knows(const std::string& contig) const;
  size_t size() const { return count_; }

 private:
  struct Block {
    int64_t target, query, length;  // starts; the query's on the chain's own strand
  };
  struct Chain {
    int64_t start, end;  // on the target
    std::string query;
    int64_t query_length;
    char strand;  // the query's
    std::vector<Block> blocks;
  };
  std::map<std::string, std::vector<Chain>> chains_;  // by target, sorted by start
  size_t count_ = 0;
};

}  // namespace bigdna::genome
