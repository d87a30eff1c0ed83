/// The baseline that stands beside every fine-tuned model.
#pragma once

#include <vector>

#include "classification/evaluation.h"
#include "classification/linear_models.h"

namespace bigdna::classification {

/// The k-mer logistic regression (lib/metrics), by fit_linear_models(): words up to 5 along the strand for promoters; up to 4, both strands, of the bin, of
/// 1000 bp and of all of the context for chromatin.
class KmerBaseline {
 public:
  /// `data` must outlive it.
  KmerBaseline(const TaskRows& data, int threads);
  /// Probabilities of `rows` of any split, row-major [rows, labels]; a feature without both classes in
  /// training is NaN.
  std::vector<float> score(const std::vector<int64_t>& rows) const;

 private:
  const TaskRows& data_;
  int threads_;
  LinearModels models_;
};

/// The baseline as a method, "kmers": fitted here, for promoters with the best threshold on the validation rows.
Method kmer_method(const TaskRows& data, int threads);

}  // namespace bigdna::classification
