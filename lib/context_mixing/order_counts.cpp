#include "context_mixing/order_counts.h"

namespace bigdna::context_mixing {
namespace {

struct Order {
  float added;    // to each count
  uint16_t most;  // counts above this are halved, so that later sequence counts more
};

constexpr Order order_of(int order) { return order < 10 ? Order{1, 60000} : Order{0.125F, 1000}; }

constexpr uint64_t contexts(int order) { return uint64_t{1} << 2 * order; }

}  // namespace

OrderCounts::OrderCounts() {
  for (size_t k = 0; k < kOrders.size(); ++k) tables_[k].resize(contexts(kOrders[k]));
  refresh();
}

void OrderCounts::count(Counts& counts, size_t base, uint16_t most) {
  if (++counts[base] > most)
    for (auto& n : counts) n /= 2;
}

void OrderCounts::add(int base) {
  if (base < 0 || base > 3) {
    known_ = 0;
    return;
  }
  const uint64_t following = last_ << 2 | static_cast<uint64_t>(base);
  uint64_t complement = 0;  // of this base and those before it, backwards
  for (size_t k = 0, length = 0; k < kOrders.size() && known_ >= kOrders[k]; ++k) {
    const int order = kOrders[k];
    for (; static_cast<int>(length) < order; ++length)
      complement = complement << 2 | (3 - (following >> 2 * length & 3));
    const uint16_t most = order_of(order).most;
    auto& table = tables_[k];
    count(table[last_ & (contexts(order) - 1)], static_cast<size_t>(base), most);
    count(table[complement], 3 - (last_ >> 2 * (order - 1) & 3), most);
  }
  last_ = following;
  ++known_;
}

void OrderCounts::refresh() {
  for (size_t k = 0; k < kOrders.size(); ++k) {
    const int order = kOrders[k];
    const float added = order_of(order).added;
    const Counts counts = known_ < order ? Counts{} : tables_[k][last_ & (contexts(order) - 1)];
    seen_[k] = 0;
    for (const auto n : counts) seen_[k] += n;
    const float sum = seen_[k] + 4 * added;
    for (size_t base = 0; base < 4; ++base) next_[k][base] = (static_cast<float>(counts[base]) + added) / sum;
  }
}

}  // namespace bigdna::context_mixing
