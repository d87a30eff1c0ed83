/// The terms that read k-mers: linear in how frequent they are, and the kernel model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/kmer_model.h"
#include "models/term.h"

namespace bigdna::models {

/// What k-mers add to some outputs. The columns of a window are multiplied for the outputs alone that have weights
/// there: the outputs of one strand and the others have different windows.
class KmerProducts {
 public:
  KmerProducts(const KmerModel& kmers, const std::vector<size_t>& outputs);
  /// Adds to `sums`, which has a place for every output of the model. The results have the same bits as
  /// KmerModel::linear_logits(), because columns are added in the same order.
  void add(std::span<const float> values, std::span<double> sums) const;

 private:
  struct Block {
    size_t first = 0, columns = 0;
    std::vector<size_t> outputs{};
    std::vector<float> weight{};  // [columns, outputs]
  };
  std::vector<Block> blocks_;
};

class KmerTerm : public Term {
 public:
  /// `kmers` must outlive this. `anchor`: the site, as a fraction of a sequence's length. `other_strand`: for each
  /// output the one that it becomes on the other strand; empty: every output stays what it is. `context`: bp around the
  /// middle of a sequence that are read, as a network that labels bins does; 0: all of it.
  KmerTerm(const KmerModel& kmers, double anchor, std::vector<int64_t> other_strand = {}, int64_t context = 0);
  std::string_view name() const override { return "kmers"; }
  std::vector<float> logits(std::span<Reading> readings) const override;
  /// How the logits of a sequence divide among bases [first, first + count): [count, outputs]. Each k-mer's part is
  /// divided evenly among its bases in this stretch, so that what sequences differ in there adds up to the difference
  /// of their logits. Only of frequencies (KmerCounts::square_roots is false).
  std::vector<float> shares(const Reading& reading, int64_t first, int64_t count) const;
  /// Reads what is the same on both strands once.
  std::vector<float> mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const override;

 private:
  /// Whether both strands of a sequence have the same bases of the context: cut or filled up evenly.
  bool cuts_evenly(size_t length) const { return context_ == 0 || (static_cast<int64_t>(length) - context_) % 2 == 0; }
  /// The output whose sum is this output's logit.
  size_t source(const Reading& reading, size_t output) const {
    return reading.reversed && !other_strand_.empty() ? static_cast<size_t>(other_strand_[output]) : output;
  }

  const KmerModel& kmers_;
  double anchor_;
  std::vector<int64_t> other_strand_;
  int64_t context_;
  std::vector<size_t> all_;       // outputs
  std::vector<size_t> stranded_;  // the outputs that may have another logit on the other strand
  KmerProducts of_all_, of_stranded_;
};

class KernelTerm : public Term {
 public:
  /// `kmers`, whose kernel this is, must outlive this. `alone`: as it was fitted, not at its place in the sum.
  KernelTerm(const KmerModel& kmers, double anchor, bool alone = false)
      : kmers_(kmers), anchor_(anchor), alone_(alone) {}
  std::string_view name() const override { return "kernel"; }
  /// Needs Reading::pooled, which the encoder's term leaves.
  std::vector<float> logits(std::span<Reading> readings) const override;

 private:
  const KmerModel& kmers_;
  double anchor_;
  bool alone_;
};

}  // namespace bigdna::models
