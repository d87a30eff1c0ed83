#include "metrics/kmer_frequencies.h"

#include <algorithm>

namespace bigdna::metrics {

namespace {
int code_of(char base) {
  switch (base) {
    case 'A':
      return 0;
    case 'C':
      return 1;
    case 'G':
      return 2;
    case 'T':
      return 3;
    default:
      return -1;
  }
}
}  // namespace

std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands) {
  std::vector<float> all;
  for (int length = 1; length <= k; ++length) {
    const size_t words = size_t{1} << (2 * length);
    const auto reverse_of = [length](size_t word) {
      size_t reverse = 0;
      for (int i = 0; i < length; ++i, word >>= 2) reverse = reverse << 2 | (3 - (word & 3));
      return reverse;
    };
    std::vector<double> counts(words, 0);
    size_t word = 0;
    int valid = 0;
    double total = 0;
    for (const char base : bases) {
      const int code = code_of(base);
      valid = code < 0 ? 0 : valid + 1;
      word = (word << 2 | static_cast<size_t>(std::max(code, 0))) & (words - 1);
      if (valid < length) continue;
      ++counts[word];
      ++total;
    }
    for (word = 0; word < words; ++word) {
      const size_t reverse = both_strands ? reverse_of(word) : word;
      if (reverse < word) continue;  // counted with its reverse complement
      const double count = counts[word] + (reverse == word ? 0 : counts[reverse]);
      all.push_back(static_cast<float>(total > 0 ? count / total : 0));
    }
  }
  return all;
}

}  // namespace bigdna::metrics
