#include "motif/hits.h"

#include <algorithm>
#include <tuple>

#include "base/threads.h"
#include "motif/q_values.h"

namespace bigdna::motif {
namespace {

struct Scanned {
  Weights ahead, back;
  double norm = 0;
};

/// Of one sequence: what remains where places overlap, the best first.
std::vector<Hit> places_in(const Contributions& of, size_t index, const std::vector<Scanned>& patterns,
                           const HitOptions& options) {
  std::vector<std::pair<double, Hit>> places;
  for (size_t p = 0; p < patterns.size(); ++p) {
    const auto& [ahead, back, length] = patterns[p];
    const int64_t width = std::ssize(ahead);
    for (int64_t first = 0; first + width <= std::ssize(of.bases); ++first)
      for (const char strand : {'+', '-'}) {
        const auto fit = product(of, first, strand == '+' ? ahead : back);
        const double similarity = fit.cosine(length);
        if (!(similarity >= options.least_similarity)) continue;
        double importance = 0;
        for (int64_t i = first; i < first + width; ++i) importance += of.values[static_cast<size_t>(i)];
        places.emplace_back(fit.value / length, Hit{index, p, first, strand, importance,
                                                    fit.value / (length * length), similarity});
      }
  }
  std::ranges::sort(places, {}, [](const auto& place) {
    return std::tuple(-place.first, place.second.first, place.second.pattern, place.second.strand);
  });
  std::vector<Hit> kept;
  for (const auto& [score, hit] : places) {
    const int64_t width = std::ssize(patterns[hit.pattern].ahead), end = hit.first + width;
    const bool covered = std::ranges::any_of(kept, [&](const Hit& other) {
      const int64_t there = std::ssize(patterns[other.pattern].ahead);
      return 2 * (std::min(end, other.first + there) - std::max(hit.first, other.first)) > std::min(width, there);
    });
    if (!covered) kept.push_back(hit);
  }
  return kept;
}

/// Of all sequences, each place of the genome once: the better one where two sequences hold it.
std::vector<Hit> places(const std::vector<Contributions>& all, const std::vector<Scanned>& patterns, int threads,
                        const HitOptions& options) {
  std::vector<std::vector<Hit>> by_sequence(all.size());
  parallel_for(std::ssize(all), threads, [&](int64_t n) {
    const auto i = static_cast<size_t>(n);
    by_sequence[i] = places_in(all[i], i, patterns, options);
  });
  std::vector<Hit> hits;
  for (const auto& list : by_sequence) hits.insert(hits.end(), list.begin(), list.end());
  std::ranges::stable_sort(hits, std::greater(), &Hit::coefficient);
  std::vector<Taken> taken(patterns.size());  // one pattern's places that overlap by a base are one
  std::erase_if(hits, [&](const Hit& hit) {
    return !taken[hit.pattern].take(all[hit.of].sequence, all[hit.of].start + hit.first,
                                    std::ssize(patterns[hit.pattern].ahead),
                                    std::ssize(patterns[hit.pattern].ahead) / 2);
  });
  return hits;
}

}  // namespace

std::vector<Hit> find_hits(const std::vector<Contributions>& observed, const std::vector<Contributions>& null,
                           const std::vector<Pattern>& patterns, int threads, const HitOptions& options) {
  std::vector<Scanned> scanned;
  for (const auto& pattern : patterns)
    scanned.push_back({pattern.weights, reverse_complement(pattern.weights), norm(pattern.weights)});
  auto hits = places(observed, scanned, threads, options);
  const auto of_null = places(null, scanned, threads, options);
  const int64_t null_bases = known_bases(null);
  const double ratio =
      null_bases > 0 ? static_cast<double>(known_bases(observed)) / static_cast<double>(null_bases) : 1;
  for (size_t p = 0; p < patterns.size(); ++p) {
    std::vector<double> scores, null_scores;
    std::vector<size_t> which;
    for (size_t i = 0; i < hits.size(); ++i)
      if (hits[i].pattern == p) which.push_back(i), scores.push_back(hits[i].coefficient);
    for (const auto& hit : of_null)
      if (hit.pattern == p) null_scores.push_back(hit.coefficient);
    const auto q = q_values(scores, null_scores, ratio);
    for (size_t i = 0; i < which.size(); ++i) hits[which[i]].q = q[i];
  }
  std::erase_if(hits, [&](const Hit& hit) { return hit.q > options.largest_q; });
  std::ranges::sort(hits, {}, [](const Hit& hit) { return std::tuple(hit.of, hit.first, hit.pattern, hit.strand); });
  return hits;
}

}  // namespace bigdna::motif
