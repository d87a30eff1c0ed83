#include "model/cnn.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/rng.h"
#include "base/streams.h"
#include "model/dropout.h"
#include "model/layers.h"
#include "model_folder/architecture.h"

namespace bigdna::model {
namespace {

const at::Tensor& of_branch(const Parameters& parameters, const char* name) {
  return parameter(parameters, std::string(model_folder::kCnn) + name);
}

}  // namespace

CnnWindow cnn_window(const Batch& batch) {
  constexpr std::string_view kLetters = "ACGT";
  const auto scales = static_cast<int64_t>(model_folder::kPoolScales.size());
  size_t longest = 1;
  for (const auto& bases : batch.bases) longest = std::max(longest, bases.size());
  const auto n = static_cast<int64_t>(longest);
  at::Tensor letters = at::zeros({batch.size(), 4, n}, at::kFloat),
             shares = at::zeros({batch.size(), scales, n}, at::kFloat);
  auto* letter = letters.mutable_data_ptr<float>();
  auto* share = shares.mutable_data_ptr<float>();
  for (size_t b = 0; b < batch.bases.size(); ++b, letter += 4 * n, share += scales * n) {
    const auto& bases = batch.bases[b];
    for (size_t i = 0; i < bases.size(); ++i)
      if (const size_t place = kLetters.find(bases[i]); place != kLetters.npos) letter[place * longest + i] = 1;
    for (int64_t s = 0; s < scales; ++s) {
      const int64_t around = model_folder::kPoolScales[static_cast<size_t>(s)] / 2, site = batch.sites[b];
      const int64_t first = std::max<int64_t>(0, site - around),
                    last = std::min(static_cast<int64_t>(bases.size()), site + around);
      if (first < last) std::fill(share + s * n + first, share + s * n + last, 1 / static_cast<float>(last - first));
    }
  }
  const auto device = batch.ids.device();
  return {letters.to(device), shares.to(device)};
}

at::Tensor cnn_features(const model_folder::ModelConfig& config, const Parameters& parameters,
                        const CnnWindow& window) {
  constexpr int64_t width = model_folder::kFilterWidth;
  const int64_t size = window.letters.size(0), n = window.letters.size(2);
  const at::Tensor& filter = of_branch(parameters, "filter.weight");
  // T is A's complement and G is C's: their order turned round, as that of the bases
  const at::Tensor both = at::cat({filter, filter.flip({1, 2})}).view({2 * config.cnn_filters, 4 * width});
  const at::Tensor around =
      at::constant_pad_nd(window.letters, {width / 2, width / 2}).unfold(2, width, 1);  // [batch, 4, n, width]
  const at::Tensor products = at::matmul(around.permute({0, 2, 1, 3}).reshape({size * n, 4 * width}), both.t())
                                  .view({size, n, 2 * config.cnn_filters});
  const at::Tensor larger = at::maximum(products.narrow(2, 0, config.cnn_filters),
                                        products.narrow(2, config.cnn_filters, config.cnn_filters));
  const at::Tensor found = at::relu(larger + of_branch(parameters, "filter.bias"));
  const at::Tensor means = at::bmm(window.shares, found);  // [batch, scales, filters]
  std::vector<at::Tensor> features;
  for (int64_t s = 0; s < window.shares.size(1); ++s) {
    const at::Tensor inside = window.shares.select(1, s).unsqueeze(2).gt(0).to(at::kFloat);
    features.push_back((found * inside).amax(1));
    features.push_back(means.select(1, s));
  }
  return at::cat(features, 1);
}

at::Tensor cnn_logits(const model_folder::ModelConfig& config, const Parameters& parameters, const CnnWindow& window,
                      const ForwardOptions& options) {
  at::Tensor x =
      (cnn_features(config, parameters, window) - of_branch(parameters, "mean")) * of_branch(parameters, "scale");
  if (options.training) x = dropout(x, kCnnDropoutRate, mix({options.dropout_seed, kBranchDropout}));
  return at::linear(x, of_branch(parameters, "output.weight"));
}

}  // namespace bigdna::model
