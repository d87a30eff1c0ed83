#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "profile/foreign.h"
#include "profile/network.h"
#include "support.h"

namespace bigdna::profile {
namespace {

std::string random_bases(int64_t length, uint64_t seed) {
  Rng rng(seed, 0);
  std::string bases;
  for (int64_t i = 0; i < length; ++i) bases += "ACGT"[rng.below(4)];
  return bases;
}

struct Case {
  const char* file;
  Part part;
  session::Strands strands;
};

class Gradient : public testing::TestWithParam<Case> {};

/// The gradients on the straight line between two sequences add up to the difference of their scores.
TEST_P(Gradient, AddsUpAlongALine) {
  const auto& [file, part, strands] = GetParam();
  const std::string path = test::source_folder() + "/test-data/profile/" + file;
  const auto model = path.ends_with(".h5") ? read_keras(path) : read_bpnet_lite(path);
  const ProfileNetwork network(model.config, model.parameters, session::Placement(), path);
  const auto bases = random_bases(model.config.window, 1), from = random_bases(model.config.window, 2);
  const auto own = network.predict(bases, part, strands), other = network.predict(from, part, strands);
  for (const auto& score : {Score{}, Score{probabilities(own.logits)}}) {
    constexpr int kSteps = 40;
    double sum = 0;
    for (int step = 0; step < kSteps; ++step) {
      const auto slopes = network.gradient(bases, from, (step + 0.5) / kSteps, part, strands, score);
      ASSERT_EQ(std::ssize(slopes), 4 * model.config.window);
      for (size_t i = 0; i < bases.size(); ++i)
        sum += slopes[4 * i + std::string_view("ACGT").find(bases[i])] -
               slopes[4 * i + std::string_view("ACGT").find(from[i])];
    }
    const double difference = score.of(own) - score.of(other);
    EXPECT_GT(std::abs(difference), 5e-3);
    EXPECT_NEAR(sum / kSteps, difference, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Gradient,
                         testing::Values(Case{"chrombpnet.h5", Part::whole, session::Strands::average},
                                         Case{"bpnet.torch", Part::whole, session::Strands::forward}));

}  // namespace
}  // namespace bigdna::profile
