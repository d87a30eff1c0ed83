/// Evaluates chromatin models on a split of a dataset: AUROC and AUPRC of every feature and group, metrics of counts of
/// every track, and paired differences between methods, in bounded memory.
#pragma once

#include <vector>

#include "evaluation/evaluation.h"
#include "rows/task_rows.h"

namespace bigdna::evaluation {

/// Scores are kept in files (metrics/score_spill.h), so memory is a few thousand rows of all features, and one
/// feature's scores per thread. The first method's differences to each of the others are paired: all features and
/// methods have the same resamples of whole blocks of the genome (1 Mb; neighbouring blocks are joined if there are
/// more than 512).
Evaluation evaluate_chromatin(const rows::TaskRows& data, const std::vector<Method>& methods,
                              const EvaluationOptions& options);

}  // namespace bigdna::evaluation
