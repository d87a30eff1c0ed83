#include "genome/kmer_frequencies.h"

#include <algorithm>

#include "genome/alphabet.h"

namespace bigdna::genome {

namespace {
/// The column of each k-mer: its own number or, with `both_strands`, the rank of the smaller of it and its reverse
/// complement among all such k-mers.
std::vector<int32_t> columns_of(int length, bool both_strands, int64_t& columns) {
  std::vector<int32_t> of(size_t{1} << (2 * length));
  columns = 0;
  for (size_t kmer = 0; kmer < of.size(); ++kmer) {
    size_t reverse = 0;
    for (size_t i = 0, rest = kmer; i < static_cast<size_t>(length); ++i, rest >>= 2)
      reverse = reverse << 2 | (3 - (rest & 3));
    of[kmer] = both_strands && reverse < kmer ? of[reverse] : static_cast<int32_t>(columns++);
  }
  return of;
}
}  // namespace

std::vector<int32_t> kmer_columns(std::string_view bases, int length, bool both_strands, int64_t& columns) {
  const auto column = columns_of(length, both_strands, columns);
  std::vector<int32_t> all(bases.size(), -1);
  size_t kmer = 0;
  int valid = 0;
  for (size_t i = 0; i < bases.size(); ++i) {
    const int code = base_code(bases[i]);
    valid = code < 0 ? 0 : valid + 1;
    kmer = (kmer << 2 | static_cast<size_t>(std::max(code, 0))) & (column.size() - 1);
    if (valid >= length) all[i + 1 - static_cast<size_t>(length)] = column[kmer];
  }
  return all;
}

std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands) {
  std::vector<float> all;
  for (int length = 1; length <= k; ++length) {
    int64_t columns = 0;
    const auto kmers = kmer_columns(bases, length, both_strands, columns);
    std::vector<double> counts(static_cast<size_t>(columns), 0);
    double total = 0;
    for (const int32_t kmer : kmers)
      if (kmer >= 0) {
        ++counts[static_cast<size_t>(kmer)];
        ++total;
      }
    for (const double count : counts) all.push_back(static_cast<float>(total > 0 ? count / total : 0));
  }
  return all;
}

}  // namespace bigdna::genome
