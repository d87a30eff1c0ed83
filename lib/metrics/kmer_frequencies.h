/// K-mer frequencies, what the honest baseline of the sequence tasks reads, and a model's words (session/word_model.h). On
/// real promoters a logistic regression on them reaches F1 1.000 against the paper's negatives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bigdna::metrics {

/// Frequencies of all words of 1..k bases, one length after the other; each length's sum is 1. Words with N
/// do not count. `both_strands`: a word and its reverse complement are one (tasks without a strand).
std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands = false);

/// The word of `length` bases (1 to 12) that begins at each base, as a column of its length's frequencies; -1: it has N, or
/// the sequence ends in it. `columns` gets how many there are.
std::vector<int32_t> kmer_columns(std::string_view bases, int length, bool both_strands, int64_t& columns);

}  // namespace bigdna::metrics
