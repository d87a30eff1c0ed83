#include "genome/kmer_frequencies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>

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
/// The column of each k-mer of one length, and how many there are.
struct Columns {
  std::vector<int32_t> of;
  int64_t count = 0;
};
const Columns& columns_of_both_strands(int length) {
  static const auto kAll = [] {
    std::array<Columns, kLongestCounted> all;
    for (int of = 1; of <= kLongestCounted; ++of) {
      auto& columns = all[static_cast<size_t>(of - 1)];
      columns.of = columns_of(of, true, columns.count);
    }
    return all;
  }();
  return kAll[static_cast<size_t>(length - 1)];
}

/// How many bases `next` lies behind `window`, which has the same length; 0: it is not the next piece of the same
/// sequence, or so far away that counting all of it is faster.
size_t bases_behind(std::string_view window, std::string_view next) {
  constexpr size_t kProbe = 24, kMostPlaces = 8;  // a probe may occur several times, as in repeats
  const size_t half = next.size() / 2, end = half + next.size() / 12;
  size_t from = half + 1;
  for (size_t place = 0; place < kMostPlaces; ++place) {
    const void* const found = memmem(window.data() + from, end - from, next.data() + half, kProbe);
    if (!found) return 0;
    const auto at = static_cast<size_t>(static_cast<const char*>(found) - window.data());
    if (window.substr(at - half) == next.substr(0, next.size() - (at - half))) return at - half;
    from = at + 1;
  }
  return 0;
}
}  // namespace

KmerCounter::KmerCounter(int k, bool both_strands) : both_strands_(both_strands) {
  for (int length = 1; length <= k; ++length) counts_.emplace_back(size_t{1} << (2 * length), 0);
}

/// Only the longest k-mers are counted base by base: a shorter one is the beginning of the next longer one, unless N or
/// the end follows.
void KmerCounter::count_all(std::string_view bases) {
  for (auto& of_length : counts_) std::ranges::fill(of_length, 0);
  const int longest = static_cast<int>(counts_.size());
  auto& of_longest = counts_.back();
  size_t kmer = 0;
  int valid = 0;
  const auto end_run = [&] {
    for (int length = std::min(valid, longest - 1); length > 0; --length) {
      auto& of_length = counts_[static_cast<size_t>(length - 1)];
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
  for (size_t length = counts_.size() - 1; length > 0; --length)
    for (size_t i = 0; i < counts_[length].size(); ++i) counts_[length - 1][i >> 2] += counts_[length][i];
}

/// Adds `one` for each k-mer that reaches out of [from, to), which begins or ends where the bases do.
void KmerCounter::count_beyond(std::string_view bases, size_t from, size_t to, uint32_t one) {
  const size_t longest = counts_.size(), last = from > 0 ? from : bases.size();
  for (size_t start = from > 0 || to < longest ? 0 : to - longest + 1; start < last; ++start) {
    size_t kmer = 0;
    for (size_t length = 1; length <= longest && start + length <= bases.size(); ++length) {
      const int code = base_code(bases[start + length - 1]);
      if (code < 0) break;
      kmer = kmer << 2 | static_cast<size_t>(code);
      if (start < from || start + length > to) counts_[length - 1][kmer] += one;
    }
  }
}

void KmerCounter::move_to(std::string_view bases) {
  constexpr size_t kLeast = 512;  // shorter windows are counted faster than compared
  constexpr uint32_t kRemove = ~uint32_t{0};
  const size_t size = bases.size();
  if (window_ == bases) return;
  if (size < kLeast || window_.size() != size) {
    count_all(bases);
  } else if (const size_t behind = bases_behind(window_, bases)) {
    count_beyond(window_, behind, size, kRemove);
    count_beyond(bases, 0, size - behind, 1);
  } else if (const size_t before = bases_behind(bases, window_)) {
    count_beyond(window_, 0, size - before, kRemove);
    count_beyond(bases, before, size, 1);
  } else {
    count_all(bases);
  }
  window_ = bases;
}

void KmerCounter::add_frequencies(std::string_view bases, std::vector<float>& values) {
  move_to(bases);
  std::vector<uint32_t> of_columns;
  for (size_t length = 1; length <= counts_.size(); ++length) {
    const auto& counts = counts_[length - 1];
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
    const auto add = [&](const std::vector<uint32_t>& of_kmers) {
      const size_t first = values.size();
      values.resize(first + of_kmers.size(), 0);
      for (size_t i = 0; total > 0 && i < of_kmers.size(); ++i)
        values[first + i] = static_cast<float>(of_kmers[i] / total);
    };
    if (!both_strands_) {
      add(counts);
      continue;
    }
    const auto& columns = columns_of_both_strands(static_cast<int>(length));
    of_columns.assign(static_cast<size_t>(columns.count), 0);
    for (size_t kmer = 0; kmer < counts.size(); ++kmer)
      of_columns[static_cast<size_t>(columns.of[kmer])] += counts[kmer];
    add(of_columns);
  }
}

std::vector<float> kmer_frequencies(std::string_view bases, int k, bool both_strands) {
  std::vector<float> values;
  KmerCounter(k, both_strands).add_frequencies(bases, values);
  return values;
}

}  // namespace bigdna::genome
