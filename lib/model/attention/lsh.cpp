/// Reformer's attention (Kitaev et al. 2020): keys are queries of length 1, and a token attends to those
/// that fall into its bucket. Tokens are sorted by bucket and cut into chunks, and a chunk attends to itself and to the
/// chunks beside it (Reformer's decoder: to itself and the previous one). The sets of several rounds of hashing are
/// joined: a pair that meets in N rounds has the weight exp(s) / N in each of them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "model/attention/attentions.h"
#include "model_folder/attention.h"
#include "model_folder/config.h"

namespace bigdna::model {
namespace {

constexpr double kItself = -1e5;  // the logit of a token with itself, which so has weight only where it is alone

/// h(x) = argmax([x R; -x R]) of one round, int64 [heads, n].
at::Tensor hashed(const AttentionCall& call, const at::Tensor& x, int64_t round, uint64_t part, int64_t buckets) {
  at::Tensor rotations = at::empty({call.heads(), x.size(2), buckets / 2}, at::kFloat);
  auto* out = rotations.mutable_data_ptr<float>();
  for (int64_t i = 0; i < call.heads(); ++i) {
    Rng rng(mix({call.config.pattern.seed, static_cast<uint64_t>(call.layer), static_cast<uint64_t>(call.head(i))}),
            mix({static_cast<uint64_t>(round), part}));
    for (int64_t j = 0; j < x.size(2) * (buckets / 2); ++j) *out++ = static_cast<float>(rng.normal());
  }
  const at::Tensor turned = at::bmm(x, call.for_all(rotations.to(x.options())));
  return at::argmax(at::cat({turned, -turned}, 2), 2);
}

/// The buckets of every round, int64 [rounds, heads, n]. As in the released code, many buckets are pairs of two hashes
/// with about the square root as many each, so that hashing does not cost more than attention.
at::Tensor buckets_of(const AttentionCall& call, const at::Tensor& keys) {
  const int64_t n = call.tokens(), chunk = call.whole("chunk"), rounds = call.whole("rounds");
  const auto buckets = model_folder::lsh_buckets(call.whole("buckets"), n, chunk);
  std::vector<at::Tensor> all;
  for (int64_t round = 0; round < rounds; ++round) {
    at::Tensor hash = at::zeros({keys.size(0), n}, keys.options().dtype(at::kLong));
    if (buckets.first > 1) hash = hashed(call, keys, round, 0, buckets.first);
    if (buckets.second > 1) hash = hash * buckets.second + hashed(call, keys, round, 1, buckets.second);
    all.push_back(hash);
  }
  return at::stack(all);
}

/// What puts each row in order.
at::Tensor ascending(const at::Tensor& rows) { return rows.argsort(/*stable=*/true, 1, /*descending=*/false); }

/// Tokens in the order of (bucket, position), in whole chunks; -1 stands for no token. [heads, chunks, chunk].
at::Tensor sorted_tokens(const at::Tensor& buckets, int64_t chunk) {
  const int64_t n = buckets.size(1);
  const at::Tensor order = ascending(buckets * n + at::arange(n, buckets.options()));
  return at::constant_pad_nd(order, {0, (chunk - n % chunk) % chunk}, -1).view({buckets.size(0), -1, chunk});
}

/// Each chunk's own entries with those of the chunks before and after it: [heads, chunks, chunk, ...] ->
/// [heads, chunks, 3 chunk, ...].
at::Tensor around(const at::Tensor& x, double outside) {
  const int64_t chunks = x.size(1);
  std::vector<int64_t> padding(static_cast<size_t>(2 * (x.dim() - 2)), 0);
  padding.insert(padding.end(), {1, 1});
  const at::Tensor padded = at::constant_pad_nd(x, padding, outside);
  return at::cat({padded.narrow(1, 0, chunks), x, padded.narrow(1, 2, chunks)}, 2);
}

/// x [heads, n] or [heads, n, columns] at tokens [heads, chunks, m]; -1 gives some entry.
at::Tensor at_tokens(const at::Tensor& x, const at::Tensor& tokens) {
  const int64_t heads = x.size(0), n = x.size(1);
  const at::Tensor rows = (tokens.clamp_min(0) + at::arange(heads, tokens.options()).view({-1, 1, 1}) * n).flatten();
  auto shape = tokens.sizes().vec();
  if (x.dim() == 3) shape.push_back(x.size(2));
  return x.reshape({heads * n, -1}).index_select(0, rows).view(shape);
}

/// A number of each token in a round, int64 [heads, n]: two tokens meet, because they have one bucket and neighbouring
/// chunks, if their numbers differ by at most 1.
at::Tensor codes_of(const at::Tensor& buckets, const at::Tensor& rank, int64_t chunk) {
  const int64_t apart = rank.size(1) / chunk + 3;  // more than any two chunks are
  return buckets * apart + rank.div(chunk, "floor");
}

struct Round {
  at::Tensor out, weight;  // [heads, n, head_size], and the logarithm of the sum of its weights [heads, n, 1]
};

/// One round's part: `tokens` [heads, chunks, chunk] in its order, `rank` [heads, n] the place of each in it. `codes`
/// [rounds, heads, n] tell in how many rounds a pair meets.
Round attend_round(const AttentionCall& call, const at::Tensor& keys, const at::Tensor& codes, const at::Tensor& tokens,
                   const at::Tensor& rank, int64_t round) {
  const int64_t chunk = tokens.size(2);
  const auto met_in = [&](int64_t r) {
    const at::Tensor mine = at_tokens(codes[r], tokens);
    return (mine.unsqueeze(3) - around(mine, -2).unsqueeze(2)).abs_().le(1);
  };
  const at::Tensor now = met_in(round);
  at::Tensor times = now.to(at::kByte);
  for (int64_t r = 0; r < codes.size(0); ++r)
    if (r != round) times.add_(met_in(r));
  const at::Tensor hidden = now.logical_not()
                                .logical_or_(around(tokens, -1).lt(0).unsqueeze(2))
                                .logical_and_(tokens.ge(0).unsqueeze(3));  // rows of no token: finite, and dropped
  const at::Tensor places = at::arange(chunk, tokens.options());
  const at::Tensor itself = (places + chunk).unsqueeze(1).eq(at::arange(3 * chunk, tokens.options()));
  at::Tensor scores = at::matmul(at_tokens(call.q, tokens), around(at_tokens(keys, tokens), 0).transpose(2, 3));
  scores = at::where(itself, at::full({}, kItself, scores.options()), scores);
  scores = (scores - times.clamp_min_(1).to(scores.scalar_type()).log_())
               .masked_fill(hidden, -std::numeric_limits<double>::infinity());
  const at::Tensor weight = at::logsumexp(scores, {3}, true);
  const at::Tensor out = at::matmul(at::exp(scores - weight), around(at_tokens(call.v, tokens), 0));
  const at::Tensor place = rank.unsqueeze(1);
  return {at_tokens(out.flatten(1, 2), place).squeeze(1), at_tokens(weight.flatten(1, 2), place).squeeze(1)};
}

}  // namespace

at::Tensor lsh_attention(const AttentionCall& call) {
  const int64_t n = call.tokens(), chunk = std::min(n, call.whole("chunk"));
  const at::Tensor keys = call.q / at::linalg_vector_norm(call.q, 2, at::IntArrayRef{2}, true).clamp_min(1e-6);
  const at::Tensor buckets = call.choose([&] { return buckets_of(call, keys.detach()); });
  std::vector<at::Tensor> sorted, ranks, codes;
  for (int64_t round = 0; round < buckets.size(0); ++round) {
    sorted.push_back(sorted_tokens(buckets[round], chunk));
    const at::Tensor places = ascending(sorted.back().flatten(1));  // those of no token first, as -1 is the least
    ranks.push_back(places.narrow(1, places.size(1) - n, n));
    codes.push_back(codes_of(buckets[round], ranks.back(), chunk));
  }
  const at::Tensor all = at::stack(codes);
  std::vector<at::Tensor> outs, weights;
  for (size_t round = 0; round < sorted.size(); ++round) {
    const Round one = attend_round(call, keys, all, sorted[round], ranks[round], static_cast<int64_t>(round));
    outs.push_back(one.out), weights.push_back(one.weight);
  }
  // Rounds lie last: along another dimension what a softmax gives depends, in its last bit, on how many rows there are.
  const at::Tensor shares = at::softmax(at::cat(weights, 2), 2);
  at::Tensor sum = outs[0] * shares.narrow(2, 0, 1);
  for (size_t round = 1; round < outs.size(); ++round)
    sum = sum + outs[round] * shares.narrow(2, static_cast<int64_t>(round), 1);
  return sum;
}

}  // namespace bigdna::model
