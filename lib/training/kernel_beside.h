/// A kernel model beside k-mers and encoder, whose numbers it compares with those of training rows.
#pragma once

#include <string>
#include <vector>

#include "models/kmer_model.h"
#include "session/run_options.h"
#include "training/encoder_beside.h"
#include "training/kmers_beside.h"
#include "training/term_beside.h"

namespace bigdna::training {

class KernelBeside : public TermBeside {
 public:
  /// Fits it to training rows, as many as have about a gigabyte of k-mers. `strands`: which the network reads. All but
  /// the numbers must outlive this.
  KernelBeside(KmersBeside& kmers, EncoderBeside& encoder, const rows::TaskRows& rows, session::Strands strands,
               uint64_t seed, int threads);

  std::string name() const override { return "kernel"; }
  std::string title() const override { return "kernel model"; }
  std::vector<float> logits(const Rows& rows) const override { return logits_of(rows, /*alone=*/true); }
  std::vector<float> in_sum(const Rows& rows) const override { return logits_of(rows, /*alone=*/false); }
  OutOfFold out_of_fold() const override { return out_of_fold_; }
  /// As a part of the k-mers (models::KmerModel::kernel).
  bool is_kept() const override { return place().has_value(); }
  void write(const std::string& folder, io::Manifest& manifest) const override;

 private:
  linear::StackChoice choice() const override { return linear::StackChoice::earned; }
  void placed() override;
  std::vector<float> logits_of(const Rows& rows, bool alone) const;

  KmersBeside& kmers_;
  EncoderBeside& encoder_;
  session::Strands strands_;
  int threads_;
  models::KmerModel model_;  // its kernel, and which k-mers it reads
  OutOfFold out_of_fold_;
};

}  // namespace bigdna::training
