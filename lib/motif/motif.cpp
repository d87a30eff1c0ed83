#include "motif/motif.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace bigdna::motif {
namespace {

/// Shuffles letters that are all A, C, G or T. An order of the bases is a walk along edges from each base to the next.
/// For each base but the last one, one edge is drawn to be the last that leaves it, so that these edges lead to the
/// last base (a tree, drawn by Wilson's algorithm: walks without their loops); the order of all other edges is free.
void shuffle_stretch(std::string& bases, Rng& rng) {
  if (bases.size() < 4) return;
  std::array<std::vector<size_t>, 4> next;  // of each base, what follows it
  for (size_t i = 0; i + 1 < bases.size(); ++i) next[kLetters.find(bases[i])].push_back(kLetters.find(bases[i + 1]));
  const size_t end = kLetters.find(bases.back());
  std::array<bool, 4> in_tree{};
  std::array<size_t, 4> last{};  // the index in `next` of the edge that is left by last
  in_tree[end] = true;
  for (size_t start = 0; start < 4; ++start) {
    if (next[start].empty()) continue;
    for (size_t at = start; !in_tree[at]; at = next[at][last[at]]) last[at] = rng.below(next[at].size());
    for (size_t at = start; !in_tree[at]; at = next[at][last[at]]) in_tree[at] = true;
  }
  for (size_t base = 0; base < 4; ++base) {
    if (next[base].empty()) continue;
    if (base == end) {
      rng.shuffle(next[base]);
      continue;
    }
    const size_t to = next[base][last[base]];
    next[base].erase(next[base].begin() + static_cast<int64_t>(last[base]));
    rng.shuffle(next[base]);
    next[base].push_back(to);
  }
  std::array<size_t, 4> used{};
  for (size_t i = 0, at = kLetters.find(bases[0]); i + 1 < bases.size(); ++i) {
    at = next[at][used[at]++];
    bases[i + 1] = kLetters[at];
  }
}

}  // namespace

BaseProbabilities column_of(const BaseProbabilities& counts) {
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.);
  BaseProbabilities column;
  for (size_t base = 0; base < 4; ++base) column[base] = sum > 0 ? counts[base] / sum : 0.25;
  return column;
}

double information(const BaseProbabilities& column) {
  double bits = 2;
  for (const double p : column)
    if (p > 0) bits += p * std::log2(p);
  return std::max(0., bits);
}

double information(const Motif& motif) {
  double sum = 0;
  for (const auto& column : motif.columns) sum += information(column);
  return sum;
}

std::string consensus(const Motif& motif) {
  std::string bases;
  for (const auto& column : motif.columns)
    bases += kLetters[static_cast<size_t>(std::ranges::max_element(column) - column.begin())];
  return bases;
}

std::string draw(const Motif& motif, Rng& rng) {
  std::string bases;
  for (const auto& column : motif.columns) {
    const double at = rng.uniform();
    size_t base = 0;
    for (double sum = column[0]; at >= sum && base < 3;) sum += column[++base];
    bases += kLetters[base];
  }
  return bases;
}

Motif reverse_complement(const Motif& motif) {
  Motif other = motif;
  std::ranges::reverse(other.columns);
  for (auto& column : other.columns) std::ranges::reverse(column);  // A, C, G, T backwards are their complements
  return other;
}

Motif shuffled_columns(const Motif& motif, Rng& rng) {
  Motif other = motif;
  rng.shuffle(other.columns);
  return other;
}

plot::Logo logo(const Motif& motif) {
  plot::Logo logo{.title = motif.name, .y_label = "bits"};
  for (size_t i = 0; i < motif.columns.size(); ++i) {
    const double bits = information(motif.columns[i]);
    std::array<double, 4> heights{};
    for (size_t base = 0; base < 4; ++base) heights[base] = motif.columns[i][base] * bits;
    logo.heights.push_back(heights);
    if (i % 10 == 0) logo.x_labels.push_back(std::to_string(i + 1));
  }
  return logo;
}

std::string dinucleotide_shuffle(std::string_view bases, Rng& rng) {
  std::string all;
  for (size_t begin = 0; begin < bases.size();) {
    const size_t start = bases.find_first_of(kLetters, begin);
    all += bases.substr(begin, start == std::string_view::npos ? start : start - begin);
    if (start == std::string_view::npos) break;
    begin = std::min(bases.find_first_not_of(kLetters, start), bases.size());
    std::string stretch(bases.substr(start, begin - start));
    shuffle_stretch(stretch, rng);
    all += stretch;
  }
  return all;
}

}  // namespace bigdna::motif
