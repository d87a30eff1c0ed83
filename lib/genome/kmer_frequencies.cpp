#include "genome/kmer_frequencies.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "genome/alphabet.h"

namespace bigdna::genome {

namespace {
constexpr int kLongestCounted = 8;  // bases of k-mers whose frequencies are asked for

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

namespace {
/// How often each k-mer of 1 to `longest` bases occurs on the given strand, length by length. Only the longest are
/// counted base by base: a shorter one is the beginning of the next longer one, unless N or the end follows.
std::vector<std::vector<uint32_t>> counts_of(std::string_view bases, int longest) {
  std::vector<std::vector<uint32_t>> counts;
  for (int length = 1; length <= longest; ++length) counts.emplace_back(size_t{1} << (2 * length), 0);
  auto& of_longest = counts.back();
  size_t kmer = 0;
  int valid = 0;
  const auto end_run = [&] {
    for (int length = std::min(valid, longest - 1); length > 0; --length) {
      auto& of_length = counts[static_cast<size_t>(length - 1)];
      ++of_length[kmer & (of_length.size() - 1)];
    }
    valid = 0;
  };
  for (const char base : bases) {
    const int code = base_code(base);
    if (code < 0) {
      end_run();
      continue;
    }
    kmer = (kmer << 2 | static_cast<size_t>(code)) & (of_longest.size() - 1);
    if (++valid >= longest) ++of_longest[kmer];
  }
  end_run();
  for (size_t length = counts.size() - 1; length > 0; --length)
    for (size_t i = 0; i < counts[length].size(); ++i) counts[length - 1][i >> 2] += counts[length][i];
  return counts;
}

/// The column of each k-mer of one length, and how many there are.
struct Columns {
  std::vector<int32_t> of;
  int64_t count = 0;
};
const Columns& columns_of(int length, bool both_strands) {
  static const auto kAll = [] {
    std::array<std::array<Columns, 2>, kLongestCounted> all;
    for (int of = 1; of <= kLongestCounted; ++of)
      for (const bool both : {false, true}) {
        auto& columns = all[static_cast<size_t>(of - 1)][both];
        columns.of = columns_of(of, both, columns.count);
      }
    return all;
  }();
  return kAll[static_cast<size_t>(length - 1)][both_strands];
}
}  // namespace

std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands) {
  std::vector<float> all;
  const auto of_lengths = counts_of(bases, k);
  for (int length = 1; length <= k; ++length) {
    const auto& columns = columns_of(length, both_strands);
    const auto& counts = of_lengths[static_cast<size_t>(length - 1)];
    std::vector<uint32_t> of_columns(static_cast<size_t>(columns.count), 0);
    double total = 0;
    for (size_t kmer = 0; kmer < counts.size(); ++kmer) {
      of_columns[static_cast<size_t>(columns.of[kmer])] += counts[kmer];
      total += counts[kmer];
    }
    for (const uint32_t count : of_columns) all.push_back(static_cast<float>(total > 0 ? count / total : 0));
  }
  return all;
}

}  // namespace bigdna::genome
