/// Evaluates promoter models: metrics with intervals, also for CpG promoters separately, calibration, curves, and the
/// report folder.
#pragma once

#include <string>
#include <vector>

#include "evaluation/curves.h"
#include "evaluation/evaluation.h"
#include "rows/task_rows.h"

namespace bigdna::evaluation {

/// Fills result.table, result.json and result.report. Rows of a method "FIRST-OTHER" are paired differences of the
/// first method's AUROC and AUPRC to another's, from the same resamples. Metrics named cpg_X and non_cpg_X are those of
/// CpG promoters and of the others, each with their own negatives; datasets of older versions do not have them.
void evaluate_promoter(const rows::TaskRows& data, const std::vector<int64_t>& rows,
                       const std::vector<MethodScores>& methods, const EvaluationOptions& options, Evaluation& result);

}  // namespace bigdna::evaluation
