/// Random sequences with contributions like a model's, and motifs put into them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "motif/contributions.h"

namespace bigdna::motif {

struct Planted {
  std::vector<BaseContributions> observed, null;
  struct Site {
    size_t of;
    int64_t first, width;
    char strand;
    size_t motif;
  };
  std::vector<Site> sites;
};

inline std::string complement_of(std::string bases) {
  for (auto& base : bases) base = kLetters[3 - kLetters.find(base)];
  return {bases.rbegin(), bases.rend()};
}

inline BaseContributions noise(int64_t sequence, int64_t length, Rng& rng) {
  BaseContributions of{sequence};
  for (int64_t i = 0; i < length; ++i) {
    of.bases += kLetters[rng.below(4)];
    of.values.push_back(static_cast<float>(0.1 * rng.normal()));
  }
  return of;
}

/// `regions` sequences of 300 bp and as many of the null, in which contributions have a standard deviation of 0.1. Each
/// of `motifs` stands in a share of the sequences, on a random strand. Its bases contribute about `strength` each; one
/// in ten is another base and contributes as much less.
inline Planted planted(const std::vector<std::string>& motifs, int64_t regions, double share, double strength,
                       uint64_t seed) {
  Planted all;
  Rng rng(seed);
  for (int64_t r = 0; r < regions; ++r) {
    all.observed.push_back(noise(r, 300, rng));
    all.null.push_back(noise(r, 300, rng));
    auto& of = all.observed.back();
    const int64_t room = 300 / std::max<int64_t>(1, std::ssize(motifs));
    for (size_t m = 0; m < motifs.size(); ++m) {
      if (rng.uniform() >= share) continue;
      std::string bases = motifs[m];
      const int64_t first = static_cast<int64_t>(m) * room + rng.between(5, room - 35);
      const double scale = strength * (0.6 + 0.8 * rng.uniform());
      std::vector<float> values;
      for (char& base : bases) {
        const bool other = rng.below(10) == 0;
        if (other) base = kLetters[(kLetters.find(base) + 1 + rng.below(3)) % 4];
        values.push_back(static_cast<float>((other ? -scale : scale) + 0.1 * rng.normal()));
      }
      const char strand = rng.below(2) ? '+' : '-';
      if (strand == '-') {
        bases = complement_of(bases);
        std::ranges::reverse(values);
      }
      of.bases.replace(static_cast<size_t>(first), bases.size(), bases);
      std::ranges::copy(values, of.values.begin() + first);
      all.sites.push_back({static_cast<size_t>(r), first, std::ssize(bases), strand, m});
    }
  }
  return all;
}

}  // namespace bigdna::motif
