/// The search for substitutions that raise some outputs of a model and lower or keep others. It knows nothing of the
/// model but how outputs change, so tests can search where the best answer is known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"

namespace bigdna::attribution {

/// By position in the sequence, 0-based: the base that takes the place of the original one.
using Substitutions = std::map<int64_t, char>;

std::string substituted(std::string bases, const Substitutions& substitutions);

/// What is wanted of a model's outputs, by their index.
struct DesignGoal {
  std::vector<size_t> raised = {}, lowered = {}, kept = {};
  double keep_weight = 1;

  /// The mean over raised outputs minus the mean over lowered ones, minus keep_weight times the mean absolute change of
  /// kept ones. `changes`: of every output, compared with the original sequence.
  double value(std::span<const float> changes) const;
};

/// A sequence, and the positions of it that may be edited.
struct DesignSpace {
  std::string bases;
  std::vector<int64_t> positions;  // ascending; where A, C, G or T stands
};

struct DesignStep {
  Substitutions substitutions;
  std::vector<float> changes;  // of every output, compared with the original sequence
  double value = 0;
};

/// How outputs change from `bases` to each of `edited`, which have its length: [edited, outputs].
using OutputChanges = std::function<std::vector<float>(const std::string& bases, std::span<const std::string> edited)>;

class DesignSearch {
 public:
  DesignSearch(DesignGoal goal, size_t outputs, OutputChanges changes)
      : goal_(std::move(goal)), outputs_(outputs), changes_(std::move(changes)) {}

  /// Makes the best single substitution again and again, until there are `most` or none raises the value. The steps
  /// start with the original sequence. Of equal substitutions the first is taken, by position, then A, C, G, T.
  std::vector<DesignStep> greedy(const DesignSpace& space, int64_t most) const;

  /// A genetic algorithm: in each generation as many children as there are survivors arise from two parents each, by
  /// crossover and one substitution, and the best of all survive. The steps are the best of each generation, after the
  /// original sequence.
  std::vector<DesignStep> evolve(const DesignSpace& space, int64_t most, int64_t population, int64_t generations,
                                 Rng& rng) const;

  /// The mean value of `count` sequences with so many random substitutions each: the chance level.
  double chance(const DesignSpace& space, int64_t substitutions, int64_t count, Rng& rng) const;

 private:
  std::vector<DesignStep> evaluate(const DesignSpace& space, const std::vector<Substitutions>& all) const;

  DesignGoal goal_;
  size_t outputs_;
  OutputChanges changes_;
};

}  // namespace bigdna::attribution
