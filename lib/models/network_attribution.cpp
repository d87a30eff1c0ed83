/// What edits and single bases do to a bin's logits. A changed base alters the states of the bins within stage_reach()
/// of it, so these alone are computed again, from a window in which they lie far enough from both ends, and put among
/// the states of the original sequence.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "base/error.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "models/network.h"

namespace bigdna::models {
namespace {

constexpr int64_t kBases = 4;
constexpr int64_t kTogether = 96;           // sequences of one batch, which bounds the memory
constexpr int64_t kTogetherBases = 32'000;  // likewise, where gradients are taken

/// [first, last] of bins.
struct Bins {
  int64_t first = 0, last = 0;
  bool operator==(const Bins&) const = default;
  int64_t count() const { return last - first + 1; }
};

/// The bins whose states depend on the bases [first, last] of a sequence of so many bins.
Bins reached(int64_t first, int64_t last, const model_folder::NetworkConfig& config, int64_t bins) {
  const int64_t reach = config.stage_reach(), bin = config.bin();
  return {std::max<int64_t>(0, (first - reach) / bin), std::min(bins - 1, (last + reach) / bin)};
}

/// The bins that have to be read so that the states of `wanted` are right.
Bins around(const Bins& wanted, const model_folder::NetworkConfig& config, int64_t bins) {
  const int64_t pad = (config.stage_reach() + config.bin() - 1) / config.bin();
  return {std::max<int64_t>(0, wanted.first - pad), std::min(bins - 1, wanted.last + pad)};
}

/// The bases of these bins.
std::string_view bases_of(std::string_view bases, const Bins& bins, int64_t bin) {
  return bases.substr(static_cast<size_t>(bins.first * bin), static_cast<size_t>(bins.count() * bin));
}

/// The bins whose states an edit alters.
Bins altered(std::string_view original, std::string_view edited, const model_folder::NetworkConfig& config) {
  const auto [first, there] = std::ranges::mismatch(original, edited);
  if (first == original.end()) return {0, 0};
  int64_t last = std::ssize(original) - 1;
  while (original[static_cast<size_t>(last)] == edited[static_cast<size_t>(last)]) --last;
  return reached(first - original.begin(), last, config, std::ssize(original) / config.bin());
}

/// The mean over networks of what logits_of(network) gives.
template <class Logits>
at::Tensor mean_of_networks(int64_t networks, Logits logits_of) {
  at::Tensor sum = logits_of(0);
  for (int64_t network = 1; network < networks; ++network) sum = sum + logits_of(network);
  return sum / static_cast<double>(networks);
}

/// A bin, of logits, and positions as the other strand's sequence has them.
int64_t reversed(int64_t bin, int64_t length, const model_folder::NetworkConfig& config) {
  return config.pooled ? bin : length / config.bin() - 1 - bin;
}
Network::Positions reversed(const Network::Positions& positions, int64_t length,
                            const model_folder::NetworkConfig& config) {
  return {reversed(positions.bin, length, config), length - positions.first - positions.count, positions.count};
}

/// Of values [positions, 4]: the last base and T of one strand are the first base and A of the other.
std::vector<float> mean_with_reverse(std::vector<float> all, const std::vector<float>& other) {
  for (size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + other[all.size() - 1 - i]) / 2;
  return all;
}

}  // namespace

Network::Original Network::original(std::string_view bases, int64_t bin) const {
  c10::NoGradGuard no_grad;
  const auto options = placement_.forward();
  const at::Tensor codes = codes_of(bases);
  Original original{std::string(bases), bin, {}, {}};
  original.logits = finite(mean_of_networks(config_.networks, [&](int64_t network) {
    const at::Tensor states = model::bin_states(config_, parameters_, network, codes, options);
    original.states.push_back(model::tower_states(config_, parameters_, network, states, options));
    return model::logits_of_tower(config_, parameters_, network, original.states.back().back(), options)
        .select(1, bin)[0];
  }));
  return original;
}

std::vector<float> Network::edited_logits(const Original& original, std::span<const std::string> edits) const {
  c10::NoGradGuard no_grad;
  const int64_t bin = config_.bin(), bins = std::ssize(original.bases) / bin;
  const auto options = placement_.forward();
  std::vector<float> all;
  for (size_t first = 0, last = 0; first < edits.size(); first = last) {
    const Bins near = altered(original.bases, edits[first], config_);
    for (last = first + 1; last < std::min(edits.size(), first + static_cast<size_t>(kTogether)) &&
                           altered(original.bases, edits[last], config_) == near;)
      ++last;
    const Bins window = around(near, config_, bins);
    std::vector<at::Tensor> parts;
    for (size_t i = first; i < last; ++i) parts.push_back(codes_of(bases_of(edits[i], window, bin)));
    const at::Tensor codes = at::cat(parts);
    const auto values = finite(mean_of_networks(config_.networks, [&](int64_t network) {
      const at::Tensor local = model::bin_states(config_, parameters_, network, codes, options);
      return model::altered_logits(config_, parameters_, network, original.states[static_cast<size_t>(network)],
                                   local.narrow(1, near.first - window.first, near.count()), near.first, original.bin,
                                   options);
    }));
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<float> Network::substituted_one_strand(std::string_view bases, const Positions& positions) const {
  const Original original = this->original(bases, positions.bin);
  const auto codes = model::base_codes(bases);
  const auto labels = static_cast<size_t>(config_.labels);
  std::vector<float> all;
  for (int64_t begin = positions.first, end = positions.first + positions.count; begin < end;) {
    const int64_t stop = std::min(end, begin + kTogether / kBases);
    const auto logits = edited_logits(original, genome::substitutions(bases, begin, stop));
    auto next = logits.begin();
    for (int64_t at = begin; at < stop; ++at)
      for (int64_t base = 0; base < kBases; ++base) {
        const bool own = base == codes[static_cast<size_t>(at)];
        const auto row = own ? original.logits.begin() : next;
        all.insert(all.end(), row, row + static_cast<int64_t>(labels));
        if (!own) next += static_cast<int64_t>(labels);
      }
    begin = stop;
  }
  return all;
}

std::vector<float> Network::substituted_logits(std::string_view bases, const Positions& positions,
                                               session::Strands strands) const {
  auto all = substituted_one_strand(bases, positions);
  if (strands != session::Strands::average) return all;
  const auto other =
      substituted_one_strand(genome::reverse_complement(bases), reversed(positions, std::ssize(bases), config_));
  const int64_t labels = config_.labels;
  for (int64_t i = 0; i < positions.count; ++i)
    for (int64_t base = 0; base < kBases; ++base)
      for (int64_t label = 0; label < labels; ++label) {
        const int64_t opposite = (positions.count - 1 - i) * kBases + kBases - 1 - base;
        const int64_t there = opposite * labels + config_.other_strand(label);
        float& value = all[static_cast<size_t>((i * kBases + base) * labels + label)];
        value = (value + other[static_cast<size_t>(there)]) / 2;
      }
  return all;
}

std::vector<float> Network::gradients_one_strand(std::string_view bases, const Positions& positions,
                                                 int64_t label) const {
  c10::AutoGradMode with_gradients(true);
  const auto options = placement_.forward();
  at::Tensor letters = model::letters_of(codes_of(bases), at::kFloat).requires_grad_(true);
  for (int64_t network = 0; network < config_.networks; ++network) {
    const at::Tensor states = model::bin_states_of_letters(config_, parameters_, network, letters, options);
    model::logits_of_states(config_, parameters_, network, states, options)
        .select(0, 0)
        .select(0, positions.bin)
        .select(0, label)
        .backward();
  }
  return finite(letters.grad()[0].narrow(0, positions.first, positions.count) / static_cast<double>(config_.networks));
}

std::vector<float> Network::integrated_one_strand(std::string_view bases, const Positions& positions, int64_t label,
                                                  std::span<const std::string> references, int64_t steps) const {
  const Original original = this->original(bases, positions.bin);
  const int64_t bin = config_.bin(), bins = std::ssize(bases) / bin;
  const Bins near = reached(positions.first, positions.first + positions.count - 1, config_, bins),
             window = around(near, config_, bins);
  const int64_t begin = positions.first - window.first * bin;  // of the positions in the window
  const int64_t together = std::clamp<int64_t>(kTogetherBases / (window.count() * bin), 1, steps);
  const auto letters_in_window = [&](std::string_view all) {
    return model::letters_of(codes_of(bases_of(all, window, bin)), at::kFloat);
  };
  c10::AutoGradMode with_gradients(true);
  const auto options = placement_.forward();
  const at::Tensor own = letters_in_window(bases);
  at::Tensor sum = at::zeros({positions.count, kBases}, own.options());
  for (const auto& reference : references) {
    const at::Tensor from = letters_in_window(reference);
    at::Tensor slope = at::zeros_like(sum);
    for (int64_t step = 0; step < steps; step += together) {
      const at::Tensor share =
          (at::arange(step, std::min(steps, step + together), own.options()) + 0.5) / static_cast<double>(steps);
      at::Tensor letters = (from + share.view({-1, 1, 1}) * (own - from)).detach().requires_grad_(true);
      for (int64_t network = 0; network < config_.networks; ++network) {
        const at::Tensor local = model::bin_states_of_letters(config_, parameters_, network, letters, options);
        model::altered_logits(config_, parameters_, network, original.states[static_cast<size_t>(network)],
                              local.narrow(1, near.first - window.first, near.count()), near.first, positions.bin,
                              options)
            .select(1, label)
            .sum()
            .backward();
      }
      slope += letters.grad().sum(0).narrow(0, begin, positions.count);
    }
    sum += slope - (slope * from[0].narrow(0, begin, positions.count)).sum(1, /*keepdim=*/true);
  }
  return finite(sum / static_cast<double>(steps * config_.networks * std::ssize(references)));
}

std::vector<float> Network::integrated_gradients(std::string_view bases, const Positions& positions, int64_t label,
                                                 std::span<const std::string> references, int64_t steps,
                                                 session::Strands strands) const {
  auto all = integrated_one_strand(bases, positions, label, references, steps);
  if (strands != session::Strands::average) return all;
  std::vector<std::string> other_references;
  for (const auto& reference : references) other_references.push_back(genome::reverse_complement(reference));
  return mean_with_reverse(std::move(all), integrated_one_strand(genome::reverse_complement(bases),
                                                                 reversed(positions, std::ssize(bases), config_),
                                                                 config_.other_strand(label), other_references, steps));
}

std::vector<float> Network::gradients(std::string_view bases, const Positions& positions, int64_t label,
                                      session::Strands strands) const {
  auto all = gradients_one_strand(bases, positions, label);
  if (strands != session::Strands::average) return all;
  return mean_with_reverse(std::move(all), gradients_one_strand(genome::reverse_complement(bases),
                                                                reversed(positions, std::ssize(bases), config_),
                                                                config_.other_strand(label)));
}

}  // namespace bigdna::models
