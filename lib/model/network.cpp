/// Activations are [batch, positions, columns] throughout: convolutions compute them without copies, and everything
/// between convolutions works row by row.
#include "model/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "base/streams.h"
#include "genome/alphabet.h"
#include "model/architecture.h"
#include "model/convolution.h"
#include "model/dropout.h"
#include "model/layers.h"
#include "model/parallel.h"
#include "model/pooling.h"
#include "model/seed_pooling.h"
#include "model_folder/architecture.h"

namespace bigdna::model {
namespace {

constexpr double kEpsilon = 1e-5;

/// After each residual convolution, the bins that a change of the bins `altered` before the first alters and that `bin`
/// after the last depends on; `bin` itself after the last.
std::vector<std::vector<int64_t>> cone_of(const std::vector<int64_t>& dilations, const std::vector<int64_t>& altered,
                                          int64_t bin, int64_t bins) {
  const auto spread = [&](const std::set<int64_t>& from, int64_t dilation) {
    std::set<int64_t> to = from;
    for (const int64_t at : from)
      for (const int64_t next : {at - dilation, at + dilation})
        if (next >= 0 && next < bins) to.insert(next);
    return to;
  };
  std::vector<std::set<int64_t>> wanted(dilations.size());
  wanted.back() = {bin};
  for (size_t i = dilations.size() - 1; i > 0; --i) wanted[i - 1] = spread(wanted[i], dilations[i]);
  std::vector<std::vector<int64_t>> cone(dilations.size());
  std::set<int64_t> reached(altered.begin(), altered.end());
  for (size_t i = 0; i < dilations.size(); ++i) {
    reached = spread(reached, dilations[i]);
    std::ranges::set_intersection(reached, wanted[i], std::back_inserter(cone[i]));
  }
  cone.back() = {bin};
  return cone;
}

/// One pass through one network.
class NetworkPass {
 public:
  NetworkPass(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
              const ForwardOptions& options)
      : config_(config),
        parameters_(parameters),
        options_(options),
        index_(index),
        prefix_(model_folder::network_prefix(index)) {}

  /// See model::standardise().
  void standardise(const at::Tensor& codes) const {
    at::Tensor x = stem(padded(codes));
    for (size_t i = 0; i < config_.stages.size(); ++i) {
      const std::string name = concat("stages.", i, ".norm");
      x = pooled(i, x);
      const at::Tensor rows = x.to(at::kDouble).reshape({-1, x.size(2)}), mean = rows.mean(0);
      const at::Tensor scale = ((rows - mean).square().mean(0) + kEpsilon).rsqrt();
      own(name + ".weight").detach().copy_(scale);
      own(name + ".bias").detach().copy_(-mean * scale);
      x = scaled(i, x);
    }
  }

  at::Tensor states(const at::Tensor& codes) const { return staged(padded(codes)); }
  /// See model::filter_outputs() and model::bin_states_without().
  at::Tensor filter_outputs(const at::Tensor& codes) const { return stem(letters_of(codes, options_.compute)); }
  at::Tensor states_without(const at::Tensor& codes, std::span<const float> levels) const {
    at::Tensor x = pooled(0, stem(padded(codes))).repeat({std::ssize(levels), 1, 1});
    for (int64_t filter = 0; filter < std::ssize(levels); ++filter)
      x.select(0, filter).select(1, filter).fill_(levels[static_cast<size_t>(filter)]);
    return further_stages(scaled(0, x));
  }
  at::Tensor states_of_letters(const at::Tensor& letters) const {
    return staged(at::constant_pad_nd(letters.to(options_.compute), {0, 0, around(), around()}));
  }
  at::Tensor logits(at::Tensor x) const {
    for (size_t i = 0; i < config_.dilations.size(); ++i) x = x + residual(i, x);
    return head(x);
  }
  /// See model::tower_states().
  std::vector<at::Tensor> tower(const at::Tensor& x) const {
    std::vector<at::Tensor> all{x};
    for (size_t i = 0; i < config_.dilations.size(); ++i) all.push_back(all.back() + residual(i, all.back()));
    return all;
  }
  /// See model::altered_logits().
  at::Tensor altered(const std::vector<at::Tensor>& original, at::Tensor x, int64_t first, int64_t bin) const {
    const int64_t batch = x.size(0), bins = original.front().size(1);
    const auto expanded = [&](const at::Tensor& rows) { return rows.expand({batch, rows.size(1), rows.size(2)}); };
    if (config_.layers > 0 || config_.dilations.empty() || config_.pooled) {  // which read all bins
      const int64_t last = first + x.size(1);
      x = at::cat(
          {expanded(original.front().narrow(1, 0, first)), x, expanded(original.front().narrow(1, last, bins - last))},
          1);
      return logits(x).select(1, bin);
    }
    std::vector<int64_t> altered(static_cast<size_t>(x.size(1)));
    std::iota(altered.begin(), altered.end(), first);
    const auto cone = cone_of(config_.dilations, altered, bin, bins);
    for (size_t i = 0; i < config_.dilations.size(); ++i) {
      x = partly_altered(i, x, altered, cone[i], original[i]);
      altered = cone[i];
    }
    return head(x).select(1, 0);
  }
  at::Tensor head(at::Tensor x) const {
    if (config_.layers > 0) x = attended(x);
    x = normed("norm", x);
    if (config_.pooled) {
      x = pooled_bins(x).unsqueeze(1);
      if (options_.training)
        x = dropout(x, config_.dropout,
                    mix({options_.dropout_seed, static_cast<uint64_t>(index_), kNetworkHeadDropout}));
    }
    return at::linear(x, cast("head.weight"), cast("head.bias")).to(at::kFloat);
  }

 private:
  const at::Tensor& own(const std::string& name) const { return parameter(parameters_, prefix_ + name); }
  at::Tensor cast(const std::string& name) const { return own(name).to(options_.compute); }

  /// What the head of a pooled network reads of its bins.
  at::Tensor pooled_bins(const at::Tensor& x) const {
    if (config_.seeds == 0) return at::cat({x.amax(1), x.mean(1)}, 1);
    return pool_by_seeds(x, config_.heads, [this](const std::string& name) { return cast("pool." + name); });
  }

  at::Tensor normed(const std::string& name, const at::Tensor& x) const {
    return norm_gelu(x, own(name + ".weight"), own(name + ".bias"), kEpsilon);
  }

  /// Positions that the first filters read on either side.
  int64_t around() const { return config_.stages.front().width / 2; }
  /// One-hot bases, with unknown ones beyond the ends.
  at::Tensor padded(const at::Tensor& codes) const {
    return letters_of(at::constant_pad_nd(codes, {around(), around()}, kUnknownBase), options_.compute);
  }
  at::Tensor staged(const at::Tensor& letters) const { return further_stages(scaled(0, pooled(0, stem(letters)))); }
  at::Tensor further_stages(at::Tensor x) const {
    for (size_t i = 1; i < config_.stages.size(); ++i) x = scaled(i, pooled(i, x));
    return x;
  }

  /// Stage i before its scale; stage 0's convolution is the stem.
  at::Tensor pooled(size_t i, const at::Tensor& x) const {
    return max_pool(i > 0 ? convolved(concat("stages.", i), x, 1) : x, config_.stages[i].pool);
  }
  at::Tensor scaled(size_t i, const at::Tensor& x) const {
    const std::string name = concat("stages.", i, ".norm");
    return scale_gelu(x, own(name + ".weight"), own(name + ".bias"));
  }

  /// The first convolution, as a product: a row of its input is the bases under the filter, one-hot.
  at::Tensor stem(const at::Tensor& letters) const {
    const auto& stage = config_.stages.front();
    const int64_t size = letters.size(0), width = stage.width, length = letters.size(1) - (width - 1);
    const at::Tensor windows =
        letters.contiguous().as_strided({size, length, width * 4}, {(length + width - 1) * 4, 4, 1}).contiguous();
    const at::Tensor weight = cast("stages.0.weight").transpose(1, 2).reshape({stage.filters, width * 4});
    return at::linear(windows, weight, cast("stages.0.bias"));
  }

  at::Tensor convolved(const std::string& name, const at::Tensor& x, int64_t dilation) const {
    return convolution(x, cast(name + ".weight"), cast(name + ".bias"), dilation);
  }

  at::Tensor residual(size_t index, const at::Tensor& x) const {
    const std::string name = tower_name(index);
    const at::Tensor inner = convolved(name + "dilated", normed(name + "norm", x), config_.dilations[index]);
    const at::Tensor out = tower_output(name, inner);
    if (!options_.training) return out;
    return dropout(out, config_.dropout, mix({options_.dropout_seed, static_cast<uint64_t>(index_), index}));
  }

  static std::string tower_name(size_t index) { return concat("tower.", index, "."); }
  at::Tensor tower_output(const std::string& name, const at::Tensor& inner) const {
    return at::linear(at::gelu(inner, "tanh"), cast(name + "output.weight"), cast(name + "output.bias"));
  }

  /// The bins `wanted` after residual convolution `index`, where `x` has the bins `altered` before it, and the others
  /// are those of `original`.
  at::Tensor partly_altered(size_t index, const at::Tensor& x, const std::vector<int64_t>& altered,
                            const std::vector<int64_t>& wanted, const at::Tensor& original) const {
    const std::string name = tower_name(index);
    const int64_t bins = original.size(1), batch = x.size(0), width = x.size(2);
    // The rows that the convolution reads: those of x, the original's, and one of zeros for what lies beyond the ends.
    const auto row_of = [&](int64_t bin) {
      if (bin < 0 || bin >= bins) return x.size(1) + bins;
      const auto found = std::ranges::lower_bound(altered, bin);
      return found != altered.end() && *found == bin ? found - altered.begin() : x.size(1) + bin;
    };
    std::vector<int64_t> own, taps;
    const at::Tensor weight = cast(name + "dilated.weight");  // [outputs, inputs, taps]
    const int64_t half = weight.size(2) / 2;
    for (const int64_t bin : wanted) {
      own.push_back(row_of(bin));
      for (int64_t tap = -half; tap <= half; ++tap) taps.push_back(row_of(bin + tap * config_.dilations[index]));
    }
    const auto rows = [&](const at::Tensor& first, const at::Tensor& rest, const std::vector<int64_t>& chosen) {
      const at::Tensor all =
          at::cat({first, rest.expand({batch, bins, width}), at::zeros({batch, 1, width}, x.options())}, 1);
      return all.index_select(1, at::tensor(chosen, at::kLong).to(x.device()));
    };
    const auto norm = [&](const at::Tensor& of) { return normed(name + "norm", of); };
    const at::Tensor read =
        rows(norm(x), norm(original), taps).reshape({batch, std::ssize(wanted), (2 * half + 1) * width});
    const at::Tensor inner = at::linear(read, weight.transpose(1, 2).flatten(1), cast(name + "dilated.bias"));
    return rows(x, original, own) + tower_output(name, inner);
  }

  /// Layers of architecture `modern` over bins.
  at::Tensor attended(at::Tensor x) const {
    const auto attention = config_.attention();
    Batch batch;
    const int64_t bins = x.size(1), block = attention.pattern.block;
    const int64_t padded = (bins + block - 1) / block * block;
    batch.ids = at::empty({x.size(0), padded}, x.options().dtype(at::kLong));
    batch.lengths.assign(static_cast<size_t>(x.size(0)), bins);
    Parameters layers;
    for (auto at = parameters_.lower_bound(prefix_ + "model."); at != parameters_.end(); ++at) {
      if (!at->first.starts_with(prefix_ + "model.")) break;
      layers[at->first.substr(prefix_.size())] = at->second;
    }
    ForwardOptions options = options_;
    options.dropout_seed = mix({options_.dropout_seed, static_cast<uint64_t>(index_), kNetworkLayersDropout});
    const auto pass = functions_of(attention).pass(attention, layers, batch, options, nullptr);
    x = at::constant_pad_nd(x, {0, 0, 0, padded - bins});
    for (int64_t layer = 0; layer < config_.layers; ++layer) x = pass->layer(x, layer);
    return x.narrow(1, 0, bins);
  }

  const model_folder::NetworkConfig& config_;
  const Parameters& parameters_;
  const ForwardOptions& options_;
  const int64_t index_;
  const std::string prefix_;
};

}  // namespace

std::vector<int32_t> base_codes(std::string_view bases) {
  std::vector<int32_t> codes(bases.size());
  std::ranges::transform(bases, codes.begin(), [](char base) {
    const int code = genome::base_code(base);
    return code < 0 ? static_cast<int32_t>(kUnknownBase) : code;
  });
  return codes;
}

namespace {
void check_length(const model_folder::NetworkConfig& config, int64_t length) {
  if (length % config.bin() != 0) fail("a sequence of ", length, " bp is not whole bins of ", config.bin());
}
}  // namespace

at::Tensor letters_of(const at::Tensor& codes, at::ScalarType type) {
  at::Tensor table = at::zeros({kUnknownBase + 1, 4}, codes.options().dtype(type));
  table.narrow(0, 0, 4).copy_(at::eye(4, table.options()));
  return at::embedding(table, codes).contiguous();
}

at::Tensor bin_states(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                      const at::Tensor& codes, const ForwardOptions& options) {
  check_length(config, codes.size(1));
  return NetworkPass(config, parameters, index, options).states(codes);
}

at::Tensor bin_states_of_letters(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                                 const at::Tensor& letters, const ForwardOptions& options) {
  check_length(config, letters.size(1));
  return NetworkPass(config, parameters, index, options).states_of_letters(letters);
}

at::Tensor logits_of_states(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                            const at::Tensor& states, const ForwardOptions& options) {
  return NetworkPass(config, parameters, index, options).logits(states);
}

at::Tensor filter_outputs(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                          const at::Tensor& codes, const ForwardOptions& options) {
  return NetworkPass(config, parameters, index, options).filter_outputs(codes);
}

at::Tensor bin_states_without(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                              const at::Tensor& codes, std::span<const float> levels, const ForwardOptions& options) {
  check_length(config, codes.size(1));
  return NetworkPass(config, parameters, index, options).states_without(codes, levels);
}

std::vector<at::Tensor> tower_states(const model_folder::NetworkConfig& config, const Parameters& parameters,
                                     int64_t index, const at::Tensor& states, const ForwardOptions& options) {
  return NetworkPass(config, parameters, index, options).tower(states);
}

at::Tensor logits_of_tower(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                           const at::Tensor& states, const ForwardOptions& options) {
  return NetworkPass(config, parameters, index, options).head(states);
}

at::Tensor altered_logits(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                          const std::vector<at::Tensor>& original, const at::Tensor& states, int64_t first, int64_t bin,
                          const ForwardOptions& options) {
  return NetworkPass(config, parameters, index, options).altered(original, states, first, bin);
}

at::Tensor network_logits(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                          const at::Tensor& codes, const ForwardOptions& options) {
  check_length(config, codes.size(1));
  const NetworkPass network(config, parameters, index, options);
  return network.logits(network.states(codes));
}

at::Tensor mean_logits(const model_folder::NetworkConfig& config, const Parameters& parameters, const at::Tensor& codes,
                       const ForwardOptions& options) {
  at::Tensor sum = network_logits(config, parameters, 0, codes, options);
  for (int64_t index = 1; index < config.networks; ++index)
    sum = sum + network_logits(config, parameters, index, codes, options);
  return config.networks > 1 ? sum / static_cast<double>(config.networks) : sum;
}

void standardise(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                 const at::Tensor& codes) {
  c10::NoGradGuard no_grad;
  const OneThreadPerOperation same_sums;  // for any number of threads
  NetworkPass(config, parameters, index, {}).standardise(codes);
}

}  // namespace bigdna::model
