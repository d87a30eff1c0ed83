#include "motif/contributions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bigdna::motif {

std::vector<BaseContributions> negated(std::vector<BaseContributions> all) {
  for (auto& of : all)
    for (float& value : of.values) value = -value;
  return all;
}

int64_t known_bases(const std::vector<BaseContributions>& all) {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> stretches;  // of each sequence: of known bases
  for (const auto& of : all)
    for (size_t begin = of.bases.find_first_of(kLetters); begin != std::string::npos;) {
      const size_t end = std::min(of.bases.find_first_not_of(kLetters, begin), of.bases.size());
      stretches[of.sequence].emplace_back(of.start + static_cast<int64_t>(begin), of.start + static_cast<int64_t>(end));
      begin = of.bases.find_first_of(kLetters, end);
    }
  int64_t count = 0;
  for (auto& [sequence, list] : stretches) {
    std::ranges::sort(list);
    int64_t reached = list.front().first;
    for (const auto& [start, end] : list) {
      count += std::max<int64_t>(0, end - std::max(start, reached));
      reached = std::max(reached, end);
    }
  }
  return count;
}

BaseProbabilities composition(const std::vector<BaseContributions>& all) {
  BaseProbabilities counts{};
  for (const auto& of : all)
    for (const char base : of.bases)
      if (const size_t code = code_of(base); code < 4) ++counts[code], ++counts[3 - code];
  return column_of(counts);
}

Weights reverse_complement(const Weights& weights) {
  Weights other(weights.rbegin(), weights.rend());
  for (auto& column : other) std::ranges::reverse(column);  // A, C, G, T backwards are their complements
  return other;
}

double Product::cosine(double norm_of_weights) const {
  return squares > 0 && norm_of_weights > 0 ? value / (std::sqrt(squares) * norm_of_weights) : 0;
}

Product product(const BaseContributions& of, int64_t at, const Weights& weights) {
  Product result;
  const int64_t first = std::max<int64_t>(0, -at), last = std::min(std::ssize(weights), std::ssize(of.bases) - at);
  for (int64_t i = first; i < last; ++i) {
    const size_t code = code_of(of.bases[static_cast<size_t>(at + i)]);
    if (code == 4) continue;
    const double value = of.values[static_cast<size_t>(at + i)];
    result.value += value * weights[static_cast<size_t>(i)][code];
    result.squares += value * value;
  }
  return result;
}

double norm(const Weights& weights) {
  double squares = 0;
  for (const auto& column : weights)
    for (const double value : column) squares += value * value;
  return std::sqrt(squares);
}

bool Taken::take(int64_t sequence, int64_t start, int64_t length, int64_t overlap) {
  auto& places = places_[sequence];
  const int64_t end = start + length;
  for (auto at = places.lower_bound(start - longest_); at != places.end() && at->first < end; ++at)
    if (std::min(end, at->second) - std::max(start, at->first) > overlap) return false;
  auto& reached = places[start];
  reached = std::max(reached, end);
  longest_ = std::max(longest_, length);
  return true;
}

}  // namespace bigdna::motif
