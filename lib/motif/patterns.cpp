#include "motif/patterns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/rng.h"
#include "base/threads.h"

namespace bigdna::motif {
namespace {

constexpr size_t kSeeds = 1000;       // the seqlets with the highest sums, from which groups grow
constexpr size_t kNearest = 9;        // seqlets that a group begins with beside its seed
constexpr size_t kExchanges = 5;      // of the bases in a pattern's columns
constexpr int kRounds = 10;           // of growth
constexpr int kFailures = 20;         // seeds in a row that no pattern grows from, after which no others are tried
constexpr int64_t kLeastColumns = 4;  // of a motif

/// The best placement of a pattern on a seqlet.
struct Placement {
  int64_t first = 0;  // of the pattern's window, in the sequence
  char strand = '+';
  double similarity = 0;
};

struct Group {
  Weights weights = {};  // the sum of its members' contributions
  std::vector<size_t> members = {};
  std::vector<Placement> placements = {};  // of each member
};

class Grouping {
 public:
  Grouping(const std::vector<BaseContributions>& all, const std::vector<Seqlet>& seqlets, int threads,
           const PatternOptions& options)
      : all_(all), seqlets_(seqlets), threads_(threads), options_(options) {
    const int64_t width = seqlets.empty() ? 0 : seqlet_width();
    columns_ = static_cast<size_t>(width + 2 * options.flank);
  }

  std::vector<Group> groups() {
    compare_seeds();
    std::vector<bool> free(seqlets_.size(), true), tried(similarities_.size(), false);
    std::vector<Group> found;
    for (int failures = 0; failures < kFailures;) {
      const auto seed = next_seed(free, tried);
      if (!seed) break;
      tried[*seed] = true;
      auto group = grown(begun(*seed, free), free);
      if (std::ssize(group.members) < options_.least) {
        ++failures;
        continue;
      }
      failures = 0;
      for (const size_t member : group.members) free[member] = false;
      found.push_back(std::move(group));
    }
    return merged(std::move(found));
  }

 private:
  int64_t seqlet_width() const { return seqlets_.front().width; }
  const BaseContributions& sequence(size_t seqlet) const { return all_[seqlets_[seqlet].of]; }
  int64_t window(size_t seqlet) const { return seqlets_[seqlet].first - options_.flank; }

  /// The contributions in a window as columns, along the strand.
  Weights columns_at(size_t seqlet, const Placement& at) const {
    Weights columns(columns_);
    const auto& of = sequence(seqlet);
    for (size_t i = 0; i < columns_; ++i) {
      const int64_t position = at.first + static_cast<int64_t>(i);
      if (position < 0 || position >= std::ssize(of.bases)) continue;
      const size_t code = code_of(of.bases[static_cast<size_t>(position)]);
      if (code < 4) columns[i][code] = of.values[static_cast<size_t>(position)];
    }
    return at.strand == '+' ? columns : reverse_complement(columns);
  }

  Placement best(size_t seqlet, const Weights& weights) const {
    const Weights back = reverse_complement(weights);
    const double length = norm(weights);
    Placement best{window(seqlet), '+', -1};
    for (int64_t shift = -options_.flank; shift <= options_.flank; ++shift)
      for (const char strand : {'+', '-'}) {
        const int64_t at = window(seqlet) + shift;
        const double cosine = product(sequence(seqlet), at, strand == '+' ? weights : back).cosine(length);
        if (cosine > best.similarity) best = {at, strand, cosine};
      }
    return best;
  }

  void compare_seeds() {
    const size_t count = std::min(kSeeds, seqlets_.size());
    std::vector<Weights> seeds;
    for (size_t i = 0; i < count; ++i) seeds.push_back(columns_at(i, {window(i), '+'}));
    similarities_.assign(count, std::vector<Placement>(count));
    parallel_for(static_cast<int64_t>(count), threads_, [&](int64_t i) {
      for (size_t k = 0; k < count; ++k)
        similarities_[static_cast<size_t>(i)][k] = best(k, seeds[static_cast<size_t>(i)]);
    });
  }

  /// The free seqlets most like a seed, the seed first.
  std::vector<size_t> nearest(size_t seed, const std::vector<bool>& free) const {
    std::vector<size_t> order;
    for (size_t k = 0; k < similarities_.size(); ++k)
      if (free[k] && k != seed) order.push_back(k);
    const auto count = std::min(kNearest, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<int64_t>(count), {},
                              [&](size_t k) { return std::tuple(-similarities_[seed][k].similarity, k); });
    order.resize(count);
    order.insert(order.begin(), seed);
    return order;
  }

  /// The free seed whose nearest seqlets are most like it.
  std::optional<size_t> next_seed(const std::vector<bool>& free, const std::vector<bool>& tried) const {
    std::optional<size_t> best;
    double most = 0;
    for (size_t seed = 0; seed < similarities_.size(); ++seed) {
      if (!free[seed] || tried[seed]) continue;
      double sum = 0;
      for (const size_t k : nearest(seed, free)) sum += k == seed ? 0 : similarities_[seed][k].similarity;
      if (!best || sum > most) best = seed, most = sum;
    }
    return best;
  }

  Group begun(size_t seed, const std::vector<bool>& free) const {
    Group group;
    for (const size_t k : nearest(seed, free)) {
      group.members.push_back(k);
      group.placements.push_back(k == seed ? Placement{window(k), '+'} : similarities_[seed][k]);
    }
    add_up(group);
    return group;
  }

  void add_up(Group& group) const {
    group.weights.assign(columns_, {});
    for (size_t m = 0; m < group.members.size(); ++m) {
      const auto columns = columns_at(group.members[m], group.placements[m]);
      for (size_t i = 0; i < columns_; ++i)
        for (size_t base = 0; base < 4; ++base) group.weights[i][base] += columns[i][base];
    }
  }

  /// Takes and gives members until these change no more. A member is compared with the sum of the others.
  Group grown(Group group, const std::vector<bool>& free) const {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < seqlets_.size(); ++i)
      if (free[i]) candidates.push_back(i);
    for (int round = 0; round < kRounds && std::ssize(group.members) > 1; ++round) {
      std::vector<std::optional<size_t>> place_of(seqlets_.size());
      for (size_t m = 0; m < group.members.size(); ++m) place_of[group.members[m]] = m;
      std::vector<Weights> exchanged;
      for (size_t s = 0; s < kExchanges; ++s) {
        Rng rng(options_.seed, s);
        exchanged.push_back(group.weights);
        for (auto& column : exchanged.back()) std::ranges::rotate(column, column.begin() + rng.between(1, 3));
      }
      std::vector<Placement> placements(candidates.size());
      std::vector<double> observed(candidates.size()), null(candidates.size() * kExchanges);
      parallel_for(std::ssize(candidates), threads_, [&](int64_t n) {
        const auto i = static_cast<size_t>(n);
        Weights others = group.weights;
        if (const auto m = place_of[candidates[i]]) {
          const auto own = columns_at(candidates[i], group.placements[*m]);
          for (size_t c = 0; c < columns_; ++c)
            for (size_t base = 0; base < 4; ++base) others[c][base] -= own[c][base];
        }
        placements[i] = best(candidates[i], others);
        observed[i] = placements[i].similarity;
        for (size_t s = 0; s < kExchanges; ++s) null[i * kExchanges + s] = best(candidates[i], exchanged[s]).similarity;
      });
      const auto above = static_cast<int64_t>(options_.largest_p * static_cast<double>(null.size()));
      std::ranges::nth_element(null, null.begin() + above, std::greater());
      const double least = null[static_cast<size_t>(above)];
      Group next;
      for (size_t i = 0; i < candidates.size(); ++i)
        if (observed[i] > std::max(0., least)) {
          next.members.push_back(candidates[i]);
          next.placements.push_back(placements[i]);
        }
      add_up(next);
      const bool same = next.members == group.members;
      group = std::move(next);
      if (same) break;
    }
    return group;
  }

  bool alike(const Group& a, const Group& b) const {
    const double lengths = norm(a.weights) * norm(b.weights);
    const auto columns = static_cast<int64_t>(columns_);
    for (const Weights& other : {b.weights, reverse_complement(b.weights)})
      for (int64_t shift = -columns / 2; shift <= columns / 2; ++shift) {
        double sum = 0;
        for (int64_t i = std::max<int64_t>(0, -shift); i < std::min(columns, columns - shift); ++i)
          for (size_t base = 0; base < 4; ++base)
            sum += a.weights[static_cast<size_t>(i)][base] * other[static_cast<size_t>(i + shift)][base];
        if (sum >= options_.alike * lengths) return true;
      }
    return false;
  }

  /// Makes one of two groups that are alike: the larger one grows among the seqlets of both.
  std::vector<Group> merged(std::vector<Group> groups) const {
    for (bool changed = true; changed;) {
      changed = false;
      std::ranges::stable_sort(groups, std::greater(), [](const Group& of) { return of.members.size(); });
      for (size_t a = 0; a < groups.size() && !changed; ++a)
        for (size_t b = a + 1; b < groups.size() && !changed; ++b) {
          if (!alike(groups[a], groups[b])) continue;
          std::vector<bool> free(seqlets_.size(), false);
          for (const size_t of : {a, b})
            for (const size_t member : groups[of].members) free[member] = true;
          auto both = grown(groups[a], free);
          if (both.members.size() > groups[a].members.size()) groups[a] = std::move(both);
          groups.erase(groups.begin() + static_cast<int64_t>(b));
          changed = true;
        }
    }
    return groups;
  }

  const std::vector<BaseContributions>& all_;
  const std::vector<Seqlet>& seqlets_;
  const int threads_;
  const PatternOptions options_;
  size_t columns_ = 0;
  std::vector<std::vector<Placement>> similarities_;  // of the second seed, as it lies on the first
};

constexpr double kUnlikely = 16.27;  // of a chi-squared value with three degrees of freedom: 0.001

/// Bits that a column says beyond a composition.
double bits_beyond(const BaseProbabilities& column, const BaseProbabilities& background) {
  double bits = 0;
  for (size_t base = 0; base < 4; ++base)
    if (column[base] > 0) bits += column[base] * std::log2(column[base] / background[base]);
  return bits;
}

}  // namespace

std::vector<Pattern> find_patterns(const std::vector<BaseContributions>& all, const std::vector<Seqlet>& seqlets,
                                   int threads, const PatternOptions& options) {
  if (std::ssize(seqlets) < options.least) return {};
  const auto background = composition(all);
  std::vector<Pattern> patterns;
  for (const Group& group : Grouping(all, seqlets, threads, options).groups()) {
    const auto sites = static_cast<double>(group.members.size());
    std::vector<BaseProbabilities> columns(group.weights.size(), BaseProbabilities{});
    for (size_t m = 0; m < group.members.size(); ++m) {
      const auto& bases = all[seqlets[group.members[m]].of].bases;
      const auto& [first, strand, similarity] = group.placements[m];
      for (size_t i = 0; i < columns.size(); ++i) {
        const int64_t at = first + static_cast<int64_t>(strand == '+' ? i : columns.size() - 1 - i);
        if (at < 0 || at >= std::ssize(bases)) continue;
        const size_t code = code_of(bases[static_cast<size_t>(at)]);
        if (code < 4) ++columns[i][strand == '+' ? code : 3 - code];
      }
    }
    for (auto& column : columns) column = column_of(column);
    // by the G-test, bits that few sites give by chance do not count
    const double least = std::max(options.least_bits, kUnlikely / (2 * std::log(2.) * sites));
    const auto says = [&](const BaseProbabilities& column) { return bits_beyond(column, background) >= least; };
    const auto first = std::ranges::find_if(columns, says) - columns.begin();
    const auto last = std::ssize(columns) - (std::find_if(columns.rbegin(), columns.rend(), says) - columns.rbegin());
    if (last - first < kLeastColumns) continue;
    Pattern pattern;
    pattern.motif.columns.assign(columns.begin() + first, columns.begin() + last);
    pattern.motif.sites = sites;
    for (auto i = first; i < last; ++i) {
      pattern.weights.push_back(group.weights[static_cast<size_t>(i)]);
      for (double& value : pattern.weights.back()) value /= sites;
    }
    // Seqlets of the flanks of motifs with contributions of the other sign are often drawn onto these.
    double contribution = 0;
    for (const auto& column : pattern.weights) contribution += std::accumulate(column.begin(), column.end(), 0.);
    if (contribution <= 0) continue;
    for (size_t m = 0; m < group.members.size(); ++m) {
      const auto& at = group.placements[m];
      const int64_t moved = at.strand == '+' ? first : std::ssize(columns) - last;
      pattern.sites.push_back({seqlets[group.members[m]].of, at.first + moved, at.strand, at.similarity});
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace bigdna::motif
