#include "attribution/design_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bigdna::attribution {
namespace {

constexpr int64_t kLength = 40;

/// Outputs that are sums over positions: 0 counts G, 1 counts C, 2 counts A twice as much at even positions.
std::vector<float> outputs_of(const std::string& bases) {
  std::vector<float> sums(3);
  for (size_t i = 0; i < bases.size(); ++i) {
    sums[0] += bases[i] == 'G';
    sums[1] += bases[i] == 'C';
    sums[2] += bases[i] == 'A' ? (i % 2 ? 1.f : 2.f) : 0.f;
  }
  return sums;
}

std::vector<float> changes_of(const std::string& bases, std::span<const std::string> edited) {
  const auto before = outputs_of(bases);
  std::vector<float> all;
  for (const auto& one : edited) {
    const auto after = outputs_of(one);
    for (size_t i = 0; i < before.size(); ++i) all.push_back(after[i] - before[i]);
  }
  return all;
}

DesignSpace space() {
  DesignSpace all;
  for (int64_t i = 0; i < kLength; ++i) all.bases += "ACTT"[i % 4];
  all.positions.resize(kLength);
  std::iota(all.positions.begin(), all.positions.end(), 0);
  return all;
}

TEST(DesignGoal, WeighsRaisedLoweredAndKeptOutputs) {
  const DesignGoal goal{{0}, {1}, {2}, 0.5};
  EXPECT_DOUBLE_EQ(goal.value(std::vector<float>{3, 1, -4}), 3 - 1 - 0.5 * 4);
  EXPECT_DOUBLE_EQ((DesignGoal{{0, 1}, {}, {}, 1}.value(std::vector<float>{3, 1, -4})), 2);
}

TEST(DesignSearch, GreedyTakesTheBestSubstitutionOfEachStep) {
  const DesignSearch search({{2}, {}, {}, 1}, 3, changes_of);
  const auto steps = search.greedy(space(), 3);
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_TRUE(steps.front().substitutions.empty());
  // A counts twice at even positions: 2, 6 and 10 are the first even ones that hold no A.
  EXPECT_EQ(steps.back().substitutions, (Substitutions{{2, 'A'}, {6, 'A'}, {10, 'A'}}));
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_DOUBLE_EQ(steps[i].value, 2. * static_cast<double>(i));
}

TEST(DesignSearch, LoweredAndKeptOutputsDecideWhichBaseGoes) {
  // G may replace T, A or C: raising G while C is lowered takes the place of C, while C is kept that of another base.
  const auto lowered = DesignSearch({{0}, {1}, {}, 1}, 3, changes_of).greedy(space(), 1);
  EXPECT_EQ(lowered.back().substitutions, (Substitutions{{1, 'G'}}));
  EXPECT_DOUBLE_EQ(lowered.back().value, 2);
  const auto kept = DesignSearch({{0}, {}, {1, 2}, 1}, 3, changes_of).greedy(space(), 1);
  EXPECT_EQ(kept.back().substitutions, (Substitutions{{2, 'G'}}));
}

TEST(DesignSearch, GreedyEndsWhereNothingRaisesTheValue) {
  auto four = space();
  four.positions = {0, 3, 5};
  const auto steps = DesignSearch({{0}, {}, {}, 1}, 3, changes_of).greedy(four, 10);
  EXPECT_EQ(steps.back().substitutions, (Substitutions{{0, 'G'}, {3, 'G'}, {5, 'G'}}));
  EXPECT_EQ(steps.size(), 4u);
  four.positions.clear();
  EXPECT_EQ(DesignSearch({{0}, {}, {}, 1}, 3, changes_of).greedy(four, 10).size(), 1u);
}

TEST(DesignSearch, GreedyTakesASubstitutionBackWhereThatIsBetter) {
  // The value has its maximum where exactly the last position is G; the first step towards it goes through another one.
  const OutputChanges changes = [](const std::string& from, std::span<const std::string> edited) {
    const auto height = [](const std::string& bases) {
      if (bases == "GAA") return 1.f;
      if (bases == "GAG") return 2.f;
      if (bases == "AAG") return 3.f;
      return 0.f;
    };
    // Seen from the original sequence, AAG looks worse than it is, so greedy begins with GAA.
    std::vector<float> all;
    for (const auto& one : edited)
      all.push_back(from == "AAA" && one == "AAG" && edited.size() > 1 ? 0.5f : height(one) - height(from));
    return all;
  };
  const auto steps = DesignSearch({{0}, {}, {}, 1}, 1, changes).greedy({"AAA", {0, 1, 2}}, 3);
  EXPECT_EQ(steps.back().substitutions, (Substitutions{{2, 'G'}}));
  EXPECT_DOUBLE_EQ(steps.back().value, 3);
}

TEST(DesignSearch, EvolutionFindsTheBestAndDependsOnTheSeedAlone) {
  const DesignSearch search({{2}, {}, {}, 1}, 3, changes_of);
  const auto run = [&](uint64_t seed) {
    Rng rng(seed);
    return search.evolve(space(), 5, 32, 60, rng);
  };
  const auto steps = run(1);
  EXPECT_EQ(steps.size(), 61u);
  EXPECT_DOUBLE_EQ(steps.back().value, 10);  // five even positions
  for (size_t i = 1; i < steps.size(); ++i) {
    EXPECT_GE(steps[i].value, steps[i - 1].value);
    EXPECT_LE(steps[i].substitutions.size(), 5u);
    for (const auto& [position, base] : steps[i].substitutions)
      EXPECT_NE(space().bases[static_cast<size_t>(position)], base);
  }
  EXPECT_EQ(run(1).back().substitutions, steps.back().substitutions);
  EXPECT_NE(run(2)[3].substitutions, steps[3].substitutions);
}

TEST(DesignSearch, ChanceIsTheMeanOfRandomSubstitutions) {
  Rng rng(5);
  const double chance = DesignSearch({{0}, {}, {}, 1}, 3, changes_of).chance(space(), 6, 2000, rng);
  EXPECT_NEAR(chance, 6 / 3., 0.1);  // no base is G, so a third of the substitutions makes one
}

}  // namespace
}  // namespace bigdna::attribution
