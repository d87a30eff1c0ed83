/// K-mer frequencies, what the honest baseline of the sequence tasks reads (issue 8: on real promoters a logistic
/// regression on them reaches F1 1.000 against the paper's negatives). What a model does not beat, it did not learn.
#pragma once

#include <string_view>
#include <vector>

namespace bigdna::metrics {

/// Frequencies of all words of 1..k bases, one length after the other; each length's sum is 1. Words with N
/// do not count. `both_strands`: a word and its reverse complement are one (tasks without a strand).
std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands = false);

}  // namespace bigdna::metrics
