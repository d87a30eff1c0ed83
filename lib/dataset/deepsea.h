/// Makes a dataset folder from DeepSEA's bundle (Zhou & Troyanskaya, Nature Methods 2015): train.mat, valid.mat and
/// test.mat.
///
/// The bundle holds 1000-bp one-hot rows without coordinates, each with 919 labels. A row is located in the genome by
/// two 61-bit fingerprints of its 1000 bases. They are linear in the bases, so that they can be summed in whatever
/// order the file is stored, and rolling, so that one pass over the genome finds all rows. A wrong match has a chance
/// below 1e-14.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/chromatin_dataset.h"

namespace bigdna::dataset {

inline constexpr int64_t kDeepseaLength =
    1000;  // bp of a row; its bin is the middle 200. Channels are A G C T; N has none

/// The files of the bundle that a folder holds, as io::FilesOf.
std::vector<std::string> deepsea_files_of(const std::string& folder);

/// Builds options.output from the folder options.deepsea. Bins are in the order of the files: training, validation,
/// test, as published. A row and its reverse complement in the same split are merged. Rows that are left out are listed
/// in dropped.tsv: "#split row reason places chrom start end strand", with the 1-based row of the file, the number of
/// positions in the genome, and the first of them. Reasons: not_found; ambiguous (several positions); duplicate (the
/// same bases again on the same strand); labels_differ (from those of the reverse complement). Memory: 32 bytes per row
/// of a file, 80 per bin, its label bits, and one piece of genome per thread. Error: damaged files, other shapes, a row
/// that is not one-hot, no row found.
void build_from_deepsea(const ChromatinOptions& options);

}  // namespace bigdna::dataset
