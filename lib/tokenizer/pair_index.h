/// A hash table from pairs of tokens to numbers. Entries are never erased, except by clearing the table.
#pragma once

#include <cstdint>
#include <vector>

namespace bigdna::tokenizer {

class PairIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  PairIndex() { clear(0); }
  void clear(size_t expected) {
    size_t size = 1024;
    while (size < expected * 2) size *= 2;
    slots_.assign(size, {kEmpty, kNone});
    used_ = 0;
  }
  uint32_t find(uint32_t left, uint32_t right) const {
    const uint64_t key = key_of(left, right);
    for (size_t i = home(key);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].key == key) return slots_[i].value;
      if (slots_[i].key == kEmpty) return kNone;
    }
  }
  /// The pair must not be in it yet.
  void add(uint32_t left, uint32_t right, uint32_t value) {
    if (++used_ * 2 > slots_.size()) {
      std::vector<Slot> old(slots_.size() * 2, {kEmpty, kNone});
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.key != kEmpty) put(slot);
    }
    put({key_of(left, right), value});
  }

 private:
  struct Slot {
    uint64_t key;
    uint32_t value;
  };
  static constexpr uint64_t kEmpty = UINT64_MAX;
  static uint64_t key_of(uint32_t left, uint32_t right) { return uint64_t{left} << 32 | right; }
  size_t home(uint64_t key) const { return (key * 0x9E3779B97F4A7C15) >> 24 & (slots_.size() - 1); }
  void put(const Slot& slot) {
    size_t i = home(slot.key);
    while (slots_[i].key != kEmpty) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace bigdna::tokenizer
