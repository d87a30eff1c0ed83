/// How well chromatin models do on a split of a dataset: AUROC and AUPRC of every feature and group, paired
/// differences between methods, in bounded memory.
#pragma once

#include <vector>

#include "classification/evaluation.h"
#include "classification/task_rows.h"

namespace bigdna::classification {

/// Scores go through files (metrics/score_spill.h): memory is a few thousand rows of all features, and a
/// feature's scores on each thread. The first method's differences to each of the others are paired: the same
/// resamples of whole blocks of the genome (1 Mb; where there are more than 512, as many neighbours together
/// as it takes) for all features and methods.
Evaluation evaluate_chromatin(const TaskRows& data, const std::vector<Method>& methods,
                              const EvaluationOptions& options);

}  // namespace bigdna::classification
