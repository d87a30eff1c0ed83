/// What shows how well probabilities of one label (0 or 1) fit: ROC and precision-recall curves, and calibration.
#pragma once

#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "rows/task_rows.h"

namespace bigdna::evaluation {

/// One method's scores of the rows, row-major [rows, labels]: probabilities, or numbers of regression.
struct MethodScores {
  std::string name;
  std::vector<float> values;
  double threshold = 0.5;  // promoters: least probability of a call
};

/// Adds to result.report calibration.tsv and calibration.svg and, where rows of both classes are there, roc.svg,
/// pr.svg, TASK_roc_mqc.json and TASK_pr_mqc.json; to the JSON of each method its calibration.
void add_curves(const rows::TaskRows& data, const std::vector<uint8_t>& labels,
                const std::vector<MethodScores>& methods, const EvaluationOptions& options, Evaluation& result);

}  // namespace bigdna::evaluation
