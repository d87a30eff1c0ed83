/// Which k-mers stand where contributions are high.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::motif {

struct EnrichedKmer {
  std::string kmer;         // or its reverse complement: the one that comes first in the alphabet
  int64_t seqlets = 0;      // that are this k-mer
  int64_t windows = 0;      // windows that are
  double enrichment = 0;    // its share of seqlets over its share of windows
  double contribution = 0;  // mean over these seqlets of the sum over their bases
  double p = 1;             // hypergeometric: at least so many, had the seqlets been drawn from all windows
  double e = 1;             // p times the number of different k-mers among the windows
};

class EnrichedKmers {
 public:
  /// Seqlets are the windows with the highest sums: of this share of all windows, those that overlap none with a higher
  /// sum.
  static constexpr double kShare = 0.01;
  static constexpr int kLongest = 15;  // bases of a k-mer

  explicit EnrichedKmers(int length) : length_(length) {}
  /// Takes all windows of one sequence that have no other letters than A, C, G and T; a contribution for each base.
  void add(std::string_view bases, std::span<const float> contributions);
  /// Whether at least two sequences have windows: seqlets of a single one are a single observation, which no test can
  /// judge.
  bool can_be_tested() const { return sequences_ > 1; }
  /// Those of all seqlets, ascending by p, then by k-mer; none unless can_be_tested().
  std::vector<EnrichedKmer> result() const;

 private:
  struct Window {
    float sum;
    uint32_t kmer;
    int64_t position;  // over all sequences, which lie a k-mer's length apart
  };
  int length_;
  int64_t end_ = 0, sequences_ = 0;
  std::vector<Window> windows_;
};

/// The probability of at least `hits` of `drawn` things that are drawn without replacement from `all`, of which
/// `marked` are hits.
double hypergeometric_tail(int64_t hits, int64_t drawn, int64_t marked, int64_t all);

}  // namespace bigdna::motif
