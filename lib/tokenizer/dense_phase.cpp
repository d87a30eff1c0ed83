#include "tokenizer/dense_phase.h"

#include <memory>

#include "tokenizer/dense_pass.h"

namespace bigdna::tokenizer {
namespace {

constexpr size_t kValues = 256;
using PairCounts = std::vector<uint64_t>;  // [left * kValues + right]

/// Counts every pair of a shard, in two tables in turn, so that equal neighbours do not wait for each other.
PairCounts count_pairs(const uint8_t* tokens, size_t size) {
  PairCounts even(kValues * kValues), odd(kValues * kValues);
  size_t i = 0;
  for (; i + 2 < size; i += 2) {
    ++even[tokens[i] * kValues + tokens[i + 1]];
    ++odd[tokens[i + 1] * kValues + tokens[i + 2]];
  }
  for (; i + 1 < size; ++i) ++even[tokens[i] * kValues + tokens[i + 1]];
  for (size_t k = 0; k < even.size(); ++k) even[k] += odd[k];
  return even;
}

void apply(PairCounts& counts, const DenseCounts& change, size_t left, size_t right, size_t merged) {
  for (size_t x = 0; x < kValues; ++x) {
    if (change.before[x]) {
      counts[x * kValues + merged] += change.before[x];
      counts[x * kValues + left] -= change.before[x];
    }
    if (change.after[x]) {
      counts[merged * kValues + x] += change.after[x];
      counts[right * kValues + x] -= change.after[x];
    }
  }
  // A merge right after a merge: the first one counted its right neighbour as `left`, which has become
  // `merged`.
  counts[merged * kValues + left] -= change.adjacent;
  counts[merged * kValues + merged] += change.adjacent;
}

}  // namespace

std::vector<DenseShard> cut_into_shards(const SentenceText& text, size_t count) {
  std::vector<DenseShard> shards;
  size_t begin = 0;
  for (size_t i = 1; i <= count && begin < text.size; ++i) {
    size_t end = i == count ? text.size : std::max(begin + 1, text.size / count * i);
    while (end < text.size && text.tokens[end - 1] != SentenceText::kEnd) ++end;
    shards.push_back({begin, end - begin, end - begin});
    begin = end;
  }
  return shards;
}

DenseResult dense_phase(SentenceText& text, std::vector<DenseShard>& shards, size_t wanted, size_t most_tokens,
                        PieceList& pieces, Team& team, const OnMerge& on_merge) {
  DenseResult result;
  std::vector<PairCounts> of_shard(shards.size());
  team.run(shards.size(),
           [&](size_t s) { of_shard[s] = count_pairs(text.tokens.data() + shards[s].begin, shards[s].size); });
  PairCounts counts(kValues * kValues);
  for (const PairCounts& part : of_shard)
    for (size_t k = 0; k < counts.size(); ++k) counts[k] += part[k];
  of_shard.clear();

  std::vector<DenseCounts> changes(shards.size());
  std::vector<bool> dropped(kValues * kValues);
  result.last_count = static_cast<int64_t>(text.size);
  while (pieces.merges() < wanted && pieces.size() < most_tokens) {
    uint64_t best = 1;
    size_t left = 0, right = 0;
    for (size_t a = 0; a < pieces.size(); ++a) {
      for (size_t b = 0; b < pieces.size(); ++b) {
        const uint64_t count = counts[a * kValues + b];
        if (count < 2 || count < best || dropped[a * kValues + b] || !pieces.fits(a, b)) continue;
        if (count == best && !pieces.before(a, b, left, right)) continue;
        best = count, left = a, right = b;
      }
    }
    if (best < 2) {
      result.exhausted = true;
      break;
    }
    const size_t merged = pieces.size();
    if (!pieces.add(left, right)) {
      dropped[left * kValues + right] = true;
      result.dropped.emplace_back(left, right);
      continue;
    }
    team.run(shards.size(), [&](size_t s) {
      changes[s] = {};
      shards[s].size =
          dense_pass(text.tokens.data() + shards[s].begin, shards[s].size, static_cast<uint8_t>(left),
                     static_cast<uint8_t>(right), static_cast<uint8_t>(merged), SentenceText::kEnd, changes[s]);
    });
    for (const DenseCounts& change : changes) apply(counts, change, left, right, merged);
    counts[left * kValues + right] = 0;
    result.last_count = static_cast<int64_t>(best);
    on_merge(result.last_count);
  }
  return result;
}

}  // namespace bigdna::tokenizer
