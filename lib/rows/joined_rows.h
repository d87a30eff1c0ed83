/// Several datasets of bins as one, of which one network learns: of several genomes, or of bins of one genome with
/// other labels.
#pragma once

#include <vector>

#include "rows/task_rows.h"

namespace bigdna::rows {

/// The rows of all of them, one dataset after the other, and their features, each once, as match_features() knows them:
/// by name, cell, assay and strand. A label of a feature that a row's dataset lacks is NaN. In regions the contigs are
/// named FOLDER:CONTIG, so that those of different genomes differ; a model records their own names and lengths.
/// Rows have no bases (bases() is empty), only sequence(). Errors: bins of different widths, two datasets in folders of
/// the same name, a feature of a name, cell and assay that has other kinds in two of them, test or validation bins of
/// one that overlap training bins of another on a contig of the same name and length.
TaskRows joined_rows(std::vector<TaskRows> datasets);

}  // namespace bigdna::rows
