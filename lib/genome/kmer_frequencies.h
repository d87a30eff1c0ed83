/// K-mer frequencies: the input of the sequence tasks' baseline, and of a model's k-mers (models/kmer_model.h). On
/// real promoters a logistic regression on them reaches F1 1.000 against the paper's negatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::genome {

/// Frequencies of all k-mers of 1..k bases, one length after the other; those of each length add up to 1. K-mers with N
/// do not count. With `both_strands`, a k-mer and its reverse complement are the same (tasks without a strand).
std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands = false);

/// kmer_frequencies() of one window after another. Where a window is the one before it moved by a few bases (a twelfth
/// of its length at most), only the bases that differ are counted. The results have the same bits in any order of
/// windows.
class KmerCounter {
 public:
  explicit KmerCounter(int k, bool both_strands = false);
  /// Appends the frequencies of k-mers in `bases` to `values`.
  void add_frequencies(std::string_view bases, std::vector<float>& values);

 private:
  using Counts = std::vector<std::vector<uint32_t>>;  // of each length, of each k-mer on the given strand
  void count_all(std::string_view bases);
  void count_beyond(std::string_view bases, size_t from, size_t to, uint32_t one);
  void move_to(std::string_view bases);

  bool both_strands_;
  std::string window_;  // that counts_ are of
  Counts counts_;
};

/// The k-mer of `length` bases (1 to 12) that begins at each base, as a column of the frequencies of that length; -1 if
/// it has N or reaches past the end. `columns` gets the number of columns.
std::vector<int32_t> kmer_columns(std::string_view bases, int length, bool both_strands, int64_t& columns);

}  // namespace bigdna::genome
