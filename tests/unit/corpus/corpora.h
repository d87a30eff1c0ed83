/// What the corpus tests share: a small vocabulary, genomes made up by a seed, corpora in a folder, and the
/// p-values of the statistical tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "corpus/build.h"
#include "corpus/corpus.h"
#include "support.h"

namespace bigdna::test {

/// Special tokens, the letters, all pairs and triples of A C G T in a fixed order of merges.
inline tokenizer::Vocabulary small_vocabulary() {
  std::vector<tokenizer::Piece> pieces;
  for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({name, 0, true});
  const auto add = [&](std::string text) {
    pieces.push_back({std::move(text), -static_cast<float>(pieces.size()), false});
  };
  const std::string letters = "ACGT";
  for (const char a : letters)
    for (const char b : letters) add({a, b});
  for (const char a : letters)
    for (const char b : letters) add({a, b, 'A'});
  for (const char a : letters + "N") add({a});
  return {std::move(pieces), {}};
}

inline std::string random_bases(int64_t length, uint64_t seed) {
  Rng rng(seed);
  std::string bases(static_cast<size_t>(length), 'N');
  for (char& base : bases) base = "ACGT"[rng.below(4)];
  return bases;
}

inline void write_fasta(const std::string& path, const std::vector<std::pair<std::string, std::string>>& records) {
  std::ofstream out(path);
  for (const auto& [name, bases] : records) {
    out << '>' << name << " of a test\n";
    for (size_t i = 0; i < bases.size(); i += 60) out << bases.substr(i, 60) << '\n';
  }
}

/// Upper regularised incomplete gamma function Q(a, x): P(chi-square with 2a degrees of freedom > 2x). Series
/// below a + 1, continued fraction (Lentz) above.
inline double gamma_q(double a, double x) {
  const double scale = std::exp(-x + a * std::log(x) - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-15; ++n) sum += term *= x / n;
    return 1 - sum * scale;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return h * scale;
}

/// p-value of Pearson's chi-square test of counts against expected shares (that sum to 1).
inline double chi_square_p(const std::vector<int64_t>& counts, const std::vector<double>& shares) {
  double total = 0, statistic = 0;
  for (const auto count : counts) total += static_cast<double>(count);
  for (size_t i = 0; i < counts.size(); ++i)
    statistic += std::pow(static_cast<double>(counts[i]) - total * shares[i], 2) / (total * shares[i]);
  return gamma_q(static_cast<double>(counts.size() - 1) / 2, statistic / 2);
}

/// The same for integers that should be uniform in [low, high], in at most 100 bins.
inline double uniform_p(const std::vector<int64_t>& values, int64_t low, int64_t high) {
  const int64_t width = (high - low + 100) / 100, bins = (high - low) / width + 1;
  std::vector<int64_t> counts(static_cast<size_t>(bins));
  std::vector<double> shares;
  for (int64_t b = 0; b < bins; ++b)
    shares.push_back(static_cast<double>(std::min(high + 1, low + (b + 1) * width) - (low + b * width)) /
                     static_cast<double>(high - low + 1));
  for (const int64_t value : values) {
    if (value < low || value > high) return 0;
    ++counts[static_cast<size_t>((value - low) / width)];
  }
  return chi_square_p(counts, shares);
}

/// Kolmogorov-Smirnov p-value of values that should be uniform in [0, 1) (asymptotic).
inline double kolmogorov_p(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double d = 0;
  for (size_t i = 0; i < values.size(); ++i)
    d = std::max({d, static_cast<double>(i + 1) / n - values[i], values[i] - static_cast<double>(i) / n});
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * d;
  if (lambda < 0.2) return 1;
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 ? 2 : -2) * std::exp(-2 * k * k * lambda * lambda);
  return p;
}

/// The least p-value that passes. Seeds are fixed, and each test would fail by chance for one seed in a thousand.
inline constexpr double kChance = 1e-3;

}  // namespace bigdna::test
