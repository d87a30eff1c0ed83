#include "context_mixing/copy_index.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"
#include "genome/alphabet.h"

namespace bigdna::context_mixing {
namespace {

constexpr size_t kFewestSlots = size_t{1} << 12, kMostSlots = size_t{1} << 26;

}  // namespace

// Invariant: the tables hold a place `end` for each end <= inserted_ whose last bases are known, the latest of those
// with one slot. Codes are not kept: agreement() says how many bases are really the same.

int64_t CopyIndex::code(int64_t end, int length, bool complement) const {
  if (end < length) return -1;
  int64_t code = 0;
  for (int64_t i = 0; i < length; ++i) {
    const char base = bases_[static_cast<size_t>(complement ? end - 1 - i : end - length + i)];
    if (base == kUnknown) return -1;
    code = code << 2 | (complement ? 3 - base : base);
  }
  return code;
}

size_t CopyIndex::slot(size_t which, uint64_t code) const {
  return (code * 0x9e3779b97f4a7c15 + which) >> 20 & (slots_ - 1);
}

void CopyIndex::insert_all() {
  const auto size = std::ssize(bases_);
  const size_t wanted = std::bit_ceil(std::clamp(bases_.size() + 1, kFewestSlots, kMostSlots));
  if (wanted > slots_) {
    slots_ = wanted;
    for (auto& table : latest_) table.assign(slots_, 0);
    inserted_ = 0;
  }
  for (size_t which = 0; which < kLengths.size(); ++which) {
    const int length = kLengths[which];
    const uint64_t mask = (uint64_t{1} << 2 * length) - 1;
    uint64_t last = 0;
    int known = 0;
    for (int64_t end = std::max<int64_t>(inserted_ - length, 0) + 1; end < size; ++end) {
      const char base = bases_[static_cast<size_t>(end - 1)];
      known = base == kUnknown ? 0 : known + 1;
      last = (last << 2 | static_cast<uint64_t>(base & 3)) & mask;
      if (known >= length && end >= inserted_) latest_[which][slot(which, last)] = static_cast<uint32_t>(end);
    }
  }
  inserted_ = size;
}

void CopyIndex::append(std::string_view bases) {
  for (const char base : bases) {
    const int code = genome::base_code(base);
    bases_.push_back(static_cast<char>(code < 0 ? kUnknown : code));
  }
  if (bases_.size() > std::numeric_limits<uint32_t>::max()) fail("copies: more than 4294967295 bases to be kept");
  insert_all();  // all places but the last one: the last bases find no copy in themselves
}

int CopyIndex::following(const Place& place) const {
  const int64_t at = place.inverted ? place.at - 1 : place.at;
  if (at < 0 || at >= std::ssize(bases_)) return kUnknown;
  const int base = bases_[static_cast<size_t>(at)];
  return base == kUnknown || !place.inverted ? base : 3 - base;
}

std::string CopyIndex::following(const Place& place, size_t most) const {
  std::string text;
  for (auto next = place; text.size() < most; next = next.after(1)) {
    const int base = following(next);
    if (base == kUnknown) break;
    text += genome::kBases[static_cast<size_t>(base)];
  }
  return text;
}

uint64_t CopyIndex::agreement(const Place& place) const {
  uint64_t equal = 0;
  const auto size = std::ssize(bases_);
  for (int64_t i = 0; i < 64 && i < size; ++i) {
    const int64_t at = place.inverted ? place.at + i : place.at - 1 - i;
    if (at < 0 || at >= size) break;
    const char here = bases_[static_cast<size_t>(size - 1 - i)], there = bases_[static_cast<size_t>(at)];
    const bool same = here != kUnknown && there != kUnknown && here == (place.inverted ? 3 - there : there);
    equal |= uint64_t{same} << i;
  }
  return equal;
}

std::vector<CopyIndex::Place> CopyIndex::latest() const {
  std::vector<Place> found;
  if (slots_ == 0) return found;
  const auto size = std::ssize(bases_);
  for (const bool inverted : {false, true})
    for (size_t which = 0; which < kLengths.size(); ++which) {
      const int64_t last = code(size, kLengths[which], inverted);
      if (last < 0) continue;
      const int64_t end = latest_[which][slot(which, static_cast<uint64_t>(last))];
      if (end == 0) continue;
      const Place place{inverted ? end - kLengths[which] : end, inverted};
      if (std::countr_one(agreement(place)) >= kLengths[which]) found.push_back(place);
    }
  return found;
}

}  // namespace bigdna::context_mixing
