// The code length of DNA by counts of many orders on both strands and by copies, mixed online: what a causal model
// with copies is compared with.
//   g++ -O3 -std=c++20 order_counts.cpp -o order_counts
//   samtools faidx GENOME REGION | order_counts HISTORY [counts|copies]
// The first HISTORY bases are counted and not scored; the others are scored and counted. Copies (the default) add
// counts of orders to 24, and experts that follow the latest place of the last 12, 16, 20 or 24 bases on either strand.
// Prints bases and bits per base.
#include <algorithm>
#include <array>
#include <bit>
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
      : order(k),
        alpha(k < 10   ? 1
              : k < 13 ? 1. / 8
                       : 1. / 32),
        table(size_t{1} << std::min(2 * k, 26)),
        mask(table.size() - 1) {}
  uint64_t slot(uint64_t context) const {
    if (order <= 13) return context & mask;
    return (context & ((uint64_t{1} << 2 * order) - 1)) * 0x9e3779b97f4a7c15 >> 24 & mask;
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

/// Follows the latest place where the last `length` bases stood, on one of the strands, while it is right.
struct Expert {
  int length;
  bool inverted;
  int64_t at = -1;                                     // of the base that it tells
  uint32_t right = 0;                                  // of the last 32 bases, one bit each
  int runs = 0;                                        // bases told since it was found, to 32
  std::array<std::array<double, 2>, 33 * 33> kinds{};  // by right and told: seen, right

  int kind() const { return std::min(runs, 32) * 33 + std::popcount(right); }
  int told(const std::vector<int8_t>& codes) const {
    if (at < 0 || at >= static_cast<int64_t>(codes.size()) || codes[static_cast<size_t>(at)] < 0) return -1;
    return inverted ? 3 - codes[static_cast<size_t>(at)] : codes[static_cast<size_t>(at)];
  }
  double share() const {
    const auto& [seen, was_right] = kinds[static_cast<size_t>(kind())];
    return (was_right + 3) / (seen + 6);
  }
  void learn(int base, const std::vector<int8_t>& codes) {
    const int guess = told(codes);
    if (guess < 0) {
      at = -1;
      return;
    }
    auto& [seen, was_right] = kinds[static_cast<size_t>(kind())];
    seen += 1, was_right += guess == base;
    right = right << 1 | static_cast<uint32_t>(guess == base);
    ++runs;
    at += inverted ? -1 : 1;
    if (runs >= 16 && std::popcount(right & 0xffffu) < 8) at = -1;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto history = std::strtoull(argv[1], nullptr, 10);
  const bool copies = argc < 3 || std::string(argv[2]) == "copies";
  const int largest = copies ? 24 : 12;
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
  std::vector<Expert> experts;
  std::vector<std::vector<int32_t>> latest;  // of each length: behind the last bases
  constexpr std::array kLengths{12, 16, 20, 24};
  if (copies)
    for (const int length : kLengths) {
      latest.emplace_back(size_t{1} << 26, -1);
      for (const bool inverted : {false, true}) experts.push_back({length, inverted});
    }
  const auto slot_of = [](uint64_t context, int length) {
    return ((context & ((uint64_t{1} << 2 * length) - 1)) * 0x9e3779b97f4a7c15 >> 38) & ((size_t{1} << 26) - 1);
  };
  const auto complement_of = [](uint64_t context, int length) {
    uint64_t other = 0;
    for (int j = 0; j < length; ++j) other = other << 2 | (3 - (context >> 2 * j & 3));
    return other;
  };
  const size_t n = orders.size(), inputs = n + experts.size();
  // Logarithms of the probabilities are mixed with weights that depend on the two last bases and on the longest known
  // context.
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
      for (size_t e = 0; e < experts.size(); ++e) {
        const int guess = experts[e].told(codes);
        const double share = experts[e].share();
        for (int b = 0; b < 4; ++b)
          x[4 * (n + e) + static_cast<size_t>(b)] = guess < 0 ? 0 : std::log(b == guess ? share : (1 - share) / 3);
      }
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
    const uint64_t following = ahead << 2 | static_cast<uint64_t>(base);
    for (auto& of : orders)
      if (known >= of.order) {
        of.add(ahead, base);
        // The other strand: behind the complement of this base and of the `order - 1` before it stands the complement
        // of the one before them.
        of.add(complement_of(following, of.order), static_cast<int>(3 - (ahead >> 2 * (of.order - 1) & 3)));
      }
    ahead = following;
    ++known;
    const auto next = static_cast<int64_t>(i) + 1;
    for (auto& expert : experts) {
      expert.learn(base, codes);
      if (i + 1 < history || known < expert.length || expert.at >= 0) continue;
      const auto which = static_cast<size_t>(std::ranges::find(kLengths, expert.length) - kLengths.begin());
      const uint64_t looked = expert.inverted ? complement_of(ahead, expert.length) : ahead;
      const int64_t end = latest[which][slot_of(looked, expert.length)];
      if (end < 0) continue;
      const int64_t at = expert.inverted ? end - expert.length - 1 : end;
      bool same = true;
      for (int j = 0; j < expert.length && same; ++j) {
        const auto there = codes[static_cast<size_t>(expert.inverted ? end - expert.length + j : end - 1 - j)];
        same = codes[static_cast<size_t>(next - 1 - j)] == (expert.inverted ? 3 - there : there);
      }
      if (same) expert.at = at, expert.right = 0xffffffff, expert.runs = 0;
    }
    for (size_t which = 0; which < latest.size(); ++which)
      if (known >= kLengths[which]) latest[which][slot_of(ahead, kLengths[which])] = static_cast<int32_t>(next);
  }
  std::printf("%llu\t%.4f\n", static_cast<unsigned long long>(scored), bits / static_cast<double>(scored));
}
