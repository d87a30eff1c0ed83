#include "sparsity/original.h"

#include <algorithm>
#include <bit>
#include <random>
#include <span>
#include <utility>

namespace bigdna::sparsity {
namespace {

constexpr int64_t kMaxTokens = 4096, kFocusTokens = 1024;  // the released code's MAX_SEQ_LEN and last_idx

/// numpy.random.permutation of RandomState: a Fisher-Yates shuffle whose bounded numbers are masked MT19937 words,
/// which are drawn again while they are too large.
KeyList permutation(KeyList values, std::mt19937& generator) {
  for (size_t i = values.size(); i-- > 1;) {
    const uint32_t mask = std::bit_ceil(static_cast<uint32_t>(i) + 1) - 1;
    uint32_t j = 0;
    do j = static_cast<uint32_t>(generator()) & mask;
    while (j > i);
    std::swap(values[i], values[j]);
  }
  return values;
}

KeyList range(int64_t begin, int64_t end) {
  KeyList values;
  for (int64_t i = begin; i < end; ++i) values.push_back(static_cast<int32_t>(i));
  return values;
}

/// What bigbird_block_rand_mask does for one head: the plan of 4096 tokens, keys from the first 1024.
KeyLists paper_plan(int64_t block, int64_t random, std::mt19937& generator) {
  const int64_t blocks = kMaxTokens / block;
  int64_t last = blocks - 1;
  if (kFocusTokens > 2 * block) last = kFocusTokens / block - 1;
  // blocks of middle_seq[begin:end], which holds 1 .. blocks - 2
  auto middle = [&](int64_t begin, int64_t end) { return range(1 + begin, 1 + std::min(end, blocks - 2)); };
  KeyLists rows;
  for (int64_t i = 1; i < blocks - 1; ++i) {
    KeyList candidates;
    if (i == 1) {
      candidates = middle(2, last);
    } else if (i == 2) {
      candidates = middle(3, last);
    } else if (i >= blocks - 3) {
      candidates = middle(0, last);
    } else if (i - 2 > last) {
      candidates = middle(0, last);
    } else if (i + 1 == last) {
      candidates = middle(0, i - 2);
    } else {
      candidates = middle(0, i - 2);
      const KeyList after = middle(i + 1, last);
      candidates.insert(candidates.end(), after.begin(), after.end());
    }
    KeyList drawn = permutation(std::move(candidates), generator);
    drawn.resize(std::min(drawn.size(), static_cast<size_t>(random)));
    rows.push_back(std::move(drawn));
  }
  return rows;
}

/// get_single_block_row_attention: `random` blocks of [begin, end) that are neither window nor global.
KeyList single_row(int64_t query, int64_t begin, int64_t end, int64_t random, std::mt19937& generator) {
  KeyList row;
  for (const int32_t key : permutation(range(begin, end), generator)) {
    if (static_cast<int64_t>(row.size()) == random) break;
    const bool window = key >= query - 1 && key <= query + 1;
    const bool global = key == 0 || key == end - 1;
    const bool opposite = (query == 1 && key == end - 2) || (query == end - 2 && key == 1);
    if (!window && !global && !opposite) row.push_back(key);
  }
  return row;
}

struct PlanPart {
  int64_t end;     // blocks
  int64_t random;  // random keys taken from this part of the sequence
};

std::vector<PlanPart> plan_of(int64_t blocks, int64_t random) {
  if (2 * random + 5 < blocks) return {{2 * random + 5, random}, {blocks, 0}};
  if (random + 5 < blocks) return {{random + 5, random / 2}, {blocks, random - random / 2}};
  return {{blocks, random}};
}

/// bigbird_block_rand_mask_with_head, all heads: rows[head][query block].
std::vector<KeyLists> general_plan(int64_t blocks, int64_t random, int64_t heads, std::mt19937& generator) {
  const auto plan = plan_of(blocks, random);
  std::vector<KeyLists> rows(static_cast<size_t>(heads), KeyLists(static_cast<size_t>(blocks)));
  auto draw = [&](int64_t first_query, int64_t end_query, size_t part) {
    const int64_t begin = part == 0 ? 0 : plan[part - 1].end;
    for (int64_t query = first_query; query < end_query; ++query)
      for (auto& head : rows) {
        const KeyList drawn = single_row(query, begin, plan[part].end, plan[part].random, generator);
        auto& row = head[static_cast<size_t>(query)];
        row.insert(row.end(), drawn.begin(), drawn.end());
      }
  };
  for (size_t part = 0; part < plan.size(); ++part) {
    if (part > 0) {
      if (plan[part].random > 0) draw(1, plan[part - 1].end, part);
      for (size_t earlier = 0; earlier < part; ++earlier)
        if (plan[earlier].random > 0) draw(plan[part - 1].end, plan[part].end, earlier);
    }
    if (plan[part].random > 0) draw(part == 0 ? 1 : plan[part - 1].end, plan[part].end, part);
  }
  return rows;
}

}  // namespace

KeyLists original_random_blocks(const PatternConfig& config, const Place& place) {
  std::mt19937 generator(static_cast<uint32_t>(config.seed + static_cast<uint64_t>(place.layer)));
  const int64_t tokens = place.blocks * config.block;
  if (tokens == kFocusTokens || tokens == 3072 || tokens == kMaxTokens) {
    KeyLists rows;
    for (int64_t head = 0; head <= place.head; ++head) rows = paper_plan(config.block, config.random, generator);
    rows.resize(static_cast<size_t>(place.blocks - 2));
    return rows;
  }
  KeyLists rows = general_plan(place.blocks, config.random, place.heads, generator)[static_cast<size_t>(place.head)];
  return {rows.begin() + 1, rows.end() - 1};
}

}  // namespace bigdna::sparsity
