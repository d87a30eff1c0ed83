/// How well outputs of one name in several cells tell these cells apart: where an experiment differs from the mean over
/// the cells. A model that gives all cells the same is accurate in each of them, and useless here (Schreiber et al.,
/// Genome Biology 2020).
#pragma once

#include <span>
#include <vector>

#include "evaluation/count_evaluation.h"

namespace bigdna::evaluation {

/// The outputs of one name, group, strand and kind, the first of each cell; at least two cells.
std::vector<std::vector<size_t>> outputs_by_target(const std::vector<dataset::Feature>& features);

/// The deviation of each row's value of output `own` from the mean over all outputs, exactly 0 where all are equal.
/// `columns`: of each output, the values of the rows.
std::vector<float> deviations(const std::vector<std::vector<double>>& columns, size_t own);

/// The AUROC that is expected of labels of which row i is 1 with the chance shares[i], independent of the other rows:
/// the expected number of pairs (1, 0) in the right order, ties half, of the expected number of pairs. NaN if that is
/// 0.
double expected_auroc(std::span<const float> scores, std::span<const double> shares);

/// "cells" and "all_cells" in the JSON, and cells.tsv in the report: for labels the AUROC of the deviation of log-odds
/// among bins whose labels differ between the cells, with what labels that are shuffled among the cells of each bin
/// give ("chance", exact); for counts Pearson's correlation of the deviations of log(1 + count), whose chance is 0.
/// Nothing if no two outputs share a name. `spills`: the scores of each method.
void evaluate_cells(const ResampledRows& rows, const std::vector<Method>& methods,
                    const std::vector<metrics::ScoreSpill>& spills, const EvaluationOptions& options,
                    Evaluation& result);

}  // namespace bigdna::evaluation
