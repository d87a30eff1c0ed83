#include "linear/stacking.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace bigdna::linear {
namespace {

struct Simulated {
  at::Tensor kmers, encoder, y;
  std::vector<int64_t> blocks;
};

/// Two features of groups "with" and "without": the labels' log-odds are k-mers + gain x encoder in the first, k-mers
/// in the second.
Simulated simulate(int64_t rows, double gain) {
  Rng rng(7);
  Simulated data{at::zeros({rows, 2}), at::zeros({rows, 2}), at::zeros({rows, 2}), {}};
  auto kmers = data.kmers.accessor<float, 2>(), encoder = data.encoder.accessor<float, 2>(),
       y = data.y.accessor<float, 2>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int f = 0; f < 2; ++f) {
      kmers[i][f] = static_cast<float>(4 * rng.uniform() - 2);
      encoder[i][f] = static_cast<float>(4 * rng.uniform() - 2);
      const double logit = kmers[i][f] + (f == 0 ? gain : 0) * encoder[i][f];
      y[i][f] = rng.uniform() < 1 / (1 + std::exp(-logit));
    }
    data.blocks.push_back(i / 20);
  }
  return data;
}

TEST(Stacking, TakesFromTheEncoderWhatTheRowsCallFor) {
  const auto data = simulate(4000, 1);
  const auto stack = fit_stack(data.kmers, data.encoder, data.y, data.blocks, {"with", "without"},
                               dataset::LabelType::multilabel, StackChoice::earned);
  EXPECT_GE(stack.beta[0], 0.5);
  EXPECT_LE(stack.beta[0], 1);
  EXPECT_EQ(stack.beta[1], 0);
  for (const double scale : stack.scale) EXPECT_NEAR(scale, 1, 0.15);
  for (const double shift : stack.shift) EXPECT_NEAR(shift, 0, 0.15);
}

TEST(Stacking, GivesTheEncoderNothingThatCouldBeChance) {
  const auto data = simulate(200, 0);
  EXPECT_EQ(fit_stack(data.kmers, data.encoder, data.y, data.blocks, {"a", "a"}, dataset::LabelType::multilabel,
                      StackChoice::earned)
                .beta,
            (std::vector<double>{0, 0}));
}

TEST(Stacking, OfWeightsThatAreAlikeButForRoundingTheLeastIsTaken) {
  const auto data = simulate(200, 1);
  for (const at::Tensor& part :
       {at::zeros_like(data.kmers) + 0.7, data.kmers * 1.3 - 0.2})  // says nothing, or the same
    EXPECT_EQ(fit_stack(data.kmers, part, data.y, data.blocks, {"a", "a"}, dataset::LabelType::multilabel,
                        StackChoice::least_loss)
                  .beta,
              (std::vector<double>{0, 0}));
  const auto stack = fit_stack(data.kmers, data.encoder, data.y, data.blocks, {"with", "without"},
                               dataset::LabelType::multilabel, StackChoice::least_loss);
  EXPECT_GE(stack.beta[0], 0.5);
}

TEST(Stacking, APartIsTakenWholeWhereItEarnedAStandardErrorAndOtherwiseNotAtAll) {
  const auto beta = [](const auto& data, StackChoice choice) {
    return fit_stack(data.kmers, data.encoder, data.y, data.blocks, {"with", "without"}, dataset::LabelType::multilabel,
                     choice)
        .beta;
  };
  const auto helps = simulate(4000, 1);
  EXPECT_EQ(beta(helps, StackChoice::earned)[0], beta(helps, StackChoice::least_loss)[0]);
  EXPECT_GT(beta(helps, StackChoice::earned)[0], 0);
  // noise gets a weight by least loss in some draws, and by `earned` in fewer
  int64_t by_loss = 0, earned = 0;
  for (int64_t rows = 100; rows < 140; ++rows) {
    const auto noise = simulate(rows, 0);
    by_loss += beta(noise, StackChoice::least_loss)[1] > 0;
    earned += beta(noise, StackChoice::earned)[1] > 0;
  }
  EXPECT_GT(by_loss, 2 * earned);
}

TEST(Stacking, RowsThatAreRankedPerfectlyCallForNoCertainty) {
  const std::vector<std::string> one{"a"};
  const std::vector<int64_t> blocks(40, 0);
  const at::Tensor y = at::arange(40).remainder(2).to(at::kFloat).unsqueeze(1), none = at::zeros_like(y);
  const auto stack = fit_stack(8 * y - 4, none, y, blocks, one, dataset::LabelType::binary, StackChoice::earned);
  EXPECT_NEAR(4 * stack.scale[0], std::log(21.0), 0.01);
}

TEST(Stacking, CorrectsLogitsThatAreTooLargeOrOff) {
  const auto data = simulate(4000, 0);
  const auto stack = fit_stack(data.kmers * 3 + 1, data.encoder, data.y, data.blocks, {"a", "b"},
                               dataset::LabelType::multilabel, StackChoice::earned);
  EXPECT_NEAR(stack.scale[0], 1.0 / 3, 0.05);
  EXPECT_NEAR(stack.shift[0], -1.0 / 3, 0.15);
}

TEST(Stacking, AFeatureOfOneClassKeepsItsWords) {
  auto data = simulate(100, 1);
  data.y.select(1, 0).fill_(1);
  const auto stack = fit_stack(data.kmers, data.encoder, data.y, data.blocks, {"a", "a"},
                               dataset::LabelType::multilabel, StackChoice::earned);
  EXPECT_EQ(stack.beta[0], 0);
  EXPECT_EQ(stack.scale[0], 1);
  EXPECT_EQ(stack.shift[0], 0);
}

TEST(Stacking, OneBlockHasNoStandardErrorAndGivesTheEncoderNothing) {
  auto data = simulate(100, 3);
  data.blocks.assign(100, 0);
  EXPECT_EQ(fit_stack(data.kmers, data.encoder, data.y, data.blocks, {"a", "b"}, dataset::LabelType::multilabel,
                      StackChoice::earned)
                .beta[0],
            0);
}

/// Three classes whose log-odds are k-mers + gain x encoder, and three numbers that are k-mers + gain x encoder and
/// noise.
Simulated of_type(dataset::LabelType type, int64_t rows, double gain) {
  Rng rng(11);
  Simulated data{at::zeros({rows, 3}), at::zeros({rows, 3}), at::zeros({rows, 3}), {}};
  auto kmers = data.kmers.accessor<float, 2>(), encoder = data.encoder.accessor<float, 2>(),
       y = data.y.accessor<float, 2>();
  for (int64_t i = 0; i < rows; ++i) {
    double total = 0, odds[3];
    for (int f = 0; f < 3; ++f) {
      kmers[i][f] = static_cast<float>(rng.normal());
      encoder[i][f] = static_cast<float>(rng.normal());
      const double value = kmers[i][f] + gain * encoder[i][f];
      y[i][f] = static_cast<float>(2 * value + 5 + rng.normal());
      total += odds[f] = std::exp(value);
    }
    if (type == dataset::LabelType::classes) {
      double left = rng.uniform() * total;
      const int drawn = (left -= odds[0]) < 0 ? 0 : left < odds[1] ? 1 : 2;
      for (int f = 0; f < 3; ++f) y[i][f] = f == drawn;
    } else if (i % 4 == 0) {
      y[i][2] = NAN;
    }
    data.blocks.push_back(i / 20);
  }
  return data;
}

TEST(Stacking, OfClassesAndOfNumbers) {
  const std::vector<std::string> groups(3, "all");
  for (const auto type : {dataset::LabelType::classes, dataset::LabelType::regression}) {
    const bool numbers = type == dataset::LabelType::regression;
    const auto data = of_type(type, 4000, 0.5);
    const auto stack = fit_stack(data.kmers, data.encoder, data.y, data.blocks, groups, type, StackChoice::earned);
    for (size_t f = 0; f < 3; ++f) {
      EXPECT_EQ(stack.beta[f], 0.5);
      EXPECT_NEAR(stack.scale[f], numbers ? 2 : 1, 0.1);
      EXPECT_NEAR(stack.shift[f], numbers ? 5 : 0, 0.1);
    }
    const auto chance = of_type(type, 200, 0);
    EXPECT_EQ(fit_stack(chance.kmers, chance.encoder, chance.y, chance.blocks, groups, type, StackChoice::earned).beta,
              (std::vector<double>{0, 0, 0}));
  }
}

TEST(Stacking, NumbersThatWordsDoNotTellAreTheirMean) {
  auto data = of_type(dataset::LabelType::regression, 4000, 0);
  const std::vector<std::string> groups(3, "all");
  const auto stack = fit_stack(-data.kmers, at::zeros_like(data.encoder), data.y, data.blocks, groups,
                               dataset::LabelType::regression, StackChoice::earned);
  EXPECT_EQ(stack.scale[0], 0);  // the k-mers say the opposite of what is so
  EXPECT_NEAR(stack.shift[0], 5, 0.2);
}

}  // namespace
}  // namespace bigdna::linear
