#include "context_mixing/log_mixer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"

namespace bigdna::context_mixing {
namespace {

using Allowed = std::array<bool, LogMixer::kSteps>;

std::array<LogMixer::Inputs, LogMixer::kSteps> inputs_of(const std::vector<LogMixer::Probabilities>& inputs) {
  std::array<LogMixer::Inputs, LogMixer::kSteps> logs{};
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t step = 0; step < LogMixer::kSteps; ++step) logs[step][i] = std::log(inputs[i][step]);
  return logs;
}

TEST(LogMixer, MixesByTheWeightsThatItBeginsWith_AmongAllowedSteps) {
  LogMixer mixer(std::array<size_t, 2>{1, 3}, {0.5F, 1});
  const auto mixed = mixer.mix(inputs_of({{.2F, .2F, .2F, .2F, .2F}, {.1F, .3F, .2F, .2F, .2F}}),
                               Allowed{true, true, true, false, false}, std::array<size_t, 2>{0, 2});
  EXPECT_NEAR(mixed[0], .1 / .6, 1e-6);
  EXPECT_NEAR(mixed[1], .3 / .6, 1e-6);
  EXPECT_EQ(mixed[3], 0);
}

TEST(LogMixer, LearnsWhichInputIsRight) {
  LogMixer mixer(std::array<size_t, 1>{1}, {0.5F, 0.5F});
  Rng rng(1, 0);
  const LogMixer::Probabilities wrong{.4F, .3F, .1F, .1F, .1F};
  double bits = 0;
  constexpr int kSteps = 20'000, kLast = 10'000;
  for (int i = 0; i < kSteps; ++i) {
    const size_t step = rng.below(4);
    const size_t told = rng.below(10) < 9 ? step : rng.below(4);  // told right 37 times of 40
    LogMixer::Probabilities right{.025F, .025F, .025F, .025F, 1e-4F};
    right[told] = .925F;
    const auto& mixed =
        mixer.mix(inputs_of({wrong, right}), Allowed{true, true, true, true, true}, std::array<size_t, 1>{0});
    EXPECT_NEAR(std::accumulate(mixed.begin(), mixed.end(), 0.F), 1, 1e-5);
    if (i >= kSteps - kLast) bits -= std::log2(mixed[step]);
    mixer.learn(step);
  }
  EXPECT_NEAR(bits / kLast, -.925 * std::log2(.925) - .075 * std::log2(.025), 0.05);
}

}  // namespace
}  // namespace bigdna::context_mixing
