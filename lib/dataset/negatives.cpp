#include "dataset/negatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/counted.h"
#include "base/error.h"

namespace bigdna::dataset {

namespace {
/// Piece i is [borders[i], borders[i + 1]).
std::vector<size_t> borders_of(size_t length, int pieces) {
  std::vector<size_t> borders;
  for (int i = 0; i <= pieces; ++i) borders.push_back(length * static_cast<size_t>(i) / static_cast<size_t>(pieces));
  return borders;
}

/// The indices of `changed` pieces drawn at random, ascending.
std::vector<size_t> draw_pieces(const SyntheticOptions& options, Rng& rng) {
  if (options.pieces < 1 || options.changed < 0 || options.changed > options.pieces)
    throw UsageError(concat("cannot change ", options.changed, " of ", options.pieces, " pieces"));
  std::vector<size_t> pieces(static_cast<size_t>(options.pieces));
  std::iota(pieces.begin(), pieces.end(), size_t{0});
  rng.shuffle(pieces);
  pieces.resize(static_cast<size_t>(options.changed));
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

template <class Change>
std::string change_pieces(std::string_view bases, const SyntheticOptions& options, Rng& rng, Change change) {
  const auto borders = borders_of(bases.size(), options.pieces);
  std::string result(bases);
  for (const size_t piece : draw_pieces(options, rng)) {
    std::span<char> part(result.data() + borders[piece], borders[piece + 1] - borders[piece]);
    change(part);
  }
  return result;
}
}  // namespace

std::string substitute(std::string_view bases, const SyntheticOptions& options, Rng& rng) {
  return change_pieces(bases, options, rng, [&](std::span<char> part) {
    for (char& base : part) base = "ACGT"[rng.below(4)];
  });
}

std::string shuffle(std::string_view bases, const SyntheticOptions& options, Rng& rng) {
  return change_pieces(bases, options, rng, [&](std::span<char> part) { rng.shuffle(part); });
}

std::string permute(std::string_view bases, const SyntheticOptions& options, Rng& rng) {
  if (options.changed == 1) throw UsageError("permute needs at least two pieces to exchange");
  const auto borders = borders_of(bases.size(), options.pieces);
  const auto chosen = draw_pieces(options, rng);
  std::vector<size_t> order = chosen;  // a permutation without a fixed point, by rejection: one in e has none
  auto has_fixed_point = [&] {
    for (size_t i = 0; i < order.size(); ++i)
      if (order[i] == chosen[i]) return true;
    return false;
  };
  while (has_fixed_point()) rng.shuffle(order);
  std::vector<size_t> source(static_cast<size_t>(options.pieces));
  std::iota(source.begin(), source.end(), size_t{0});
  for (size_t i = 0; i < chosen.size(); ++i) source[chosen[i]] = order[i];
  std::string result;
  result.reserve(bases.size());
  for (const size_t piece : source) result += bases.substr(borders[piece], borders[piece + 1] - borders[piece]);
  return result;
}

std::span<const SyntheticKind> synthetic_kinds() {
  static constexpr std::array<SyntheticKind, 3> kinds{{
      {"substitute", "12 of 20 pieces replaced by random bases (the paper)", substitute},
      {"permute", "12 of 20 pieces exchanged among each other", permute, 2},
      {"shuffle", "bases shuffled inside 12 of 20 pieces", shuffle, 1, 2},
  }};
  return kinds;
}

void check_negatives(const SyntheticKind& kind, const SyntheticOptions& options, int64_t length) {
  if (options.changed > options.pieces)
    throw UsageError(concat("cannot change ", options.changed, " of ", options.pieces, " pieces"));
  const auto same = [&](const auto&... cause) {
    throw UsageError(concat(cause..., ": negatives of the kind ", kind.name, " would equal their promoters"));
  };
  if (options.changed < kind.fewest_changed)
    same("--changed ", options.changed, " is fewer than ", counted(kind.fewest_changed, "piece"));
  if (options.pieces * kind.least_length > length)
    same("--pieces ", options.pieces, " leaves pieces of less than ", kind.least_length, " bp of the ", length,
         " bp of a promoter");
}

Composition::Composition(std::string_view bases) : bases_(bases) {
  uint32_t gc = 0, n = 0;
  for (size_t i = 0; i <= bases.size(); ++i) {
    if (i % kStep == 0) {
      gc_.push_back(gc);
      n_.push_back(n);
    }
    if (i == bases.size()) break;
    gc += bases[i] == 'G' || bases[i] == 'C';
    n += bases[i] == 'N';
  }
}

int64_t Composition::before(const std::vector<uint32_t>& counts, int64_t position, bool gc) const {
  int64_t count = counts[static_cast<size_t>(position / kStep)];
  for (int64_t i = position / kStep * kStep; i < position; ++i)
    count += gc ? bases_[i] == 'G' || bases_[i] == 'C' : bases_[i] == 'N';
  return count;
}

int64_t Composition::at(const std::vector<uint32_t>& counts, int64_t start, int64_t end, bool gc) const {
  return before(counts, end, gc) - before(counts, start, gc);
}

double Composition::gc_fraction(int64_t start, int64_t end) const {
  const int64_t known = end - start - n(start, end);
  return known > 0 ? static_cast<double>(gc(start, end)) / static_cast<double>(known) : 0;
}

double Composition::n_fraction(int64_t start, int64_t end) const {
  return end > start ? static_cast<double>(n(start, end)) / static_cast<double>(end - start) : 0;
}

std::optional<int64_t> draw_genomic(const Composition& composition, const std::string& contig,
                                    const std::vector<genome::IntervalSet::Interval>& territory,
                                    const genome::IntervalSet& taken, int64_t length, double gc,
                                    const GenomicOptions& options, Rng& rng) {
  std::vector<int64_t> starts_before{0};  // possible starts in the intervals before each one
  for (const auto& [start, end] : territory)
    starts_before.push_back(starts_before.back() + std::max<int64_t>(0, end - start - length + 1));
  if (starts_before.back() == 0) return std::nullopt;
  std::optional<int64_t> nearest;
  double smallest = INFINITY;
  for (int i = 0; i < options.tries; ++i) {
    const auto drawn = static_cast<int64_t>(rng.below(static_cast<uint64_t>(starts_before.back())));
    const auto interval =
        std::upper_bound(starts_before.begin(), starts_before.end(), drawn) - starts_before.begin() - 1;
    const int64_t start = territory[interval].first + drawn - starts_before[interval];
    if (taken.overlaps(contig, start, start + length) ||
        composition.n_fraction(start, start + length) > options.max_n_fraction)
      continue;
    const double difference = std::abs(composition.gc_fraction(start, start + length) - gc);
    if (difference < smallest) {
      smallest = difference;
      nearest = start;
    }
    if (difference <= options.gc_tolerance) break;
  }
  return nearest;
}

}  // namespace bigdna::dataset
