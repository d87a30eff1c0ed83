/// The rows of model_folder/attention_rows_memory.cpp (but for etc, etc_test.cpp) against their equations: n x n
/// matrices, or sums over lists of keys written by hand.
#include <ATen/core/TensorAccessor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "attentions_support.h"
#include "base/error.h"
#include "support.h"

namespace bigdna::model {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

sparsity::PatternConfig causal_window() {
  auto pattern = small_config().pattern;
  pattern.name = "window", pattern.causal = true;
  return pattern;
}
sparsity::PatternConfig pattern_of(bool causal) { return causal ? causal_window() : small_config().pattern; }

/// |i - j|, or j - i: [n, n].
at::Tensor offsets(int64_t n) { return at::arange(n, at::kDouble) - at::arange(n, at::kDouble).unsqueeze(1); }
at::Tensor products(const OneSequence& one) {
  return at::matmul(one.call.q, one.call.k.transpose(1, 2)) / std::sqrt(8.0);
}

TEST(Prior, IsTheEquation) {
  for (const bool causal : {false, true})
    for (const int64_t n : {1, 7, 64, 150}) {
      OneSequence one("prior:slowest=3", n, 1, 512, pattern_of(causal));
      const at::Tensor slope = one.parameters.begin()->second;
      at::Tensor scores = at::zeros({3, n, n}, at::kDouble);
      for (int64_t head = 0; head < 3; ++head) {
        const double m = std::exp2(-3.0 * static_cast<double>(head + 1) / 3) * std::exp(slope[head].item<double>());
        const at::Tensor prior = offsets(n).abs() * m;
        at::Tensor hidden = prior.gt(20);
        if (causal) hidden = hidden.logical_or(offsets(n).gt(0));
        scores[head].copy_((products(one)[head] - prior).masked_fill(hidden, kNothing));
      }
      EXPECT_LT(max_difference(one.run(), at::matmul(at::softmax(scores, 2), one.call.v)), 1e-12) << n << causal;
    }
}

TEST(Xl, IsTheFourTermsOfEachPair) {
  for (const bool causal : {false, true})
    for (const int64_t n : {1, 5, 64, 100}) {
      OneSequence one("xl:reach=30", n, 1, 512, pattern_of(causal));
      const auto own = [&](const std::string& name) {
        return one.parameters.at(one.call.prefix + "bigdna.xl." + name);
      };
      at::Tensor scores = at::full({3, n, n}, kNothing, at::kDouble);
      for (int64_t head = 0; head < 3; ++head) {
        const at::Tensor q = one.call.q[head], k = one.call.k[head], u = own("u")[head], v = own("v")[head],
                         project = own("position").narrow(0, 8 * head, 8);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < n; ++j) {
            if (std::abs(i - j) > 30 || (causal && j > i)) continue;
            at::Tensor sinusoids = at::zeros({24}, at::kDouble);
            for (int64_t d = 0; d < 12; ++d) {
              const double angle = static_cast<double>(i - j) / std::pow(10'000, 2.0 * static_cast<double>(d) / 24);
              sinusoids[2 * d] = std::sin(angle), sinusoids[2 * d + 1] = std::cos(angle);
            }
            const at::Tensor r = at::matmul(project, sinusoids);
            const at::Tensor sum = (q[i] * k[j]).sum() + (q[i] * r).sum() + (u * k[j]).sum() + (v * r).sum();
            scores[head][i][j] = sum / std::sqrt(8.0);
          }
      }
      EXPECT_LT(max_difference(one.run(), at::matmul(at::softmax(scores, 2), one.call.v)), 1e-11) << n << causal;
    }
}

constexpr int64_t kMemory = 5, kRate = 4, kKept = 3;

/// What a query reads: tokens within the memory, and the first groups that begin before it or end behind it.
bool reads_token(int64_t i, int64_t j, bool causal) { return std::abs(i - j) <= kMemory && !(causal && j > i); }
bool reads_group(int64_t i, int64_t group, bool causal) {
  const int64_t first = group * kRate, last = first + kRate - 1;
  const bool before = first < i - kMemory && first >= i - kMemory - kKept * kRate,
             behind = last > i + kMemory && last <= i + kMemory + kKept * kRate;
  return before || (behind && !causal);
}

/// Keys or values of groups: zeros past the end.
at::Tensor groups_of(const at::Tensor& x, const std::string& by, const at::Tensor& taps) {
  const int64_t n = x.size(1), count = (n + kRate - 1) / kRate;
  std::vector<at::Tensor> groups;
  for (int64_t group = 0; group < count; ++group) {
    std::vector<at::Tensor> tokens;
    for (int64_t t = 0; t < kRate; ++t) {
      const int64_t j = group * kRate + t;
      const at::Tensor token = j < n ? x.select(1, j) : at::zeros({x.size(0), x.size(2)}, x.options());
      tokens.push_back(by == "conv" ? at::matmul(token.unsqueeze(1), taps.select(1, t)).squeeze(1) : token);
    }
    const at::Tensor all = at::stack(tokens);
    groups.push_back(by == "conv" ? all.sum(0) : by == "mean" ? all.mean(0) : all.amax(0));
  }
  return at::stack(groups, 1);
}

std::string compressive(const std::string& by) {
  return concat("compressive:memory=", kMemory, ",rate=", kRate, ",compressed=", kKept, ",by=", by);
}

TEST(Compressive, IsOneSoftmaxOverTokensAndGroups) {
  for (const std::string by : {"conv", "mean", "max"})
    for (const bool causal : {false, true})
      for (const int64_t n : {1, 6, 30, 64, 131}) {
        OneSequence one(compressive(by), n, 1, 512, pattern_of(causal));
        const auto taps = [&](const char* name) {
          return by == "conv" ? one.parameters.at(concat(one.call.prefix, "bigdna.compressive.", name)) : at::Tensor();
        };
        const at::Tensor keys = at::cat({one.call.k, groups_of(one.call.k, by, taps("keys"))}, 1),
                         values = at::cat({one.call.v, groups_of(one.call.v, by, taps("values"))}, 1);
        at::Tensor hidden = at::zeros({n, keys.size(1)}, at::kBool);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < keys.size(1); ++j)
            hidden[i][j] = !(j < n ? reads_token(i, j, causal) : reads_group(i, j - n, causal));
        const at::Tensor scores = at::matmul(one.call.q, keys.transpose(1, 2)) / std::sqrt(8.0);
        const at::Tensor expected = at::matmul(at::softmax(scores.masked_fill(hidden, kNothing), 2), values);
        EXPECT_LT(max_difference(one.run(), expected), 1e-12) << by << n << causal;
      }
}

// In training the convolution learns from the reconstruction alone: nothing else gives it a gradient, and it gives none
// to anything else.
TEST(Compressive, TheConvolutionLearnsToReconstruct) {
  const int64_t n = 50;
  OneSequence one(compressive("conv"), n, 1);
  one.call.training = true;
  auto leaves = one.leaves();
  for (auto& [name, tensor] : leaves) tensor.requires_grad_(true);
  (one.run() * 0).sum().backward();
  std::map<std::string, at::Tensor> given;
  for (auto& [name, tensor] : leaves) {
    if (tensor.grad().defined()) given[name] = tensor.grad().clone();
    tensor.mutable_grad().reset();
  }
  for (const char* name : {"q", "k", "v"}) EXPECT_EQ(max_difference(given.at(name), 0), 0) << name;

  const at::Tensor q = one.call.q.detach(), k = one.call.k.detach(), v = one.call.v.detach();
  const auto own = [&](const char* name) {
    return one.parameters.at(concat(one.call.prefix, "bigdna.compressive.", name));
  };
  const at::Tensor made_k = groups_of(k, "conv", own("keys")), made_v = groups_of(v, "conv", own("values"));
  at::Tensor loss = at::zeros({}, at::kDouble);
  for (int64_t i = 0; i < n; ++i) {
    std::vector<at::Tensor> old_k, old_v, new_k, new_v;
    for (int64_t group = 0; group < made_k.size(1); ++group) {
      if (!reads_group(i, group, false)) continue;
      new_k.push_back(made_k.select(1, group)), new_v.push_back(made_v.select(1, group));
      for (int64_t j = group * kRate; j < std::min(n, (group + 1) * kRate); ++j)
        old_k.push_back(k.select(1, j)), old_v.push_back(v.select(1, j));
    }
    if (new_k.empty()) continue;
    const auto read = [&](const std::vector<at::Tensor>& keys, const std::vector<at::Tensor>& values) {
      return full_attention(q.narrow(1, i, 1), at::stack(keys, 1), at::stack(values, 1));
    };
    loss = loss + (read(new_k, new_v) - read(old_k, old_v)).square().sum() / static_cast<double>(n * 3 * 8);
  }
  loss.backward();
  for (const char* name : {"keys", "values"}) {
    const std::string full = concat(one.call.prefix, "bigdna.compressive.", name);
    EXPECT_LT(max_difference(given.at(full), leaves.at(full).grad()), 1e-12) << name;
    EXPECT_GT(given.at(full).abs().max().item<double>(), 1e-6) << name;
  }
}

TEST(Compressive, RefusesRatesThatCutBlocks) {
  EXPECT_EQ(test::error_of([] { config_with("compressive:rate=3"); }),
            "attention compressive: rate must be 1, 2, 4, 8, 16, 32 or 64, not 3");
  EXPECT_EQ(test::error_of([] { config_with("compressive:rate=8,memory=6"); }),
            "attention compressive: memory must be at least 7 with rate=8");
}

// Each query's list of nodes: level, number, label.
TEST(Tree, IsASoftmaxOverTheNodesOfEachQuery) {
  constexpr int64_t kNear = 2;
  for (const bool causal : {false, true})
    for (const int64_t n : {1, 2, 5, 33, 70}) {
      OneSequence one("tree:near=2", n, 1, 512, pattern_of(causal));
      const at::Tensor labels = one.parameters.begin()->second;
      at::Tensor expected = at::zeros({3, n, 8}, at::kDouble);
      for (int64_t i = 0; i < n; ++i) {
        std::vector<at::Tensor> keys{one.call.k.select(1, i) + labels.select(1, 0)}, values{one.call.v.select(1, i)};
        std::vector<int> covered(static_cast<size_t>(n));
        covered[static_cast<size_t>(i)] = 1;
        int64_t left = i - 1, right = i + 1;
        for (int64_t level = 0; left >= 0 || right << level < n; ++level) {
          const auto add = [&](int64_t node, int64_t side, int64_t place) {
            const int64_t first = node << level, last = std::min(n, (node + 1) << level);
            if (node < 0 || first >= n) return;
            const auto mean = [&](const at::Tensor& x) { return x.narrow(1, first, last - first).mean(1); };
            const int64_t label = 1 + (2 * std::min<int64_t>(level, 15) + side) * kNear + place;
            keys.push_back(mean(one.call.k) + labels.select(1, label)), values.push_back(mean(one.call.v));
            for (int64_t j = first; j < last; ++j) covered[static_cast<size_t>(j)] = 1;
          };
          for (int64_t place = 0; place < kNear; ++place) {
            add(left - place, 0, place);
            if (!causal) add(right + place, 1, place);
          }
          left = left - kNear < 0 ? -1 : (left - kNear) / 2;
          right = (right + kNear) / 2;
        }
        // no token is left out
        EXPECT_EQ(std::ranges::count(covered, 1), causal ? i + 1 : n) << i << " of " << n;
        const at::Tensor read = full_attention(one.call.q.narrow(1, i, 1), at::stack(keys, 1), at::stack(values, 1));
        expected.select(1, i).copy_(read.squeeze(1));
      }
      EXPECT_LT(max_difference(one.run(), expected), 1e-12) << n << causal;
    }
}

TEST(Sinkhorn, SortsBlocksByANearlyDoublyStochasticMatrix) {
  for (const int64_t n : {1, 5, 24, 70, 128}) {
    OneSequence one("sinkhorn:blocks=6,iterations=200", n, 1);
    const int64_t length = (n + std::min<int64_t>(n, 6) - 1) / std::min<int64_t>(n, 6),
                  blocks = (n + length - 1) / length;
    const at::Tensor sort = one.parameters.begin()->second.narrow(1, 0, blocks);
    at::Tensor expected = at::zeros({3, n, 8}, at::kDouble);
    for (int64_t head = 0; head < 3; ++head) {
      at::Tensor s = at::zeros({blocks, blocks}, at::kDouble);
      for (int64_t b = 0; b < blocks; ++b)
        for (int64_t to = 0; to < blocks; ++to) {
          const int64_t first = b * length, last = std::min(n, first + length);
          s[b][to] = (one.call.states[0].narrow(0, first, last - first).mean(0) * sort[head][to]).sum() / 0.75;
        }
      s = s.exp();
      for (int i = 0; i < 200; ++i) s = s / s.sum(1, true), s = s / s.sum(0, true);
      EXPECT_LT(max_difference(s.sum(1), 1), 1e-6);  // the columns' last turn leaves the rows near 1
      const auto sorted = [&](const at::Tensor& x, int64_t b) {
        at::Tensor block = at::zeros({length, 8}, at::kDouble);
        for (int64_t from = 0; from < blocks; ++from)
          for (int64_t t = 0; t < length && from * length + t < n; ++t)
            block[t] += s[b][from] * x[head][from * length + t];
        return block;
      };
      for (int64_t i = 0; i < n; ++i) {
        const int64_t b = i / length, first = b * length, count = std::min(n, first + length) - first;
        const auto both = [&](const at::Tensor& x) {
          return at::cat({x[head].narrow(0, first, count), sorted(x, b)}).unsqueeze(0);
        };
        const at::Tensor read = full_attention(one.call.q[head][i].view({1, 1, 8}), both(one.call.k), both(one.call.v));
        expected[head][i].copy_(read.view({8}));
      }
    }
    EXPECT_LT(max_difference(one.run(), expected), 1e-9) << n;
  }
}

}  // namespace
}  // namespace bigdna::model
