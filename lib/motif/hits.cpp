#include "motif/hits.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

#include "base/threads.h"
#include "motif/q_values.h"

namespace bigdna::motif {
namespace {

struct Scanned {
  Weights ahead, back;      // of contributions
  Weights bits, bits_back;  // log-odds
  double norm = 0;
};

Scanned scanned(const Pattern& pattern, const BaseProbabilities& background) {
  Scanned of{pattern.weights, reverse_complement(pattern.weights), {}, {}, norm(pattern.weights)};
  for (const auto& column : pattern.motif.columns) {
    auto& bits = of.bits.emplace_back();
    for (size_t base = 0; base < 4; ++base) {
      const double sites = pattern.motif.sites, share = (column[base] * sites + background[base]) / (sites + 1);
      bits[base] = std::log2(share / background[base]);
    }
  }
  of.bits_back = reverse_complement(of.bits);
  return of;
}

/// The sum of the weights of the bases under a place; nullopt where one is unknown.
std::optional<double> sum_of(const BaseContributions& of, int64_t first, const Weights& weights) {
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const size_t code = code_of(of.bases[static_cast<size_t>(first) + i]);
    if (code == 4) return std::nullopt;
    sum += weights[i][code];
  }
  return sum;
}

/// Of one sequence: what remains where places overlap, the best first.
std::vector<Hit> places_in(const BaseContributions& of, size_t index, const std::vector<Scanned>& patterns,
                           const HitOptions& options) {
  std::vector<Hit> places;
  for (size_t p = 0; p < patterns.size(); ++p) {
    const auto& pattern = patterns[p];
    const int64_t width = std::ssize(pattern.ahead);
    for (int64_t first = 0; first + width <= std::ssize(of.bases); ++first)
      for (const char strand : {'+', '-'}) {
        const auto fit = product(of, first, strand == '+' ? pattern.ahead : pattern.back);
        const double similarity = fit.cosine(pattern.norm);
        if (!(similarity >= options.least_similarity)) continue;
        const auto bits = sum_of(of, first, strand == '+' ? pattern.bits : pattern.bits_back);
        if (!bits) continue;
        double importance = 0;
        for (int64_t i = first; i < first + width; ++i) importance += of.values[static_cast<size_t>(i)];
        if (importance <= 0) continue;
        places.push_back({.of = index,
                          .pattern = p,
                          .first = first,
                          .strand = strand,
                          .importance = importance,
                          .coefficient = fit.value / (pattern.norm * pattern.norm),
                          .similarity = similarity,
                          .bits = *bits});
      }
  }
  std::ranges::sort(places, {},
                    [](const Hit& hit) { return std::tuple(-hit.score(), hit.first, hit.pattern, hit.strand); });
  std::vector<Hit> kept;
  for (const Hit& hit : places) {
    const int64_t width = std::ssize(patterns[hit.pattern].ahead), end = hit.first + width;
    const bool covered = std::ranges::any_of(kept, [&](const Hit& other) {
      const int64_t there = std::ssize(patterns[other.pattern].ahead);
      const int64_t shared = std::min(end, other.first + there) - std::max(hit.first, other.first);
      return shared > (hit.pattern == other.pattern ? 0 : std::min(width, there) / 2);
    });
    if (!covered) kept.push_back(hit);
  }
  return kept;
}

/// Of all sequences, each place of the genome once: the better one where two sequences hold it.
std::vector<Hit> places(const std::vector<BaseContributions>& all, const std::vector<Scanned>& patterns, int threads,
                        const HitOptions& options) {
  std::vector<std::vector<Hit>> by_sequence(all.size());
  parallel_for(std::ssize(all), threads, [&](int64_t n) {
    const auto i = static_cast<size_t>(n);
    by_sequence[i] = places_in(all[i], i, patterns, options);
  });
  std::vector<Hit> hits;
  for (const auto& list : by_sequence) hits.insert(hits.end(), list.begin(), list.end());
  std::ranges::stable_sort(hits, std::greater(), &Hit::score);
  std::vector<Taken> taken(patterns.size());
  std::erase_if(hits, [&](const Hit& hit) {
    return !taken[hit.pattern].take(all[hit.of].sequence, all[hit.of].start + hit.first,
                                    std::ssize(patterns[hit.pattern].ahead), 0);
  });
  return hits;
}

}  // namespace

std::vector<Hit> find_hits(const std::vector<BaseContributions>& observed, const std::vector<BaseContributions>& null,
                           const std::vector<Pattern>& patterns, int threads, const HitOptions& options) {
  const auto background = composition(observed);
  std::vector<Scanned> all;
  for (const auto& pattern : patterns) all.push_back(scanned(pattern, background));
  auto hits = places(observed, all, threads, options);
  const auto of_null = places(null, all, threads, options);
  const int64_t null_bases = known_bases(null);
  const double ratio =
      null_bases > 0 ? static_cast<double>(known_bases(observed)) / static_cast<double>(null_bases) : 1;
  for (size_t p = 0; p < patterns.size(); ++p) {
    std::vector<double> scores, null_scores;
    std::vector<size_t> which;
    for (size_t i = 0; i < hits.size(); ++i)
      if (hits[i].pattern == p) which.push_back(i), scores.push_back(hits[i].score());
    for (const auto& hit : of_null)
      if (hit.pattern == p) null_scores.push_back(hit.score());
    const auto q = q_values(scores, null_scores, ratio);
    for (size_t i = 0; i < which.size(); ++i) hits[which[i]].q = q[i];
  }
  std::erase_if(hits, [&](const Hit& hit) { return hit.q > options.largest_q; });
  std::ranges::sort(hits, {}, [](const Hit& hit) { return std::tuple(hit.of, hit.first, hit.pattern, hit.strand); });
  return hits;
}

}  // namespace bigdna::motif
