/// Evaluates expected counts of bins: the tracks among the outputs of chromatin models.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/resamples.h"
#include "metrics/score_spill.h"
#include "plot/svg.h"
#include "rows/task_rows.h"

namespace bigdna::evaluation {

/// Rows of a split as chromatin evaluations measure and resample them.
struct ResampledRows {
  const rows::TaskRows& data;
  std::vector<int64_t> rows = {};
  Resamples resamples = {};
};

/// Of each track and method the metrics (metrics::kCountMetrics) of all bins and, where the dataset also has labels, of
/// the bins that have one ("labelled"), the first method's differences to the others, and method "halves", one half of
/// the reads beside the other: Evaluation::track_table and
/// "tracks" in the JSON, and their means over the tracks, of all bins, in "all_tracks"; the first method's figures of
/// all bins in `multiqc`. `spills`: the scores of each method.
void evaluate_counts(const ResampledRows& rows, const std::vector<Method>& methods,
                     const std::vector<metrics::ScoreSpill>& spills, const EvaluationOptions& options,
                     Evaluation& result, nlohmann::ordered_json& multiqc);

/// Of each track the mean observed count of bins beside the first method's mean expected count, of twenty equal parts
/// of the bins by the expected count.
std::vector<plot::Chart> charts_of_counts(const ResampledRows& rows, const Method& method,
                                          const metrics::ScoreSpill& spill);

}  // namespace bigdna::evaluation
