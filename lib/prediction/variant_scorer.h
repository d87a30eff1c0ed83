/// Computes effects of alleles by one model, or their mean over an ensemble.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "genome/interval_set.h"
#include "io/provenance.h"
#include "model_folder/model_folder.h"
#include "prediction/variant_places.h"
#include "session/placement.h"
#include "session/task_model.h"
#include "tokenizer/encoder.h"
#include "variants/edit.h"
#include "variants/effects.h"

namespace bigdna::prediction {

/// An allele with the sequence that scoring it needs.
struct PlannedAllele {
  variants::Allele allele;
  std::vector<genome::Region> intervals;  // VariantPlaces::of(); none if the allele is skipped
  // forward bases from `around_start` on: all intervals, and what a deletion draws in
  std::string around;
  int64_t around_start = 0;
  bool contains_n = false;  // in the intervals
  double gc = 0.5;          // gc_around(); with --null
};
PlannedAllele plan(variants::Allele allele, const VariantPlaces& places, variants::GenomeWindow& window, bool with_gc);

class VariantScorer {
 public:
  /// Opens the models, checks that they can be averaged, and chooses device and precision; no weights are read yet.
  explicit VariantScorer(const VariantOptions& options);
  ~VariantScorer();
  /// Reads the weights. To be called before any other use of LibTorch.
  void load();

  VariantTask task() const { return task_; }
  const session::TaskDetails& details() const;  // the first model's
  const std::vector<dataset::Feature>& features() const { return features_; }
  const std::vector<variants::Column>& columns() const { return columns_; }
  std::vector<std::string> weights_paths() const;
  std::vector<std::string> folders() const;
  const std::string& model_path() const;  // the first model's folder
  /// Of outputs: the program, the command, each model.
  io::Provenance provenance() const;
  /// Everything about the models that decides the numbers, for a journal.
  nlohmann::ordered_json identity() const;
  genome::IntervalSet training_intervals() const;
  const char* precision() const { return placement_.precision(); }
  /// How many threads may call score() at the same time.
  int threads() const;

  /// Effects, row-major [alleles.size(), columns().size()]; NaN for alleles that are skipped. Alleles with the same
  /// interval share its reference. Runs on the calling thread. The alleles must have been planned with `places`.
  std::vector<float> score(std::span<const PlannedAllele> alleles, const VariantPlaces& places) const;
  void report_truncated() const;

 private:
  struct Member;
  struct Sequence;
  struct Answers;
  Answers answer(const Member& member, const std::vector<Sequence>& sequences) const;
  Answers profile_answer(const Member& member, const std::vector<Sequence>& sequences) const;

  const VariantOptions& options_;
  VariantTask task_ = VariantTask::embedding;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<dataset::Feature> features_;
  std::vector<variants::Column> columns_;
  bool needs_scores_ = false, needs_hidden_ = false;
  session::Placement placement_;
};

}  // namespace bigdna::prediction
