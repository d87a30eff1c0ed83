#include "models/term.h"

namespace bigdna::models {

std::vector<Reading> readings_of(Sequences sequences, bool reversed) {
  std::vector<Reading> readings;
  readings.reserve(sequences.size());
  for (const auto& sequence : sequences) readings.push_back({.bases = &sequence, .reversed = reversed});
  return readings;
}

std::vector<float> Term::mean_of_strands(std::span<Reading> forward, std::span<Reading> reverse) const {
  auto all = logits(forward);
  const auto other = logits(reverse);
  for (size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + other[i]) / 2;
  return all;
}

}  // namespace bigdna::models
