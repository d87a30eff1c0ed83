#include "context_mixing/log_mixer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bigdna::context_mixing {
namespace {

/// The rate of learning, by how many steps a context has seen: from 0.0012 down to 0.0002.
float rate_of(float seen) {
  constexpr float kRate = 0.0002F, kMore = 0.001F, kHalf = 3000;
  return kRate + kMore / (1 + seen / kHalf);
}

}  // namespace

LogMixer::LogMixer(std::span<const size_t> sets, const Inputs& first) {
  Inputs share = first;
  for (float& weight : share) weight /= static_cast<float>(sets.size());
  for (const size_t contexts : sets) sets_.emplace_back(contexts, Context{share});
}

const LogMixer::Probabilities& LogMixer::mix(const std::array<Inputs, kSteps>& inputs,
                                             const std::array<bool, kSteps>& allowed,
                                             std::span<const size_t> contexts) {
  inputs_ = inputs;
  used_.clear();
  Inputs weights{};
  for (size_t set = 0; set < sets_.size(); ++set) {
    auto& of_context = sets_[set][contexts[set]];
    used_.push_back(&of_context);
    for (size_t i = 0; i < kMost; ++i) weights[i] += of_context.weights[i];
  }
  float largest = -std::numeric_limits<float>::infinity(), total = 0;
  for (size_t step = 0; step < kSteps; ++step) {
    float sum = 0;
    for (size_t i = 0; i < kMost; ++i) sum += weights[i] * inputs[step][i];
    mixed_[step] = sum;
    if (allowed[step]) largest = std::max(largest, sum);
  }
  for (size_t step = 0; step < kSteps; ++step)
    total += mixed_[step] = allowed[step] ? std::exp(mixed_[step] - largest) : 0;
  for (float& p : mixed_) p /= total;
  return mixed_;
}

void LogMixer::learn(size_t step) {
  Inputs move = inputs_[step];
  for (size_t other = 0; other < kSteps; ++other)
    for (size_t i = 0; i < kMost; ++i) move[i] -= mixed_[other] * inputs_[other][i];
  for (auto* context : used_) {
    const float rate = rate_of(context->seen++);
    for (size_t i = 0; i < kMost; ++i) context->weights[i] += rate * move[i];
  }
}

}  // namespace bigdna::context_mixing
