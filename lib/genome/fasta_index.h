/// The .fai (and .gzi) of a FASTA: found, or built, and checked against the file. Used by Genome only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace bigdna::genome {

struct FastaIndex {
  std::string fai, gzi;  // gzi is "" for plain FASTA
};

/// Where the indexes of genomes go whose own folder cannot be written. It need not exist.
std::string index_cache();

/// The index beside `path`, or in the cache folder (${BIGDNA_CACHE:-${XDG_CACHE_HOME:-~/.cache}/bigdna}/fai), newer
/// than the FASTA; built first where there is none. Errors name the file and the cause: missing, a folder, empty, not
/// FASTA, plain gzip, truncated BGZF, lines of unequal length, two sequences of one name, a last one that is empty.
FastaIndex find_or_build_index(const std::string& path);

/// A line of a .fai. htslib counts printable characters as bases, but finds a base by counting bytes.
struct IndexedSequence {
  std::string name;
  int64_t length = 0;
  int64_t offset = 0;                      // of the first base in the (inflated) file
  int64_t line_bases = 0, line_bytes = 0;  // of the first line
};

/// In the index's order. Error naming a line that is malformed or repeats a name.
std::vector<IndexedSequence> read_index(const FastaIndex& index);

/// Checks what htslib takes on trust: that a sequence is where its index says. One object per thread.
class FastaLayout {
 public:
  /// Before htslib opens the index: Error where the .gzi cannot be the file's (BgzfIndex).
  FastaLayout(const std::string& path, const FastaIndex& index);
  ~FastaLayout();
  /// Before htslib goes to base `start` of the sequence: Error where the .gzi leads elsewhere.
  void check_way_to(const IndexedSequence& sequence, int64_t start);
  /// False where the sequence holds bytes that htslib does not count, so that bases lie elsewhere, or the index is another
  /// file's. Error where the sequence behind it has the name of an earlier one, which an index leaves out.
  bool holds(const IndexedSequence& sequence, const std::unordered_map<std::string, IndexedSequence>& all);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::genome
