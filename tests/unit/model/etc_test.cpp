/// ETC's sentence tokens and labels (attention `etc`) where the pattern has extra tokens.
#include <ATen/core/TensorAccessor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "attentions_support.h"
#include "base/error.h"
#include "model/encoder.h"
#include "model_folder/attention.h"
#include "whole_model_support.h"

namespace bigdna::model {
namespace {

constexpr int64_t kExtra = 8, kRadius = 5, kLabels = 3;

model_folder::ModelConfig etc_config(const std::string& settings) {
  auto config = config_with("etc:radius=5,labels=3" + settings);
  config.pattern.name = "bigbird-etc";
  config.pattern.global = 2;
  model_folder::check(config);
  return config;
}

/// A sequence of sentence tokens and `text`.
struct EtcSequence : OneSequence {
  EtcSequence(const std::string& settings, int64_t text)
      : OneSequence("etc:radius=5,labels=3" + settings, kExtra + text, 1, 128, etc_config(settings).pattern) {}
  at::Tensor& labels() { return parameters.begin()->second; }
};

/// From the equations: the label of each pair of tokens, or -1 where they do not meet.
at::Tensor oracle(EtcSequence& one, int64_t text, int64_t sentence, bool mask) {
  const int64_t sentences = (text + sentence - 1) / sentence, tokens = kExtra + text, distances = 2 * kLabels + 1;
  const auto distance = [](int64_t offset) { return std::clamp(offset, -kLabels, kLabels) + kLabels; };
  const int64_t heads = one.call.q.size(0);
  at::Tensor scores = at::full({heads, tokens, tokens}, -std::numeric_limits<double>::infinity(), at::kDouble);
  for (int64_t i = 0; i < tokens; ++i)
    for (int64_t j = 0; j < tokens; ++j) {
      const bool from_text = i >= kExtra, to_text = j >= kExtra;
      if ((!from_text && i >= sentences) || (!to_text && j >= sentences)) continue;
      int64_t label = -1;
      if (from_text && to_text) {
        if (std::abs(j - i) <= kRadius) label = distance(j - i);
      } else if (!from_text && !to_text) {
        label = distances + distance(j - i);
      } else {
        const bool belongs = from_text ? (i - kExtra) / sentence == j : (j - kExtra) / sentence == i;
        if (from_text || belongs || !mask) label = 2 * distances + (from_text ? 0 : 2) + (belongs ? 0 : 1);
      }
      if (label < 0) continue;
      const at::Tensor key = one.call.k.select(1, j) + one.labels().select(1, label);
      scores.select(1, i).select(1, j).copy_((one.call.q.select(1, i) * key).sum(1) / std::sqrt(8.0));
    }
  scores.narrow(1, sentences, kExtra - sentences).zero_();  // not read; 0 below
  at::Tensor out = at::matmul(at::softmax(scores, 2), one.call.v);
  out.narrow(1, sentences, kExtra - sentences).zero_();
  return out;
}

TEST(Etc, IsTheEquationsWithMaskAndLabels) {
  for (const int64_t text : {1, 7, 20, 75, 128})
    for (const int64_t sentence : {0, 16, 20})
      for (const bool mask : {true, false}) {
        EtcSequence one(concat(",sentence=", sentence, ",mask=", mask ? "yes" : "no"), text);
        const at::Tensor expected = oracle(one, text, sentence > 0 ? sentence : 16, mask);
        EXPECT_LT(max_difference(one.run(), expected), 1e-12) << text << ' ' << sentence << mask;
      }
}

TEST(Etc, EveryLabelAndKeyHasItsGradient) {
  EtcSequence one("", 75);
  const at::Tensor weights = random_tensor(one.call.q.sizes(), 9).to(at::kDouble);
  const auto loss = [&] { return (one.run() * weights).sum(); };
  for (at::Tensor* leaf : {&one.call.q, &one.call.k, &one.call.v, &one.labels()}) {
    leaf->requires_grad_(true);
    loss().backward();
    const at::Tensor gradient = leaf->grad().clone();
    leaf->requires_grad_(false);
    const at::Tensor direction = random_tensor(leaf->sizes(), 3).to(at::kDouble), before = leaf->clone();
    const auto moved = [&](double by) {
      *leaf = before + direction * by;
      return loss().item<double>();
    };
    EXPECT_NEAR((moved(1e-6) - moved(-1e-6)) / 2e-6, (gradient * direction).sum().item<double>(), 1e-5);
    *leaf = before;
    if (leaf == &one.labels()) {
      EXPECT_EQ((gradient.abs().sum(2) > 0).sum().item<int64_t>(),
                gradient.size(0) * (gradient.size(1) - 1));  // but for a masked relation
    }
  }
}

// The sentence token of a far sentence carries what stands there to all of the text, in two layers.
TEST(Etc, TextReachesAllTextThroughItsSentences) {
  const auto config = etc_config("");
  const auto parameters = initialise(config, 5);
  auto example = random_example(128, 1);
  const auto states = [&] {
    return encode(config, parameters, make_batch({example}, 4, 0, at::kCPU), {}).narrow(1, 0, 128)[0].clone();
  };
  const at::Tensor before = states();
  example.ids[127] = example.ids[127] == 6 ? 7 : 6;
  EXPECT_GT(max_difference(states()[0], before[0]), 0);
}

TEST(Etc, EncodersHoldForAnyLengthAndAreSaved) {
  for (const auto architecture : {model_folder::Architecture::bigbird, model_folder::Architecture::modern}) {
    auto config = etc_config("");
    config.architecture = architecture;
    const auto parameters = initialise(config, 5);
    const auto encoded = [&](const std::vector<corpus::Example>& examples) {
      return encode(config, parameters, make_batch(examples, 4, 0, at::kCPU), {});
    };
    for (const int64_t length : {1, 2, 15, 16, 17, 100, 128}) {
      const at::Tensor alone = encoded({random_example(length, 1)})[0].narrow(0, 0, length);
      const at::Tensor beside = encoded({random_example(length, 1), random_example(128, 2)})[0].narrow(0, 0, length);
      EXPECT_LT(max_difference(alone, beside), 2e-6) << length;
    }
    expect_saves_and_loads(config);
    expect_near_in_bf16(config);
  }
}

TEST(Etc, MoreSentencesThanTokensAreAnError) {
  EXPECT_EQ(test::error_of([] { etc_config(",sentence=15"); }),
            "attention etc: 128 tokens are more than 8 sentences of 15 tokens; --global adds sentence tokens");
}

}  // namespace
}  // namespace bigdna::model
