/// What single bases do to a bin's logits. A change of one base alters the states of the bins within stage_reach() of
/// it, so these alone are computed again, from a window in which they lie far enough from both ends, and put among the
/// states of the unchanged sequence.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "genome/alphabet.h"
#include "model/profile.h"
#include "session/profile_model.h"

namespace bigdna::session {
namespace {

constexpr int64_t kBases = 4;
constexpr int64_t kTogether = 32;  // positions that are changed in one batch, which bounds the memory

/// [first, last] of the bins whose states a change at these positions alters.
struct Bins {
  int64_t first = 0, last = 0;
  bool operator==(const Bins&) const = default;
  int64_t count() const { return last - first + 1; }
};

Bins altered(int64_t position, int64_t reach, int64_t bin, int64_t bins) {
  return {std::max<int64_t>(0, (position - reach) / bin), std::min(bins - 1, (position + reach) / bin)};
}

/// The position read on the other strand.
ProfileModel::Positions reversed(const ProfileModel::Positions& positions, int64_t length, int64_t bin) {
  return {length / bin - 1 - positions.bin, length - positions.first - positions.count, positions.count};
}

}  // namespace

std::vector<float> ProfileModel::substituted_one_strand(std::string_view bases, const Positions& positions) const {
  c10::NoGradGuard no_grad;
  const int64_t bin = config_.bin(), reach = config_.stage_reach(), length = std::ssize(bases);
  const int64_t bins = length / bin, pad = (reach + bin - 1) / bin;
  const auto options = placement_.forward();
  const at::Tensor codes = codes_of(bases);
  const auto plain = model::base_codes(bases);
  at::Tensor all =
      at::zeros({positions.count, kBases, config_.labels}, at::device(placement_.device).dtype(at::kFloat));
  const auto sum_of = [&](int64_t position, int64_t base) {  // over networks, of [labels]
    return all.select(0, position - positions.first).select(0, base);
  };
  for (int64_t network = 0; network < config_.networks; ++network) {
    const at::Tensor states = model::bin_states(config_, parameters_, network, codes, options);
    const at::Tensor unchanged =
        model::logits_of_states(config_, parameters_, network, states, options).select(1, positions.bin);
    for (int64_t first = positions.first, end = positions.first + positions.count; first < end;) {
      const Bins near = altered(first, reach, bin, bins);
      int64_t last = first + 1;
      while (last < std::min(end, first + kTogether) && altered(last, reach, bin, bins) == near) ++last;
      const Bins window{std::max<int64_t>(0, near.first - pad), std::min(bins - 1, near.last + pad)};

      std::vector<std::pair<int64_t, int64_t>> changes;  // position, base
      for (int64_t at = first; at < last; ++at)
        for (int64_t base = 0; base < kBases; ++base) {
          if (base != plain[static_cast<size_t>(at)])
            changes.emplace_back(at, base);
          else
            sum_of(at, base).add_(unchanged[0]);
        }
      at::Tensor changed = codes.narrow(1, window.first * bin, window.count() * bin).repeat({std::ssize(changes), 1});
      for (int64_t i = 0; i < std::ssize(changes); ++i) {
        const auto [at, base] = changes[static_cast<size_t>(i)];
        changed.select(0, i).select(0, at - window.first * bin).fill_(base);
      }
      const at::Tensor local = model::bin_states(config_, parameters_, network, changed, options);
      at::Tensor mutants = states.repeat({std::ssize(changes), 1, 1});
      mutants.narrow(1, near.first, near.count()).copy_(local.narrow(1, near.first - window.first, near.count()));
      const at::Tensor logits =
          model::logits_of_states(config_, parameters_, network, mutants, options).select(1, positions.bin);
      for (int64_t i = 0; i < std::ssize(changes); ++i) {
        const auto [at, base] = changes[static_cast<size_t>(i)];
        sum_of(at, base).add_(logits[i]);
      }
      first = last;
    }
  }
  return finite(all / static_cast<double>(config_.networks));
}

std::vector<float> ProfileModel::substituted_logits(std::string_view bases, const Positions& positions,
                                                    Strands strands) const {
  auto all = substituted_one_strand(bases, positions);
  if (strands != Strands::average) return all;
  const auto other = substituted_one_strand(genome::reverse_complement(bases),
                                            reversed(positions, std::ssize(bases), config_.bin()));
  const int64_t labels = config_.labels;
  for (int64_t i = 0; i < positions.count; ++i)
    for (int64_t base = 0; base < kBases; ++base)
      for (int64_t label = 0; label < labels; ++label) {
        const int64_t there = ((positions.count - 1 - i) * kBases + kBases - 1 - base) * labels + other_strand(label);
        float& value = all[static_cast<size_t>((i * kBases + base) * labels + label)];
        value = (value + other[static_cast<size_t>(there)]) / 2;
      }
  return all;
}

std::vector<float> ProfileModel::gradients_one_strand(std::string_view bases, const Positions& positions,
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
  return finite(letters.grad()[0].narrow(0, positions.first, positions.count) /
                static_cast<double>(config_.networks));
}

std::vector<float> ProfileModel::gradients(std::string_view bases, const Positions& positions, int64_t label,
                                           Strands strands) const {
  auto all = gradients_one_strand(bases, positions, label);
  if (strands != Strands::average) return all;
  const auto other = gradients_one_strand(genome::reverse_complement(bases),
                                          reversed(positions, std::ssize(bases), config_.bin()), other_strand(label));
  // The last base and T of one strand are the first base and A of the other.
  for (size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + other[all.size() - 1 - i]) / 2;
  return all;
}

}  // namespace bigdna::session
