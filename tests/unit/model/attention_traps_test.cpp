/// What can go wrong in single attentions: each test fails for an implementation that falls into the trap it names.
#include <ATen/core/TensorAccessor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>

#include "attentions_support.h"
#include "model/encoder.h"
#include "model_folder/architecture.h"
#include "support.h"

namespace bigdna::model {
namespace {

/// Root of the mean squared error of performer's estimate of softmax attention, over layers with features of their own.
double error_of(const std::string& kernel, int64_t features, const std::string& directions = "gram-schmidt") {
  double sum = 0;
  constexpr int kLayers = 8;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    OneSequence one(
        "performer:features=" + std::to_string(features) + ",kernel=" + kernel + ",directions=" + directions, 40,
        layer);
    one.call.q.mul_(0.35), one.call.k.mul_(0.35);
    sum += (one.run() - dense_oracle(one)).square().mean().item<double>() / kLayers;
  }
  return std::sqrt(sum);
}

// Features from LAPACK's QR are not evenly distributed unless its signs are corrected: the error of exp then falls as
// M^-0.38 only.
TEST(Performer, ErrorsOfExpAndCosFallAsOneOverTheRootOfTheFeatures) {
  for (const std::string kernel : {"exp", "cos"}) {
    const double slope = std::log2(error_of(kernel, 2048) / error_of(kernel, 32)) / 6;
    EXPECT_GT(slope, -0.6) << kernel;
    EXPECT_LT(slope, -0.42) << kernel;
  }
}

// Choromanski et al. 2020: orthogonal directions, however they are drawn, have lower errors than independent ones.
TEST(Performer, OrthogonalDirectionsAreBetterThanIndependentOnes) {
  const double independent = error_of("cos", 32, "independent");
  for (const char* directions : {"gram-schmidt", "hadamard", "givens"})
    EXPECT_LT(error_of("cos", 32, directions), 0.95 * independent) << directions;
}

TEST(Performer, HadamardAndGivensRowsAreOrthogonalAndEvenlySpread) {
  for (const std::string directions : {"hadamard", "givens", "independent"}) {
    OneSequence one("performer:features=4000,directions=" + directions, 4, 1);
    const at::Tensor rows = orthogonal_features(one.call, 4000), blocks = rows.unflatten(1, {500, 8});
    const at::Tensor products = at::matmul(blocks, blocks.transpose(2, 3));
    const double off = max_difference(products - products.diagonal(0, 2, 3).diag_embed(), 0);
    EXPECT_EQ(off < 1e-12, directions != "independent") << directions << off;
    EXPECT_NEAR(rows.square().sum(2).mean().item<double>(), 8, 0.3) << directions;
    EXPECT_LT(max_difference(rows.mean(1), 0), 0.1) << directions;
    EXPECT_LT(max_difference(rows.square().mean(1), 1), 0.2) << directions;
  }
  auto config = config_with("performer");
  config.hidden = 12, config.attention = model_folder::attention_from("performer:directions=hadamard", 2);
  EXPECT_EQ(test::error_of([&] { model_folder::check_attention(config); }),
            "attention performer: directions=hadamard needs heads of 2, 4, 8 ... numbers, not 6");
}

TEST(Performer, RowsOfABlockAreOrthogonalAndHaveTheLengthsOfNormalVectors) {
  OneSequence one("performer:features=1000", 4, 1);
  const at::Tensor rows = orthogonal_features(one.call, 1000);  // [3, 1000, 8]
  const at::Tensor block = rows.narrow(1, 8, 8), products = at::matmul(block, block.transpose(1, 2));
  EXPECT_LT(max_difference(products - products.diagonal(0, 1, 2).diag_embed(), 0), 1e-12);
  EXPECT_NEAR(rows.square().sum(2).mean().item<double>(), 8, 0.3);
  EXPECT_NEAR(rows.mean().item<double>(), 0, 0.02);
  EXPECT_GT(max_difference(rows[0], rows[1]), 0.1);  // each head has its own
  OneSequence other("performer:features=1000", 4, 2);
  EXPECT_GT(max_difference(rows, orthogonal_features(other.call, 1000)), 0.1);  // and each layer
  EXPECT_EQ(max_difference(rows, orthogonal_features(one.call, 1000)), 0);
}

TEST(Performer, LargeQueriesAndKeysGiveFiniteNumbers) {
  for (const std::string kernel : {"relu", "exp", "cos"}) {
    OneSequence one("performer:features=32,kernel=" + kernel, 50, 1);
    one.call.q = (one.call.q * 100).to(at::kFloat), one.call.k = (one.call.k * 100).to(at::kFloat);
    one.call.v = one.call.v.to(at::kFloat);
    EXPECT_TRUE(one.run().isfinite().all().item<bool>()) << kernel;
  }
}

/// Which pairs meet in each round, [rounds, heads, n, n]; `reach` chunks apart at most, from `first` on.
at::Tensor met(const at::Tensor& buckets, int64_t chunk, int64_t first, int64_t last) {
  const int64_t n = buckets.size(2);
  const at::Tensor place =
      (buckets * n + at::arange(n)).argsort(true, -1, false).argsort(true, -1, false).div(chunk, "floor");
  const at::Tensor step = place.unsqueeze(2) - place.unsqueeze(3);  // of the key's chunk from the query's
  return buckets.unsqueeze(2).eq(buckets.unsqueeze(3)).logical_and(step.ge(first)).logical_and(step.le(last));
}

at::Tensor attend_to(const OneSequence& one, const at::Tensor& times, bool count) {
  const int64_t n = one.call.tokens();
  const at::Tensor& q = one.call.q;
  at::Tensor scores = at::matmul(q, (q / q.norm(2, at::IntArrayRef{2}, true)).transpose(1, 2));
  scores = scores.masked_fill(at::eye(n, at::kBool), -1e5)
               .masked_fill(times.eq(0), -std::numeric_limits<double>::infinity());
  if (count) scores = scores + times.clamp_min(1).to(at::kDouble).log();
  return at::matmul(at::softmax(scores, 2), one.call.v);
}

TEST(Lsh, RoundsAreAUnionAndChunksReachToBothSides) {
  OneSequence one("lsh:chunk=8,rounds=3", 100, 1);
  Choices choices;
  one.call.choices = &choices;
  const at::Tensor out = one.run();
  const at::Tensor buckets = choices.made.at(0);
  const at::Tensor both = met(buckets, 8, -1, 1), times = both.sum(0);
  EXPECT_LT(max_difference(out, attend_to(one, times, false)), 1e-12);
  EXPECT_GT(times.max().item<int64_t>(), 1);
  EXPECT_GT(max_difference(out, attend_to(one, times, true)), 0.05);  // a pair counted in each of its rounds
  EXPECT_GT(max_difference(out, attend_to(one, met(buckets, 8, -1, 0).sum(0), false)), 0.05);  // own and previous chunk
}

TEST(Lsh, ATokenAttendsToItselfOnlyWhereItIsAlone) {
  OneSequence one("lsh:chunk=4", 1, 1);
  EXPECT_LT(max_difference(one.run(), one.call.v), 1e-12);
  OneSequence two("lsh:chunk=4", 2, 1);
  EXPECT_LT(max_difference(two.run(), two.call.v.flip(1)), 1e-12);
}

TEST(Lsh, BucketsDependOnTheDirectionAlone) {
  OneSequence one("lsh:chunk=8,rounds=2", 100, 1), longer("lsh:chunk=8,rounds=2", 100, 1);
  Choices choices[2];
  one.call.choices = &choices[0], longer.call.choices = &choices[1];
  longer.call.q = longer.call.q * 7;
  one.run(), longer.run();
  EXPECT_TRUE(choices[0].made[0].equal(choices[1].made[0]));
  EXPECT_GT(choices[0].made[0].max().item<int64_t>(), 10);  // 26 buckets
}

TEST(Routing, TokensOfNoClusterGetNothingAndThoseOfSeveralTheirMean) {
  OneSequence one("routing:clusters=3", 30, 1);
  Choices choices;
  one.call.choices = &choices;
  const at::Tensor out = one.run(), queries = choices.made[0][0];  // [heads, clusters * width]
  int none = 0, several = 0;
  for (int64_t head = 0; head < 3; ++head)
    for (int64_t i = 0; i < 30; ++i) {
      const auto times = queries[head].eq(i).sum().item<int64_t>();
      none += times == 0, several += times > 1;
      EXPECT_EQ(max_difference(out[head][i], 0) == 0, times == 0);
    }
  EXPECT_GT(none, 0);
  EXPECT_GT(several, 0);
}

// What the layer hands to the optimiser is the moving average itself: mu - g = decay mu + (1 - decay) mean.
TEST(Routing, CentroidsMoveTowardsTheMeanOfWhatIsNearest) {
  OneSequence one("routing:clusters=4,decay=0.9", 30, 1);
  at::Tensor centroids;
  for (auto& [name, value] : one.parameters) centroids = value.requires_grad_(true);
  one.call.training = true;
  one.call.share = 0.25;  // one of four examples
  one.run().sum().backward();
  const auto unit = [](const at::Tensor& x) {
    const at::Tensor centred = x - x.mean(-1, true);
    return centred / (centred.square().mean(-1, true) + 1e-5).sqrt() / std::sqrt(8.0);
  };
  for (int64_t head = 0; head < 3; ++head) {
    at::Tensor sums = at::zeros({4, 8}, at::kDouble);
    std::vector<int> counts(4);
    for (const at::Tensor& x : {one.call.q, one.call.k})
      for (int64_t i = 0; i < 30; ++i) {
        const at::Tensor vector = unit(x[head][i]);
        const auto nearest = at::matmul(centroids[head].detach(), vector).argmax().item<int64_t>();
        sums[nearest] += vector;
        ++counts[static_cast<size_t>(nearest)];
      }
    for (int64_t c = 0; c < 4; ++c) {
      const int count = counts[static_cast<size_t>(c)];
      const at::Tensor mean = count ? sums[c] / count : centroids[head][c].detach();
      const at::Tensor expected = (centroids[head][c].detach() - mean) * 0.1 * 0.25;
      EXPECT_LT(max_difference(centroids.grad()[head][c], expected), 1e-9) << head << " " << c;
    }
  }
}

TEST(Span, TheCostOfSpansIsAddedToTheLoss) {
  for (const bool training : {false, true}) {
    OneSequence one("span:limit=50,cost=0.5", 30, 1);
    at::Tensor span;
    for (auto& [name, value] : one.parameters)
      span = value.fill_(1).requires_grad_(true);  // past the ramp: no gradient
    one.call.training = training;
    one.call.share = 0.25;
    one.run().sum().backward();
    // cost * share / heads * limit
    EXPECT_LT(max_difference(span.grad(), training ? 0.5 * 0.25 / 3 * 50 : 0), 1e-9);
  }
}

TEST(Span, KeysBeyondSpanAndRampChangeNothing) {
  OneSequence one("span:limit=100,ramp=5", 200, 1);
  for (auto& [name, value] : one.parameters) value.fill_(0.1);  // 10 tokens
  const at::Tensor before = one.run();
  one.call.v.select(1, 100).add_(1);
  const at::Tensor changed = (one.run() - before).abs().amax({0, 2}).gt(1e-12);
  for (int64_t i = 0; i < 200; ++i) EXPECT_EQ(changed[i].item<bool>(), std::abs(i - 100) < 15) << i;
}

// In rows, a whole row sees one of its tokens; in columns, every width-th token does.
TEST(Axial, TwoLayersConnectAllTokens) {
  for (const int64_t layer : {1, 2}) {
    OneSequence one("axial:width=7", 31, layer);
    const at::Tensor before = one.run();
    one.call.v.select(1, 16).add_(1);
    const at::Tensor changed = (one.run() - before).abs().amax({0, 2}).gt(1e-12);
    for (int64_t i = 0; i < 31; ++i)
      EXPECT_EQ(changed[i].item<bool>(), layer == 1 ? i / 7 == 16 / 7 : i % 7 == 16 % 7) << layer << " " << i;
  }
}

// Beltagy et al. 2020, section 3.1: the global projections begin with the values of the others. Where positions are
// not in the projections (bigbird), nothing changes thereby.
TEST(Longformer, ItsProjectionsBeginAsCopies) {
  for (const auto architecture : {model_folder::Architecture::bigbird, model_folder::Architecture::modern}) {
    auto config = config_with("longformer", architecture);
    config.pattern.name = "global-window";  // random blocks would differ by a head's number
    auto plain = config;
    plain.attention = {};
    const auto parameters = initialise(config, 5), without = initialise(plain, 5);
    const auto& row = model_folder::architecture(config);
    for (const char* which : {"query", "key", "value"})
      for (int64_t layer = 1; layer < config.layers; ++layer) {
        const auto rows = row.projection(config, layer, which);
        const at::Tensor own = parameters.at(concat(row.layer, layer, ".bigdna.longformer.", which));
        const at::Tensor copied = parameters.at(rows.name).narrow(0, rows.first + config.head_size(), own.size(0));
        EXPECT_TRUE(own.equal(copied)) << which << layer;  // of the second of two heads
        EXPECT_FALSE(own.is_alias_of(copied));
      }
    const Batch batch = make_batch({random_example(60, 1)}, 4, 0, at::kCPU);
    if (architecture == model_folder::Architecture::bigbird) {
      EXPECT_LT(max_difference(encode(config, parameters, batch, {}), encode(plain, without, batch, {})), 2e-6);
    }
  }
}

}  // namespace
}  // namespace bigdna::model
