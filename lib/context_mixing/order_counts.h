/// Counts of the bases that follow the last k bases, on both strands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bigdna::context_mixing {

class OrderCounts {
 public:
  static constexpr std::array kOrders{2, 4, 8, 10, 11, 12};
  using Bases = std::array<float, 4>;  // probabilities of A, C, G and T
  OrderCounts();
  /// The next base by each order; a quarter each while fewer bases than the order are known.
  const std::array<Bases, kOrders.size()>& next() const { return next_; }
  /// How often each order's last bases were seen before.
  const std::array<float, kOrders.size()>& seen() const { return seen_; }
  /// Counts the next base, 0 to 3, and its complement behind the reverse complement of what comes before it. Others
  /// are unknown, and nothing is counted across them. next() and seen() are out of date until refresh().
  void add(int base);
  void refresh();

 private:
  using Counts = std::array<uint16_t, 4>;
  static void count(Counts& counts, size_t base, uint16_t most);

  std::array<std::vector<Counts>, kOrders.size()> tables_;
  uint64_t last_ = 0;  // the last 32 bases
  int known_ = 0;
  std::array<Bases, kOrders.size()> next_;
  std::array<float, kOrders.size()> seen_{};
};

}  // namespace bigdna::context_mixing
