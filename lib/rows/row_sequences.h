/// What is told from the sequences of a table's rows: which of them are one unit, and whether their lengths give labels
/// away.
#pragma once

#include "rows/task_rows.h"

namespace bigdna::rows {

/// Rows with the same sequence, on either strand, become one unit: of bootstraps and of folds.
void resample_sequences(TaskRows& data);

/// Warns where the length of a row alone tells a label (an AUROC of 0.75 or more, either way, among a split's rows): a
/// network sees where a sequence ends, and the frequencies of k-mers do not. Rows of a table only; numbers are left
/// out.
void warn_of_telling_lengths(const TaskRows& data, dataset::Split split);

}  // namespace bigdna::rows
