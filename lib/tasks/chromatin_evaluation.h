/// How well chromatin models do on a split of a dataset: AUROC and AUPRC of every feature and group, paired
/// differences between methods, in bounded memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tasks/evaluation.h"
#include "tasks/task_rows.h"

namespace bigdna::tasks {

/// One of the methods that are compared: a model, an ensemble, the k-mer baseline.
struct ChromatinMethod {
  std::string name;
  /// Probabilities of rows of the dataset, row-major [rows, labels]; NaN for a feature that it has none of.
  std::function<std::vector<float>(const std::vector<int64_t>& rows)> score;
};

/// The k-mer baseline as a method, "kmers": fitted here.
ChromatinMethod kmer_method(const TaskRows& data, int threads);

/// Scores go through files (metrics/score_spill.h): memory is a few thousand rows of all features, and a
/// feature's scores on each thread. The first method's differences to each of the others are paired: the same
/// resamples of whole blocks of the genome (1 Mb; where there are more than 512, as many neighbours together
/// as it takes) for all features and methods.
Evaluation evaluate_chromatin(const TaskRows& data, const std::vector<ChromatinMethod>& methods,
                              const EvaluationOptions& options);

}  // namespace bigdna::tasks
