/// Finds sequences of DeepSEA's length in a genome, on both strands, by fingerprint only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataset/deepsea.h"
#include "genome/fasta.h"

namespace bigdna::dataset {

/// Fingerprints of a sequence and of its reverse complement: sums of code(base) x B^position modulo 2^61 - 1, for two
/// B.
struct Fingerprint {
  std::array<uint64_t, 2> forward{}, reverse{};
  bool operator==(const Fingerprint&) const = default;
};

/// What each base adds at each position.
class FingerprintTable {
 public:
  FingerprintTable();
  struct Position {
    std::array<Fingerprint, 4> terms;  // by DeepSEA's channel: A G C T
    void add(size_t channel, Fingerprint& sum) const;
  };
  const Position& at(int64_t position) const { return positions_[static_cast<size_t>(position)]; }
  /// Of kDeepseaLength bases (A C G T N).
  Fingerprint of(std::string_view bases) const;

 private:
  std::vector<Position> positions_;
};

/// Distinct sequences (a reverse complement counts as the same), and their positions in the genome.
class SequencePlaces {
 public:
  struct Row {
    uint32_t sequence = 0;
    bool flipped = false;  // it is the reverse complement of the stored sequence
  };
  Row add(const Fingerprint& print);
  size_t size() const { return sequences_.size(); }

  /// Reads the genome once. The same for any number of threads.
  void find(const genome::Genome& genome, const std::vector<genome::Contig>& contigs, int threads);

  struct Place {
    int64_t count = 0;  // positions in the genome; the other fields describe the first
    uint32_t contig = 0;
    int64_t start = 0;
    char strand = '.';  // the strand that equals the row
  };
  Place at(const Row& row) const;

 private:
  struct Sequence {
    std::array<uint64_t, 2> print;  // of the strand with the smaller first one
    int64_t start = 0;
    uint32_t contig = 0, count = 0;
    char strand = '.';
  };
  void grow();
  /// The slot of `print` in slots_, or the empty one where it belongs.
  size_t slot_of(const std::array<uint64_t, 2>& print) const;
  bool holds(uint64_t first_print) const;

  std::vector<Sequence> sequences_;
  std::vector<uint32_t> slots_;  // open addressing: a number of sequences_ plus 1, 0: empty
};

}  // namespace bigdna::dataset
