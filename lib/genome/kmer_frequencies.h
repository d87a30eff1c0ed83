/// K-mer frequencies: the input of the sequence tasks' baseline, and of a model's k-mers (models/kmer_model.h). On
/// real promoters a logistic regression on them reaches F1 1.000 against the paper's negatives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bigdna::genome {

/// Frequencies of all k-mers of 1..k bases, one length after the other; those of each length add up to 1. K-mers with N
/// do not count. With `both_strands`, a k-mer and its reverse complement are the same (tasks without a strand).
std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands = false);

/// The k-mer of `length` bases (1 to 12) that begins at each base, as a column of the frequencies of that length; -1 if
/// it has N or reaches past the end. `columns` gets the number of columns.
std::vector<int32_t> kmer_columns(std::string_view bases, int length, bool both_strands, int64_t& columns);

}  // namespace bigdna::genome
