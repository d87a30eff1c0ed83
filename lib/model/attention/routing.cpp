/// Routing Transformer's attention (Roy et al. 2020): queries and keys are normalised, and each cluster
/// takes the same number of those that are nearest to its centroid; tokens of a cluster attend to one another. A token
/// of several clusters gets their mean, one of none gets 0. Centroids are moving averages of what is nearest to them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "model/attention/attentions.h"
#include "model/attention/side_loss.h"

namespace bigdna::model {
namespace {

/// The `width` tokens with the largest products with each centroid, in the order of the sequence: [heads, clusters *
/// width]. Ties go to the token that comes first.
at::Tensor nearest_tokens(const at::Tensor& products, int64_t width) {
  const at::Tensor order = std::get<1>(products.transpose(1, 2).sort(/*stable=*/true, 2, /*descending=*/true));
  return std::get<0>(order.narrow(2, 0, width).sort(2)).flatten(1);
}

/// What the centroids move towards: the mean of queries and keys that are nearest to each, or itself where there are
/// none. All [heads, clusters, head_size].
at::Tensor targets_of(const at::Tensor& centroids, const std::vector<std::pair<at::Tensor, at::Tensor>>& members) {
  at::Tensor sums = at::zeros_like(centroids), counts = sums.narrow(2, 0, 1).clone();
  for (const auto& [vectors, products] : members) {
    const at::Tensor mine = at::one_hot(products.argmax(2), centroids.size(1)).to(vectors.scalar_type());
    sums += at::bmm(mine.transpose(1, 2), vectors);
    counts += mine.sum(1).unsqueeze(2);
  }
  return at::where(counts.gt(0), sums / counts.clamp_min(1), centroids);
}

}  // namespace

at::Tensor routing_attention(const AttentionCall& call) {
  const int64_t rows = call.q.size(0), n = call.tokens(), size = call.q.size(2), clusters = call.whole("clusters"),
                width = (n + clusters - 1) / clusters;
  const auto normed = [&](const at::Tensor& x) { return at::layer_norm(x, {size}); };
  const at::Tensor q = normed(call.q), k = normed(call.k), centroids = call.for_all(call.own("centroids"));
  const auto products = [&](const at::Tensor& x) { return at::bmm(x.detach(), centroids.detach().transpose(1, 2)); };
  const at::Tensor chosen = call.choose([&] {
    return at::stack({nearest_tokens(products(q), width), nearest_tokens(products(k), width)});
  });
  const auto in_clusters = [&](const at::Tensor& x, int64_t which) {
    const at::Tensor index = chosen[which].unsqueeze(2).expand({-1, -1, size});
    return x.gather(1, index).view({rows, clusters, width, size});
  };
  const at::Tensor out =
      at::scaled_dot_product_attention(in_clusters(q, 0), in_clusters(k, 1), in_clusters(call.v, 1)).flatten(1, 2);
  const at::Tensor index = chosen[0].unsqueeze(2);
  const at::Tensor sums = at::zeros({rows, n, size}, out.options()).scatter_add(1, index.expand_as(out), out),
                   counts = at::zeros({rows, n, 1}, out.options())
                                .scatter_add(1, index, at::ones_like(index).to(out.scalar_type()));
  const at::Tensor mean = sums / counts.clamp_min(1);
  if (!call.training || !centroids.requires_grad()) return mean;
  const at::Tensor unit = centroids.detach();
  const auto directions = [](const at::Tensor& x) { return x.detach() / std::sqrt(static_cast<double>(x.size(2))); };
  const at::Tensor towards = targets_of(unit, {{directions(q), products(q)}, {directions(k), products(k)}});
  // The optimiser subtracts the "gradient" and makes the length 1 (model_folder::Update::average).
  return with_gradient(mean, centroids, (unit - towards) * ((1 - call.setting("decay")) * call.share));
}

}  // namespace bigdna::model
