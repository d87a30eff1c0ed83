#include "profile_training/heads.h"

#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "base/rng.h"
#include "profile/network.h"

namespace bigdna::profile_training {
namespace {

using model_folder::ProfileConfig;
using model_folder::ProfileHalf;

ProfileConfig small_config() {
  ProfileConfig config{180, 20, 2, 0, {{"model", 5, 3}, {"bias", 4, 1}}};
  for (auto& half : config.halves) half.averaged = half.positions(config.window);
  model_folder::check(config, "test");
  return config;
}

std::string random_bases(int64_t length, uint64_t seed) {
  Rng rng(seed);
  std::string bases;
  for (int64_t i = 0; i < length; ++i) bases += "ACGTN"[rng.below(5)];
  return bases;
}

at::Tensor letters_of(const std::vector<std::string>& sequences) {
  at::Tensor letters = at::zeros({std::ssize(sequences), std::ssize(sequences.front()), 4}, at::kDouble);
  auto values = letters.accessor<double, 3>();
  for (size_t i = 0; i < sequences.size(); ++i)
    for (size_t at = 0; at < sequences[i].size(); ++at)
      if (const auto code = std::string("ACGT").find(sequences[i][at]); code != std::string::npos)
        values[static_cast<int64_t>(i)][static_cast<int64_t>(at)][static_cast<int64_t>(code)] = 1;
  return letters;
}

/// Weights of which no bias is 0.
model::Parameters weights(const ProfileConfig& config) {
  auto parameters = initialise(config, 3);
  Rng rng(4);
  for (auto& [name, value] : parameters) {
    value = value.to(at::kDouble);
    if (name.ends_with("bias")) value.fill_(rng.normal() / 10);
  }
  return parameters;
}

/// The same half by LibTorch's own convolutions.
ProfileHeads restated(const ProfileConfig& config, const ProfileHalf& half, const model::Parameters& parameters,
                      const at::Tensor& letters) {
  const auto own = [&](const std::string& name) { return parameters.at(half.name + "." + name); };
  const auto cut = [](const at::Tensor& x, int64_t count) { return x.narrow(2, (x.size(2) - count) / 2, count); };
  at::Tensor x = at::conv1d(letters.transpose(1, 2), own("first.weight"), own("first.bias")).relu();
  for (int64_t i = 0; i < half.layers; ++i) {
    const std::string layer = concat("dilated.", i);
    const at::Tensor next =
        at::conv1d(x, own(layer + ".weight"), own(layer + ".bias"), {1}, at::IntArrayRef({0}), {half.dilation(i)})
            .relu();
    x = next + cut(x, next.size(2));
  }
  const at::Tensor logits = at::conv1d(cut(x, config.output + 74), own("profile.weight"), own("profile.bias"));
  const at::Tensor mean = cut(x, half.averaged).mean(2);
  return {logits.flatten(1), (mean * own("count.weight")).sum(1) + own("count.bias")};
}

TEST(Heads, AndTheirGradientsAreThoseOfPlainConvolutions) {
  const auto config = small_config();
  const auto letters = letters_of({random_bases(180, 1), random_bases(180, 2), random_bases(180, 3)});
  for (const auto& half : config.halves) {
    auto ours = weights(config), theirs = weights(config);
    const auto score = [&](auto heads_by, model::Parameters& parameters) {
      for (auto& [name, value] : parameters) value.requires_grad_(true);
      const ProfileHeads heads = heads_by(config, half, parameters, letters);
      const at::Tensor counts = at::tensor({0., 2., 1.}).unsqueeze(1).expand({3, 40}).contiguous().clone();
      counts.select(1, 7).mul_(5);
      const at::Tensor loss = (profile_loss(heads.logits, counts) + 2.5 * count_loss(heads.log_counts, counts)).sum();
      loss.backward();
      return std::pair(heads, loss);
    };
    const auto [own, own_loss] = score(heads_of, ours);
    const auto [other, other_loss] = score(restated, theirs);
    EXPECT_EQ(own.logits.sizes(), at::IntArrayRef({3, 40}));
    EXPECT_TRUE(at::allclose(own.logits, other.logits, 1e-9, 1e-9));
    EXPECT_TRUE(at::allclose(own.log_counts, other.log_counts, 1e-9, 1e-9));
    int compared = 0;
    for (const auto& [name, value] : ours) {
      if (!name.starts_with(half.name)) continue;
      ASSERT_TRUE(value.grad().defined()) << name;
      EXPECT_TRUE(at::allclose(value.grad(), theirs.at(name).grad(), 1e-8, 1e-9)) << name;
      EXPECT_GT(value.grad().abs().max().item<double>(), 0) << name;
      ++compared;
    }
    EXPECT_EQ(compared, 2 * (half.layers + 3));
  }
}

TEST(Heads, AreWhatThePredictionOfOneWindowIs) {
  const auto config = small_config();
  auto parameters = weights(config);
  for (auto& [name, value] : parameters) value = value.to(at::kFloat);
  const profile::ProfileNetwork network(config, parameters, session::Placement(), "test");
  const std::vector<std::string> sequences{random_bases(180, 5), random_bases(180, 6)};
  const auto letters = letters_of(sequences).to(at::kFloat);
  const ProfileHeads both = sum_of(heads_of(config, config.halves[0], parameters, letters),
                                   heads_of(config, config.halves[1], parameters, letters));
  for (int64_t i = 0; i < 2; ++i) {
    const auto prediction = network.predict(sequences[static_cast<size_t>(i)], profile::Part::whole);
    const at::Tensor logits = both.logits.select(0, i);
    for (int64_t at = 0; at < 40; ++at)
      EXPECT_NEAR(logits[at].item<float>(), prediction.logits[static_cast<size_t>(at)], 1e-5);
    EXPECT_NEAR(both.log_counts[i].item<double>(), prediction.log_counts, 1e-5);
  }
}

/// 2, 1 and 1 reads at three equally likely bases: 4! / (2! 1! 1!) = 12 arrangements of probability 3^-4 each.
TEST(Losses, OfAHandComputation) {
  const at::Tensor counts = at::tensor({2., 1., 1.}).unsqueeze(0), logits = at::zeros({1, 3}, at::kDouble);
  EXPECT_NEAR(profile_loss(logits, counts).item<double>(), -std::log(12. / 81), 1e-12);
  // and where the first base is twice as likely as each other one: (1/2)^2 (1/4)^2
  const at::Tensor doubled = at::tensor({std::log(2.), 0., 0.}).unsqueeze(0);
  EXPECT_NEAR(profile_loss(doubled, counts).item<double>(), -std::log(12. / 64), 1e-12);
  EXPECT_NEAR(count_loss(at::tensor({1.}), counts).item<double>(), std::pow(std::log(5.) - 1, 2), 1e-12);
  const at::Tensor none = at::zeros({1, 3}, at::kDouble);
  EXPECT_EQ(profile_loss(doubled, none).item<double>(), 0);
}

}  // namespace
}  // namespace bigdna::profile_training
