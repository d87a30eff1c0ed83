#include "attribution/design_search.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace bigdna::attribution {
namespace {

constexpr std::string_view kNucleotides = "ACGT";

/// Another base than `base`, drawn.
char other_base(char base, Rng& rng) {
  const auto own = kNucleotides.find(base);
  return kNucleotides[(own + 1 + rng.below(3)) % 4];
}

/// Substitutes a base at a position that is drawn. With `most` substitutions, one of them goes first.
void mutate(Substitutions& substitutions, const DesignSpace& space, int64_t most, Rng& rng) {
  const int64_t position = space.positions[rng.below(space.positions.size())];
  const char original = space.bases[static_cast<size_t>(position)];
  const auto there = substitutions.find(position);
  const char base = other_base(there == substitutions.end() ? original : there->second, rng);
  substitutions.erase(position);
  if (base == original) return;
  if (std::ssize(substitutions) >= most)
    substitutions.erase(std::next(substitutions.begin(), static_cast<int64_t>(rng.below(substitutions.size()))));
  substitutions[position] = base;
}

/// Each parent's substitutions with a probability of one half, `most` of them at most.
Substitutions crossed(const Substitutions& one, const Substitutions& other, int64_t most, Rng& rng) {
  Substitutions child;
  for (const auto* parent : {&one, &other})
    for (const auto& [position, base] : *parent)
      if (rng.below(2) == 0) child[position] = base;
  while (std::ssize(child) > most) child.erase(std::next(child.begin(), static_cast<int64_t>(rng.below(child.size()))));
  return child;
}

double mean_change(std::span<const float> changes, const std::vector<size_t>& outputs, double (*of)(double)) {
  double sum = 0;
  for (const size_t output : outputs) sum += of(changes[output]);
  return outputs.empty() ? 0 : sum / static_cast<double>(outputs.size());
}

}  // namespace

std::string substituted(std::string bases, const Substitutions& substitutions) {
  for (const auto& [position, base] : substitutions) bases[static_cast<size_t>(position)] = base;
  return bases;
}

double DesignGoal::value(std::span<const float> changes) const {
  const auto itself = +[](double change) { return change; };
  const auto size = +[](double change) { return std::abs(change); };
  return mean_change(changes, raised, itself) - mean_change(changes, lowered, itself) -
         keep_weight * mean_change(changes, kept, size);
}

std::vector<DesignStep> DesignSearch::evaluate(const DesignSpace& space, const std::vector<Substitutions>& all) const {
  if (all.empty()) return {};
  std::vector<std::string> edited;
  for (const auto& one : all) edited.push_back(substituted(space.bases, one));
  const auto changes = changes_(space.bases, edited);
  std::vector<DesignStep> steps;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto row = std::span(changes).subspan(i * outputs_, outputs_);
    steps.push_back({all[i], {row.begin(), row.end()}, goal_.value(row)});
  }
  return steps;
}

std::vector<DesignStep> DesignSearch::greedy(const DesignSpace& space, int64_t most) const {
  std::vector<DesignStep> steps{{{}, std::vector<float>(outputs_), 0}};
  while (std::ssize(steps.back().substitutions) < most) {
    const auto& now = steps.back();
    // Candidates differ from the sequence as it is now in one base, so the model computes little of them again.
    const std::string bases = substituted(space.bases, now.substitutions);
    std::vector<std::pair<int64_t, char>> candidates;
    std::vector<std::string> edited;
    for (const int64_t position : space.positions)
      for (const char base : kNucleotides) {
        if (base == bases[static_cast<size_t>(position)]) continue;
        candidates.emplace_back(position, base);
        edited.push_back(bases);
        edited.back()[static_cast<size_t>(position)] = base;
      }
    const auto changes = changes_(bases, edited);
    size_t best = candidates.size();
    double value = now.value;
    for (size_t i = 0; i < candidates.size(); ++i) {
      std::vector<float> total = now.changes;
      for (size_t output = 0; output < outputs_; ++output) total[output] += changes[i * outputs_ + output];
      if (const double of = goal_.value(total); of > value) value = of, best = i;
    }
    if (best == candidates.size()) break;
    auto substitutions = now.substitutions;
    const auto [position, base] = candidates[best];
    if (base == space.bases[static_cast<size_t>(position)])
      substitutions.erase(position);
    else
      substitutions[position] = base;
    auto step = std::move(evaluate(space, {std::move(substitutions)}).front());
    if (step.value <= now.value) break;  // a gain within the rounding of sums
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<DesignStep> DesignSearch::evolve(const DesignSpace& space, int64_t most, int64_t population,
                                             int64_t generations, Rng& rng) const {
  std::vector<DesignStep> survivors{{{}, std::vector<float>(outputs_), 0}}, best = survivors;
  if (space.positions.empty() || most == 0) return best;
  std::set<Substitutions> known{{}};
  for (int64_t generation = 0; generation < generations; ++generation) {
    // Survivors are sorted, so the smaller of two draws is the better parent: a tournament of two.
    const auto parent = [&]() -> const Substitutions& {
      const auto one = rng.below(survivors.size()), other = rng.below(survivors.size());
      return survivors[std::min(one, other)].substitutions;
    };
    std::vector<Substitutions> children;
    for (int64_t i = 0; i < population; ++i) {
      auto child = crossed(parent(), parent(), most, rng);
      mutate(child, space, most, rng);
      if (known.insert(child).second) children.push_back(std::move(child));
    }
    for (auto& step : evaluate(space, children)) survivors.push_back(std::move(step));
    std::ranges::stable_sort(survivors, std::greater(), &DesignStep::value);
    if (std::ssize(survivors) > population) survivors.resize(static_cast<size_t>(population));
    best.push_back(survivors.front());
  }
  return best;
}

double DesignSearch::chance(const DesignSpace& space, int64_t substitutions, int64_t count, Rng& rng) const {
  std::vector<Substitutions> drawn;
  for (int64_t i = 0; i < count; ++i) {
    auto positions = space.positions;
    rng.shuffle(positions);
    Substitutions one;
    for (int64_t k = 0; k < substitutions; ++k) {
      const int64_t position = positions[static_cast<size_t>(k)];
      one[position] = other_base(space.bases[static_cast<size_t>(position)], rng);
    }
    drawn.push_back(std::move(one));
  }
  double sum = 0;
  for (const auto& step : evaluate(space, drawn)) sum += step.value;
  return sum / static_cast<double>(count);
}

}  // namespace bigdna::attribution
