// The code length of DNA by counts of many orders, on both strands, mixed online: what a causal model with copies is compared with.
//   g++ -O3 -std=c++20 order_counts.cpp -o order_counts
//   samtools faidx GENOME REGION | order_counts HISTORY [LARGEST_ORDER]
// The first HISTORY bases are counted and not scored; the others are scored and counted. With a largest order of 12 there are counts alone;
// those of 16, 20 and 24 (the default) are copies. Prints bases and bits per base.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

using Counts = std::array<uint16_t, 4>;

/// Counts of the bases behind `order` bases; hashed where there are too many contexts, without checks.
struct Order {
  int order;
  double alpha;  // added to each count
  std::vector<Counts> table;
  uint64_t mask;

  explicit Order(int k)
      : order(k), alpha(k < 10 ? 1 : k < 13 ? 1. / 8 : 1. / 32), table(size_t{1} << std::min(2 * k, 26)), mask(table.size() - 1) {}
  uint64_t slot(uint64_t context) const {
    return order <= 13 ? context & mask : (context & ((uint64_t{1} << 2 * order) - 1)) * 0x9e3779b97f4a7c15 >> 24 & mask;
  }
  void add(uint64_t context, int base) {
    Counts& counts = table[slot(context)];
    const uint16_t most = order < 10 ? 60000 : order < 13 ? 1000 : 60;
    if (++counts[base] > most)
      for (auto& n : counts) n /= 2;
    if (order > 13)  // high orders forget what does not recur
      for (int other = 0; other < 4; ++other)
        if (other != base) counts[other] -= counts[other] / 4 + (counts[other] > 0);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto history = std::strtoull(argv[1], nullptr, 10);
  const int largest = argc > 2 ? std::atoi(argv[2]) : 24;
  std::string bases, line;
  while (std::getline(std::cin, line))
    if (line.empty() || line[0] != '>') bases += line;
  std::vector<int8_t> codes(bases.size());
  for (size_t i = 0; i < bases.size(); ++i) {
    const auto at = std::string("ACGTacgt").find(bases[i]);
    codes[i] = at == std::string::npos ? int8_t{-1} : static_cast<int8_t>(at % 4);
  }
  std::vector<Order> orders;
  for (const int k : {1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 22, 24})
    if (k <= largest) orders.emplace_back(k);
  const size_t n = orders.size(), inputs = n + 1;
  // Logarithms of the probabilities are mixed with weights that depend on the two last bases and on the longest known context.
  std::vector<double> weights(16 * 26 * inputs, 0.3), x(inputs * 4);
  uint64_t ahead = 0, scored = 0;  // the last 32 bases
  int known = 0;
  double bits = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const int base = codes[i];
    if (base < 0) {
      known = 0;
      continue;
    }
    if (i >= history) {
      ++scored;
      size_t longest = 0;
      for (size_t k = 0; k < n; ++k) {
        double total = 4 * orders[k].alpha;
        Counts counts{};
        if (known >= orders[k].order) counts = orders[k].table[orders[k].slot(ahead)];
        for (const auto count : counts) total += count;
        if (total > 4 * orders[k].alpha) longest = static_cast<size_t>(orders[k].order);
        for (size_t b = 0; b < 4; ++b) x[4 * k + b] = std::log((counts[b] + orders[k].alpha) / total);
      }
      for (size_t b = 0; b < 4; ++b) x[4 * n + b] = 0;
      double* w = &weights[((ahead & 15) * 26 + longest) * inputs];
      std::array<double, 4> p{};
      double sum = 0, largest_logit = -1e9;
      for (size_t b = 0; b < 4; ++b) {
        for (size_t k = 0; k < inputs; ++k) p[b] += w[k] * x[4 * k + b];
        largest_logit = std::max(largest_logit, p[b]);
      }
      for (auto& value : p) sum += value = std::exp(value - largest_logit);
      for (auto& value : p) value /= sum;
      bits -= std::log2(p[static_cast<size_t>(base)]);
      for (size_t k = 0; k < inputs; ++k) {
        double gradient = x[4 * k + static_cast<size_t>(base)];
        for (size_t b = 0; b < 4; ++b) gradient -= p[b] * x[4 * k + b];
        w[k] += 0.002 * gradient;
      }
    }
    for (auto& of : orders) {
      if (known >= of.order) {
        of.add(ahead, base);
        // The other strand: behind the complement of this base and of the `order - 1` before it stands that of the one before.
        const uint64_t context = (ahead << 2 | static_cast<uint64_t>(base));
        uint64_t other = 0;
        for (int j = 0; j < of.order; ++j) other = other << 2 | (3 - (context >> 2 * j & 3));
        of.add(other, static_cast<int>(3 - (ahead >> 2 * (of.order - 1) & 3)));
      }
    }
    ahead = ahead << 2 | static_cast<uint64_t>(base);
    ++known;
  }
  std::printf("%llu\t%.4f\n", static_cast<unsigned long long>(scored), bits / static_cast<double>(scored));
}
