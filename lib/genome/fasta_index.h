/// The .fai (and .gzi) of a FASTA: found, or built, and checked against the file. Used by Genome only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/user_cache.h"

namespace bigdna::genome {

struct FastaIndex {
  std::string fai, gzi;  // gzi is "" for plain FASTA
};

/// Where indexes of genomes in read-only folders are kept.
std::vector<io::UserCache> index_caches();

/// An index newer than the FASTA, beside `path` or in one of index_caches(). Builds it if there is none. Errors name
/// the file and the cause: no folder that can be written, missing, a folder, empty, not FASTA, plain gzip, truncated
/// BGZF, lines of unequal length, two sequences of the same name, an empty last sequence.
FastaIndex find_or_build_index(const std::string& path);

/// A line of a .fai. htslib counts printable characters as bases when it builds one, but all bytes when it seeks.
struct IndexedSequence {
  std::string name;
  int64_t length = 0;
  int64_t offset = 0;                      // of the first base in the (decompressed) file
  int64_t line_bases = 0, line_bytes = 0;  // of the first line
};

/// All lines, in the index's order. Error naming a line that is malformed or repeats a name.
std::vector<IndexedSequence> read_index(const FastaIndex& index);

/// Checks what htslib assumes: that a sequence is where its index says. One object per thread.
class FastaLayout {
 public:
  /// To be made before htslib opens the index. Error if the .gzi cannot be this file's (BgzfIndex).
  FastaLayout(const std::string& path, const FastaIndex& index);
  ~FastaLayout();
  /// Error if a number of the sequence is larger than the file: they bound loops and memory.
  void check_extent(const IndexedSequence& sequence);
  /// To be called before htslib seeks to base `start` (0-based) of the sequence. Error if the .gzi leads elsewhere.
  void check_seek(const IndexedSequence& sequence, int64_t start);
  /// Error if the file holds two sequences of one name, of which the index lists only the first. What lies between
  /// indexed sequences is read where it is more than the next one's header.
  void refuse_repeated_names(const std::vector<IndexedSequence>& sequences);
  /// False if the sequence holds bytes that htslib does not count, so that bases lie elsewhere, or if the index is
  /// another file's. Error if the header before the sequence has another name.
  bool holds(const IndexedSequence& sequence, const std::unordered_map<std::string, IndexedSequence>& all);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
