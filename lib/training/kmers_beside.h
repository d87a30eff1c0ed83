/// K-mers beside a network on bases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linear/kmer_fit.h"
#include "models/kmer_model.h"
#include "session/run_options.h"
#include "training/term_beside.h"

namespace bigdna::training {

class KmersBeside : public TermBeside {
 public:
  /// Fits k-mers to the training rows of `rows`, whose bases are what the network reads. `strands`: which it reads.
  /// `rows` must outlive this.
  KmersBeside(const rows::TaskRows& rows, session::Strands strands, int threads);

  std::string name() const override { return "kmers"; }
  std::string title() const override { return "k-mers"; }
  std::vector<float> logits(const Rows& rows) const override { return logits_of(alone_.model, rows); }
  std::vector<float> in_sum(const Rows& rows) const override { return logits_of(*beside_, rows); }
  const models::KmerCounts& counts() const { return alone_.model.counts; }
  /// At its place in the sum; only of k-mers that have a place.
  void set_kernel(const models::KernelModel& kernel) { beside_->kernel = kernel; }
  OutOfFold out_of_fold() const override { return {alone_.fitted, alone_.out_of_fold}; }
  bool is_kept() const override { return true; }
  void write(const std::string& folder, io::Manifest& manifest) const override;

 private:
  /// A few megabases of validation rows resolve little: to ask for a standard error would leave k-mers out where they
  /// help.
  linear::StackChoice choice() const override { return linear::StackChoice::least_loss; }
  void placed() override;
  std::vector<float> logits_of(const models::KmerModel& model, const Rows& rows) const;

  session::Strands strands_;
  int threads_;
  linear::FittedKmers alone_;                // as they were fitted
  std::optional<models::KmerModel> beside_;  // at their place
};

}  // namespace bigdna::training
