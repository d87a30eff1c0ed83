/// UCSC chain files (https://genome.ucsc.edu/goldenPath/help/chain.html) and lift-over as UCSC's liftOver does it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "genome/region.h"

namespace bigdna::genome {

/// Why a region was not lifted; to_string() gives liftOver's words.
enum class Unlifted {
  none,        // it was lifted
  deleted,     // no base is aligned
  partial,     // one chain aligns a part of it that is too small
  split,       // several chains align parts of it, each too small
  duplicated,  // several chains align enough of it
  block,       // no base of one of the record's blocks is aligned
  empty,       // it has no bases
};
const char* to_string(Unlifted reason);

struct Chain {
  struct Block {
    int64_t target, query, length;  // starts; the query's on the chain's own strand
  };
  int64_t start, end;  // on the target
  std::string query;
  int64_t query_length;
  char strand;  // the query's
  std::vector<Block> blocks;
};

struct Lifted {
  // if reason is none: from the first to the last aligned base, with the strand turned as the chain's is
  Region region;
  Unlifted reason = Unlifted::none;
  const Chain* chain = nullptr;  // that it was lifted by: one of Chains
  /// A part of the region that was lifted, by the same chain: from its first to its last aligned base; nullopt if no
  /// base of it is aligned.
  std::optional<Region> part(int64_t start, int64_t end) const;
};

/// A chain file, plain or compressed. It leads from the assembly of its targets (hg38 in hg38ToHg19) to that of its
/// queries. Immutable, so threads may share it.
class Chains {
 public:
  /// Errors "FILE:LINE: cause": not a chain file, blocks that disagree with their header, a contig of two lengths.
  explicit Chains(const std::string& path);
  /// Lifts a region. `least` is the share of its bases that one chain must align (liftOver's -minMatch). The contig's
  /// name may differ from the file's by a "chr" prefix; the result's name is then spelled like the region's.
  Lifted lift(const Region& region, double least = 0.95) const;
  /// Whether there is a chain from this contig, by either spelling.
  bool has_contig(const std::string& contig) const { return target_length(contig).has_value(); }
  /// bp of a contig, by either spelling, in the assembly that the file leads from, and in the one that it leads to.
  std::optional<int64_t> target_length(const std::string& contig) const { return length_of(targets_, contig); }
  std::optional<int64_t> query_length(const std::string& contig) const { return length_of(queries_, contig); }
  /// Error "WHERE: position N is past the end of ..." for a region that the assembly of the targets does not have.
  void refuse_past_end(const Region& region, const std::string& where) const;
  size_t size() const { return count_; }

 private:
  using Lengths = std::map<std::string, int64_t>;  // by contig
  static std::optional<int64_t> length_of(const Lengths& lengths, const std::string& contig);
  std::map<std::string, std::vector<Chain>> chains_;  // by target contig, sorted by start
  Lengths targets_, queries_;
  std::string path_;
  size_t count_ = 0;
};

}  // namespace bigdna::genome
