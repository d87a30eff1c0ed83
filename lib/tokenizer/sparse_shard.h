/// A thread's part of the text in the sparse phase: two-byte (four-byte above 32 766 pieces) tokens with
/// holes, and lists of where pairs occur.
///
/// A merge turns its left token into the new one and leaves holes. The first and the last hole of a run hold its
/// length, so that both neighbours of a token are one step away. A pair's list holds the positions of its left tokens
/// at the time the list was made; an entry is stale if other tokens are there now.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tokenizer/pages.h"

namespace bigdna::tokenizer {

template <class Token>
struct SparseShard {
  static constexpr Token kHole = Token{1} << (8 * sizeof(Token) - 1);
  static constexpr Token kEnd = kHole - 1;       // before the first sentence and after each
  static constexpr size_t kPadding = 2;          // kEnd after the last
  static constexpr uint64_t kMostTokens = kEnd;  // ids below

  Token* tokens = nullptr;  // [0] and [size - 1] are kEnd, and kPadding of them follow
  size_t size = 0;
  Pages<Token> own;  // memory of the tokens, unless they are in the text's own

  // Counting sort of an epoch: for left tokens in a range, their positions and what follows.
  std::vector<uint64_t> offsets;  // by left token
  Pages<uint32_t> position;
  Pages<Token> follower;

  Pages<uint32_t> lists;  // all occurrence lists, concatenated
  size_t listed = 0;

  // The merge in progress.
  struct Occurrence {
    uint32_t position, previous;  // of the new token; of the token before it
    Token before, after;          // its neighbours; kEnd at a sentence's ends
  };
  std::vector<Occurrence> occurrences;
  std::vector<uint32_t> count_before, count_after;  // by token
  std::vector<Token> seen_before, seen_after;       // those with counts above 0
  uint32_t adjacent = 0;                            // merges whose left neighbour has just merged too

  size_t next(size_t at) const {
    const Token token = tokens[at + 1];
    return token & kHole ? at + 1 + (token & ~kHole) : at + 1;
  }
  size_t previous(size_t at) const {
    const Token token = tokens[at - 1];
    return token & kHole ? at - 1 - (token & ~kHole) : at - 1;
  }

  /// Removes the holes and counts the tokens: offsets[t] is the number of tokens below t. Invalidates every list.
  void compact(size_t pieces);
  /// Sorts the occurrences of the left tokens [from, to) into position and follower, offsets[from] first.
  void sort_range(size_t from, size_t to);
  /// Merges (left, right) into `merged` at those listed positions where the pair still is, from left to right.
  void merge(const uint32_t* list, size_t length, Token left, Token right, Token merged);
  void forget_counts();
};

template <class Token>
void SparseShard<Token>::compact(size_t pieces) {
  offsets.assign(pieces + 1, 0);
  size_t out = 0;
  for (size_t i = 0; i < size; ++i) {
    const Token token = tokens[i];
    if (token & kHole) continue;
    tokens[out++] = token;
    if (token != kEnd) ++offsets[token + size_t{1}];
  }
  size = out;
  for (size_t i = 0; i < kPadding; ++i) tokens[size + i] = kEnd;
  for (size_t t = 0; t < pieces; ++t) offsets[t + 1] += offsets[t];
  listed = 0;
}

template <class Token>
void SparseShard<Token>::sort_range(size_t from, size_t to) {
  const uint64_t base = offsets[from];
  position.grow(offsets[to] - base);
  follower.grow(offsets[to] - base);
  std::vector<uint64_t> next_slot(offsets.begin() + static_cast<std::ptrdiff_t>(from),
                                  offsets.begin() + static_cast<std::ptrdiff_t>(to));
  for (size_t i = 0; i < size; ++i) {
    const size_t token = tokens[i];
    if (token < from || token >= to) continue;  // kEnd is above every id
    const uint64_t slot = next_slot[token - from]++ - base;
    position[slot] = static_cast<uint32_t>(i);
    follower[slot] = tokens[i + 1];
  }
}

template <class Token>
void SparseShard<Token>::merge(const uint32_t* list, size_t length, Token left, Token right, Token merged) {
  constexpr size_t kAhead = 24;
  occurrences.clear();
  adjacent = 0;
  for (size_t i = 0; i < length; ++i) {
    if (i + kAhead < length) __builtin_prefetch(tokens + list[i + kAhead]);
    const size_t at = list[i];
    if (tokens[at] != left) continue;
    const size_t second = next(at);
    if (tokens[second] != right) continue;
    const size_t after = next(second), before = previous(at);
    const Token span = static_cast<Token>(after - at - 2);  // from the first hole to the last
    tokens[at] = merged;
    tokens[second] = kHole;
    // The hole after the token points forward past the run, the hole before the next token back to it.
    tokens[at + 1] = static_cast<Token>(kHole | (span + 1));
    tokens[after - 1] = static_cast<Token>(kHole | (span + 1));
    const Token x = tokens[before], y = tokens[after];
    if (x == merged) {
      ++adjacent;
      occurrences.back().after = merged;  // recorded as `left` before
    } else if (x != kEnd && count_before[x]++ == 0) {
      seen_before.push_back(x);
    }
    if (y != kEnd && count_after[y]++ == 0) seen_after.push_back(y);
    occurrences.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(before), x, y});
  }
}

template <class Token>
void SparseShard<Token>::forget_counts() {
  for (const Token token : seen_before) count_before[token] = 0;
  for (const Token token : seen_after) count_after[token] = 0;
  seen_before.clear();
  seen_after.clear();
}

}  // namespace bigdna::tokenizer
