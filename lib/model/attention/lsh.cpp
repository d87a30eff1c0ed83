/// Reformer's attention (Kitaev et al. 2020; survey 000): keys are queries of length 1, and a token attends to those
/// that fall into its bucket. Tokens are sorted by bucket and cut into chunks, and a chunk attends to itself and to the
/// chunks beside it (the survey's decoder: to itself and the previous one). The sets of several rounds of hashing are
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
  at::Tensor rotations = at::empty({x.size(0), x.size(2), buckets / 2}, at::kFloat);
  auto* out = rotations.mutable_data_ptr<float>();
  for (int64_t i = 0; i < x.size(0); ++i) {
    Rng rng(mix({call.config.pattern.seed, static_cast<uint64_t>(call.layer), static_cast<uint64_t>(call.head(i))}),
            mix({static_cast<uint64_t>(round), part}));
    for (int64_t j = 0; j < x.size(2) * (buckets / 2); ++j) *out++ = static_cast<float>(rng.normal());
  }
  const at::Tensor turned = at::bmm(x, rotations.to(x.options()));
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

/// x [heads, n, ...] at tokens [heads, chunks, m]; -1 gives some entry.
at::Tensor at_tokens(const at::Tensor& x, const at::Tensor& tokens) {
  const int64_t heads = x.size(0), n = x.size(1);
  const at::Tensor rows = (tokens.clamp_min(0) + at::arange(heads, tokens.options()).view({-1, 1, 1}) * n).flatten();
  auto shape = tokens.sizes().vec();
  if (x.dim() == 3) shape.push_back(x.size(2));
  return x.reshape({heads * n, -1}).index_select(0, rows).view(shape);
}

struct Round {
  at::Tensor out, weight;  // [heads, n, head_size], and the logarithm of the sum of its weights [heads, n, 1]
};

/// How often the tokens of each chunk meet those around it: in how many rounds they have one bucket and neighbouring
/// chunks. `buckets` and `chunks` are [rounds, heads, n].
at::Tensor meetings(const at::Tensor& buckets, const at::Tensor& chunks, const at::Tensor& tokens,
                    const at::Tensor& beside) {
  at::Tensor times;
  for (int64_t r = 0; r < buckets.size(0); ++r) {
    const auto difference = [&](const at::Tensor& of) {
      return at_tokens(of[r], tokens).unsqueeze(3) - at_tokens(of[r], beside).unsqueeze(2);
    };
    const at::Tensor met = difference(buckets).eq(0).logical_and_(difference(chunks).abs_().le(1));
    times = r == 0 ? met.to(at::kByte) : times.add_(met);
  }
  return times;
}

/// `rank`: the place of each token in the order of `tokens`, [heads, n].
Round attend_round(const AttentionCall& call, const at::Tensor& keys, const at::Tensor& buckets,
                   const at::Tensor& chunks, const at::Tensor& tokens, const at::Tensor& rank, int64_t round) {
  const at::Tensor beside = around(tokens, -1);
  const auto of = [](const at::Tensor& x, const at::Tensor& where) { return at_tokens(x, where); };
  at::Tensor scores = at::matmul(of(call.q, tokens), of(keys, beside).transpose(2, 3));
  scores = at::where(tokens.unsqueeze(3).eq(beside.unsqueeze(2)), at::full({}, kItself, scores.options()), scores);
  const at::Tensor times = meetings(buckets, chunks, tokens, beside).clamp_min_(1).to(scores.scalar_type());
  const at::Tensor strangers = of(buckets[round], tokens).unsqueeze(3).ne(of(buckets[round], beside).unsqueeze(2));
  const at::Tensor hidden = strangers.logical_or_(beside.lt(0).unsqueeze(2))
                                .logical_and_(tokens.ge(0).unsqueeze(3));  // rows of no token: finite, and dropped
  scores = (scores - times.log_()).masked_fill(hidden, -std::numeric_limits<double>::infinity());
  const at::Tensor weight = at::logsumexp(scores, {3}, true);
  const at::Tensor out = at::matmul(at::exp(scores - weight), of(call.v, beside));
  const at::Tensor place = rank.unsqueeze(1);
  return {at_tokens(out.flatten(1, 2), place).squeeze(1), at_tokens(weight.flatten(1, 2), place).squeeze(1)};
}

}  // namespace

at::Tensor lsh_attention(const AttentionCall& call) {
  const int64_t n = call.tokens(), chunk = std::min(n, call.whole("chunk"));
  const at::Tensor keys = call.q / at::linalg_vector_norm(call.q, 2, at::IntArrayRef{2}, true).clamp_min(1e-6);
  const at::Tensor buckets = call.choose([&] { return buckets_of(call, keys.detach()); });
  std::vector<at::Tensor> sorted, ranks;
  for (int64_t round = 0; round < buckets.size(0); ++round) {
    sorted.push_back(sorted_tokens(buckets[round], chunk));
    const at::Tensor places = ascending(sorted.back().flatten(1));  // those of no token first, as -1 is the least
    ranks.push_back(places.narrow(1, places.size(1) - n, n));
  }
  const at::Tensor chunks = at::stack(ranks).div(chunk, "floor").to(at::kInt), bucket = buckets.to(at::kInt);
  std::vector<at::Tensor> outs, weights;
  for (size_t round = 0; round < sorted.size(); ++round) {
    const Round one =
        attend_round(call, keys, bucket, chunks, sorted[round], ranks[round], static_cast<int64_t>(round));
    outs.push_back(one.out), weights.push_back(one.weight);
  }
  if (outs.size() == 1) return outs[0];
  const at::Tensor weight = at::stack(weights);
  return (at::stack(outs) * at::softmax(weight, 0)).sum(0);
}

}  // namespace bigdna::model
