/// Copies of what was read before, mixed into a causal model's probabilities, as XM's copy experts are (Cao et al.
/// 2007): a place where the last bases stood before, on either strand, says which token follows. Every probability is
/// fixed before the token is read, so that bits remain the length of a code.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/encoder.h"

namespace bigdna::prediction {

/// The bases that were read, and where the last 12, 16 or 24 of them stood latest.
class CopyIndex {
 public:
  /// A place before the next base: history[at] follows, or on the other strand the complement of history[at - 1].
  struct Place {
    int64_t at = -1;
    bool inverted = false;
    bool operator==(const Place&) const = default;
  };
  /// What stands behind a place, of up to `most` bases; it ends at a base that is unknown.
  std::string following(const Place& place, size_t most) const;
  /// How many of the last bases are those before the place: in one run, and among the last kAligned.
  struct Match {
    int run = 0, equal = 0;
  };
  static constexpr int kRun = 32, kAligned = 64;
  Match match(const Place& place) const;
  struct Copy {
    Place place;
    Match match;
  };
  /// The latest places where the last bases stood, by 24, 16 and 12 of them, on both strands.
  std::vector<Copy> latest() const;
  /// Adds bases behind all others. Letters other than A, C, G and T are unknown, and match nothing.
  void append(std::string_view bases);

 private:
  static constexpr std::array kLengths{24, 16, 12};
  size_t slot(size_t which, uint64_t code) const;
  void insert(size_t which, int64_t end);
  void insert_all();
  /// The code of the `length` bases that end at `end`, 2 bits each, or its reverse complement's; -1: one is unknown.
  int64_t code(int64_t end, int length, bool complement) const;

  std::string bases_;                                          // 0 to 3, and 4 for what is unknown
  int64_t inserted_ = 0;                                       // places before this one are in the tables
  size_t slots_ = 0;                                           // of each table, a power of two
  std::array<std::vector<uint32_t>, kLengths.size()> latest_;  // 0: none
};

/// Mixes up to kPlaces copies into a model's probabilities. The weight of each depends on how well it matches so far,
/// and is learned while sequence is read.
class CopyMixer {
 public:
  /// `encoder`: the model's; must outlive this.
  explicit CopyMixer(const tokenizer::Encoder& encoder);
  /// Bases that are known and not predicted.
  void read(std::string_view bases);
  /// Ends a record: what follows does not continue it.
  void end_record() { read("N"); }
  /// -log2 of the mixed probability of the next token, whose -log2 by the model is `bits`; then reads the token. A NaN
  /// stays NaN, and its token is only read.
  float mix(tokenizer::TokenId token, int64_t bases, float bits);
  int64_t told() const { return told_; }    // tokens for which there was a copy
  int64_t right() const { return right_; }  // of these, those that one of the copies told right

 private:
  static constexpr size_t kPlaces = 16;
  /// What is known of copies that match as well as each other.
  struct Kind {
    double log_odds = 0;                          // of a copy, with the model's weight as 1
    double seen = 0, first = 1, beginning = 0.1;  // how often they told the token, or another beginning of what follows
  };
  using Copy = CopyIndex::Copy;
  void find_copies();
  Kind& kind_of(const Copy& copy);

  const tokenizer::Encoder& encoder_;
  size_t longest_ = 0;  // bases of a piece
  CopyIndex index_;
  std::vector<Copy> copies_;
  std::vector<Kind> kinds_;
  int64_t told_ = 0, right_ = 0;
};

}  // namespace bigdna::prediction
