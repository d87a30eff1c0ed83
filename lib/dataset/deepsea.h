/// DeepSEA's bundle (Zhou & Troyanskaya, Nature Methods 2015), train.mat, valid.mat and test.mat, as a
/// dataset folder.
///
/// The bundle holds 1000-bp one-hot rows without coordinates, and 919 labels of each. A row is located in
/// the genome by two 61-bit fingerprints of its 1000 bases: linear in the bases, so that they are summed
/// while the file is read in whatever order it is stored, and rolling, so that the genome is read once. A
/// wrong match has a chance below 1e-14.
#pragma once

#include <cstdint>

#include "dataset/chromatin_dataset.h"

namespace bigdna::dataset {

inline constexpr int64_t kDeepseaLength =
    1000;  // bp of a row; its bin is the middle 200. Channels A G C T, N: none

/// Builds options.output from the folder options.deepsea. Bins are in the order of the files, training,
/// validation, test, as published. The reverse complement of a row of the same split is merged with it. Rows
/// that are left out are in dropped.tsv: "#split row reason places chrom start end strand" (row: in the
/// file, from 1; the first place), reason: not_found; ambiguous (more than one place); duplicate (the same
/// bases again on the same strand); labels_differ (of a reverse complement). Memory: 32 bytes per row of a
/// file, 80 per bin, its label bits, and one piece of genome per thread. Error: damaged files, other shapes, a row
/// that is not one-hot, no row found.
void build_from_deepsea(const ChromatinOptions& options);

}  // namespace bigdna::dataset
