#include "models/network_term.h"

#include <algorithm>

namespace bigdna::models {

namespace {
std::vector<std::string> bases_of(std::span<const Reading> readings) {
  std::vector<std::string> all;
  for (const auto& reading : readings) all.push_back(*reading.bases);
  return all;
}
}  // namespace

std::vector<float> NetworkTerm::logits(std::span<Reading> readings) const {
  using session::Strands;
  const auto outputs = static_cast<size_t>(network_->config().labels);
  std::vector<float> all(readings.size() * outputs);
  const auto set = [&](size_t i, const float* logits) {
    for (size_t f = 0; f < outputs; ++f)
      all[i * outputs + f] =
          logits[readings[i].reversed ? network_->config().other_strand(static_cast<int64_t>(f)) : f];
  };
  if (std::ranges::all_of(readings, [](const auto& reading) { return reading.original < 0; })) {
    const auto logits = network_->middle_logits(bases_of(readings), Strands::forward);
    for (size_t i = 0; i < readings.size(); ++i) set(i, logits.data() + i * outputs);
    return all;
  }
  const auto read_alone = [&](size_t i) {
    set(i, network_->middle_logits({readings[i].bases, 1}, Strands::forward).data());
  };
  std::vector<std::vector<size_t>> edits_of(readings.size());
  for (size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].original < 0) continue;
    const auto original = static_cast<size_t>(readings[i].original);
    if (std::ssize(*readings[i].bases) == network_->context() &&
        readings[original].bases->size() == readings[i].bases->size())
      edits_of[original].push_back(i);
    else
      read_alone(i);
  }
  for (size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].original >= 0) continue;
    if (edits_of[i].empty()) {
      read_alone(i);
      continue;
    }
    const auto original = network_->original(*readings[i].bases, network_->middle_bin());
    std::vector<std::string> edits;
    for (const size_t edit : edits_of[i]) edits.push_back(*readings[edit].bases);
    const auto logits = network_->edited_logits(original, edits);
    set(i, original.logits.data());
    for (size_t k = 0; k < edits.size(); ++k) set(edits_of[i][k], logits.data() + k * outputs);
  }
  return all;
}

std::vector<float> NetworkTerm::mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const {
  if (std::ranges::any_of(forward, [](const auto& reading) { return reading.original >= 0; }))
    return Term::mean_of_strands(forward, reverse);
  return network_->middle_logits(bases_of(forward), session::Strands::average);  // neighbours in one pass
}

}  // namespace bigdna::models
