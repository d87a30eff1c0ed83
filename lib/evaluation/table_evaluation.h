/// Evaluates models of tables: metrics by the type of the labels, with intervals and paired differences.
#pragma once

#include <string>
#include <vector>

#include "evaluation/curves.h"
#include "evaluation/evaluation.h"
#include "rows/task_rows.h"

namespace bigdna::evaluation {

/// Fills result.table ("#method split metric value low high"), result.json, and result.feature_table where there are
/// several outputs: a row for each output and method. Metrics:
///   binary: rows, positives; accuracy, f1, f1_macro, mcc (called 1 from 0.5 on), auroc, auprc
///   classes: rows; accuracy, f1_macro, mcc (the likeliest class is called), auroc (each class against the rest, mean),
///   auprc
///   multilabel: rows; f1_macro, f1_micro (from 0.5 on), auroc, auprc (means over labels with both classes)
///   regression: rows; pearson, spearman, r2 (means over the numbers, each where it is not missing); rmse of one
///   number alone, because several may have different units
///   counts: rows; metrics::kCountMetrics (means over the outputs)
/// Of binary labels also what evaluation/curves.h adds. Rows of a method "FIRST-OTHER" are paired differences of
/// the first method to another: the same resamples.
void evaluate_table(const rows::TaskRows& data, const std::vector<int64_t>& rows,
                    const std::vector<MethodScores>& methods, const EvaluationOptions& options, Evaluation& result);

}  // namespace bigdna::evaluation
