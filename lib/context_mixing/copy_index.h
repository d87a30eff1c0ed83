/// Where the last bases stood before, on either strand: the copies of XM (Cao et al. 2007).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bigdna::context_mixing {

/// The bases that were read, and where the last 12, 16, 20 or 24 of them stood latest.
class CopyIndex {
 public:
  /// A place before the next base: history[at] follows, or on the other strand the complement of history[at - 1].
  struct Place {
    int64_t at = -1;
    bool inverted = false;
    bool operator==(const Place&) const = default;
    /// The place behind so many further bases.
    Place after(int64_t bases) const { return {inverted ? at - bases : at + bases, inverted}; }
  };
  static constexpr int64_t kUnknown = 4;
  /// The base that follows a place, 0 to 3; kUnknown behind an end, and for letters other than A, C, G and T.
  int following(const Place& place) const;
  /// What stands behind a place, of up to `most` bases; it ends at a base that is unknown.
  std::string following(const Place& place, size_t most) const;
  /// Which of the last 64 bases equal those before the place: the last base is the lowest bit.
  uint64_t agreement(const Place& place) const;
  /// The latest places where the last bases stood, by 24, 20, 16 and 12 of them, on both strands. Some repeat.
  std::vector<Place> latest() const;
  /// Adds bases behind all others. Letters other than A, C, G and T are unknown, and match nothing.
  void append(std::string_view bases);

 private:
  static constexpr std::array kLengths{24, 20, 16, 12};
  size_t slot(size_t which, uint64_t code) const;
  void insert_all();
  /// The code of the `length` bases that end at `end`, 2 bits each, or its reverse complement's; -1: one is unknown.
  int64_t code(int64_t end, int length, bool complement) const;

  std::string bases_;                                          // 0 to 3, and kUnknown
  int64_t inserted_ = 0;                                       // places before this one are in the tables
  size_t slots_ = 0;                                           // of each table, a power of two
  std::array<std::vector<uint32_t>, kLengths.size()> latest_;  // 0: none
};

}  // namespace bigdna::context_mixing
