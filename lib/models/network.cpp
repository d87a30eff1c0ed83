#include "models/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/finite.h"
#include "genome/alphabet.h"
#include "model/network.h"

namespace bigdna::models {
namespace {

/// Long windows waste few bins on margins.
constexpr int64_t kWindow = 64'000;  // bp
/// Of whole sequences in one pass, which bounds the memory.
constexpr int64_t kWholeBases = 1 << 15;  // bp
/// Series of sequences, each of whole bins apart, that may take turns, as those of tiles of a fraction of a bin do.
constexpr size_t kInterleaved = 8;

model::Parameters on_device(const model::Parameters& parameters, const session::Placement& placement) {
  model::Parameters result;
  for (const auto& [name, tensor] : parameters) result[name] = tensor.detach().to(placement.device);
  return result;
}

}  // namespace

Network::Network(const model_folder::NetworkConfig& config, const model::Parameters& parameters,
                 const session::Placement& placement, std::string path)
    : config_(config),
      placement_(placement),
      parameters_(on_device(parameters, placement)),
      margin_(config.margin()),
      path_(std::move(path)) {
  const int64_t trained = config.window / config.bin();
  bins_ = config.layers > 0 ? trained : std::max({trained, kWindow / config.bin(), 4 * margin_});
}

std::vector<float> Network::one_strand(std::string_view bases) const {
  c10::NoGradGuard no_grad;
  return finite(model::mean_logits(config_, parameters_, codes_of(bases), placement_.forward()));
}

at::Tensor Network::codes_of(std::string_view bases) const {
  std::vector<int32_t> codes = model::base_codes(bases);
  return at::from_blob(codes.data(), {1, static_cast<int64_t>(codes.size())}, at::kInt)
      .to(placement_.device, at::kLong);
}

std::vector<float> Network::finite(const at::Tensor& tensor) const {
  const at::Tensor numbers = tensor.to(at::kCPU, at::kFloat).contiguous();
  const auto* values = numbers.const_data_ptr<float>();
  std::vector<float> all(values, values + numbers.numel());
  if (!all_finite(all))
    fail(path_, ": the network's output is not a number: damaged weights, or too large for this precision");
  return all;
}

std::vector<float> Network::logits(std::string_view bases, session::Strands strands) const {
  std::vector<float> all = one_strand(bases);
  if (strands != session::Strands::average) return all;
  const std::vector<float> other = one_strand(genome::reverse_complement(bases));
  const auto labels = static_cast<size_t>(config_.labels), bins = all.size() / labels;
  for (size_t b = 0; b < bins; ++b)
    for (size_t l = 0; l < labels; ++l) {
      const auto there = static_cast<size_t>(config_.other_strand(static_cast<int64_t>(l)));
      float& value = all[b * labels + l];
      value = (value + other[(bins - 1 - b) * labels + there]) / 2;
    }
  return all;
}

std::string around_middle(std::string_view bases, int64_t length) {
  const int64_t size = std::ssize(bases), first = size >= length ? (size - length) / 2 : -((length - size) / 2);
  return genome::padded(bases, first, first + length);
}

std::vector<float> Network::pooled_logits(std::span<const std::string> sequences, session::Strands strands) const {
  c10::NoGradGuard no_grad;
  const auto most = static_cast<size_t>(std::max<int64_t>(1, kWholeBases / context()));
  std::vector<float> all;
  for (size_t first = 0; first < sequences.size(); first += most) {
    const auto part = sequences.subspan(first, std::min(most, sequences.size() - first));
    std::vector<at::Tensor> forward, reverse;
    for (const auto& sequence : part) {
      readings_->add(std::ssize(sequence) > context());
      forward.push_back(codes_of(around_middle(sequence, context())));
      if (strands == session::Strands::average)
        reverse.push_back(codes_of(around_middle(genome::reverse_complement(sequence), context())));
    }
    const auto of = [&](const std::vector<at::Tensor>& rows) {
      return model::mean_logits(config_, parameters_, at::cat(rows), placement_.forward());
    };
    const auto values = finite(reverse.empty() ? of(forward) : (of(forward) + of(reverse)) / 2);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

void Network::report_truncated() const {
  readings_->report(
      concat("longer than the ", context(),
             " bp that the network reads: it used only their middle (k-mers, if the model has them, use all)"));
}

int64_t Network::chunk(const model_folder::NetworkConfig& config) {
  return config.pooled ? std::max(session::kPredictionChunk, kWholeBases / config.context())
                       : 16 * session::kPredictionChunk;
}

std::vector<float> Network::middle_logits(std::span<const std::string> sequences, session::Strands strands) const {
  if (config_.pooled) return pooled_logits(sequences, strands);
  const int64_t most = context() + chunk(config_) * bin();  // bp in one pass, which bounds the memory
  // Attention needs every sequence in the middle of its own window.
  const size_t furthest = config_.layers == 0 ? kInterleaved : 0;
  std::vector<float> all(sequences.size() * static_cast<size_t>(config_.labels));
  std::vector<bool> done(sequences.size(), false);
  for (size_t first = 0; first < sequences.size(); ++first) {
    if (done[first]) continue;
    std::string joined = around_middle(sequences[first], context());
    std::vector<std::pair<size_t, int64_t>> middles{{first, margin_}};  // the sequences of this pass, and their bins
    for (size_t next = first + 1; next < sequences.size() && next <= middles.back().first + furthest; ++next) {
      const int64_t bins = done[next] ? 0 : bins_further(sequences[middles.back().first], sequences[next]);
      if (bins == 0) continue;
      if (std::ssize(joined) + bins * bin() > most) break;
      joined.append(sequences[next], static_cast<size_t>(context() - bins * bin()));
      middles.emplace_back(next, middles.back().second + bins);
      done[next] = true;
    }
    const auto values = logits(joined, strands);
    for (const auto& [place, middle] : middles)
      std::copy_n(values.begin() + middle * config_.labels, config_.labels,
                  all.begin() + static_cast<int64_t>(place) * config_.labels);
  }
  return all;
}

int64_t Network::bins_further(std::string_view before, std::string_view next) const {
  if (std::ssize(before) != context() || std::ssize(next) != context()) return 0;
  for (int64_t bins = 1; bins <= 2 * margin_; ++bins)
    if (before.ends_with(next.substr(0, static_cast<size_t>(context() - bins * bin())))) return bins;
  return 0;
}

}  // namespace bigdna::models
