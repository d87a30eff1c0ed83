#include "tokenizer/merge_table.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace bigdna::tokenizer {
namespace {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15;

}  // namespace

MergeTable::MergeTable(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  const auto& merges = vocabulary.merges();
  if (!merges.empty()) {
    for (const auto& [left, right] : merges) {
      const TokenId token = vocabulary.find(vocabulary.piece(left).text + vocabulary.piece(right).text);
      const MergeResult result{static_cast<int32_t>(results_.size()), token};
      const uint32_t known = by_pair_.find(static_cast<uint32_t>(left), static_cast<uint32_t>(right));
      // A pair listed twice keeps its last rank, as in tokenizers.
      if (known != PairIndex::kNone)
        results_[known] = result;
      else
        by_pair_.add(static_cast<uint32_t>(left), static_cast<uint32_t>(right), static_cast<uint32_t>(result.rank));
      results_.push_back(result);
    }
    return;
  }
  const auto& pieces = vocabulary.pieces();
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return pieces[a].score > pieces[b].score; });
  rank_.resize(pieces.size());
  int32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && pieces[order[i]].score != pieces[order[i - 1]].score) ++rank;
    rank_[order[i]] = rank;
  }
  for (size_t id = 0; id < pieces.size(); ++id) {
    uint64_t hash = 0, power = 1;
    for (const char c : pieces[id].text) hash = hash * kBase + static_cast<unsigned char>(c) + 1, power *= kBase;
    hash_.push_back(hash);
    power_.push_back(power);
    if (!pieces[id].special)
      by_hash_.add(static_cast<uint32_t>(hash >> 32), static_cast<uint32_t>(hash), static_cast<uint32_t>(id));
  }
}

uint64_t MergeTable::joined_hash(TokenId left, TokenId right) const {
  return hash_[static_cast<size_t>(left)] * power_[static_cast<size_t>(right)] + hash_[static_cast<size_t>(right)];
}

MergeResult MergeTable::find(TokenId left, TokenId right) const {
  if (left < 0 || right < 0) return {};
  if (!results_.empty()) {
    const uint32_t found = by_pair_.find(static_cast<uint32_t>(left), static_cast<uint32_t>(right));
    return found == PairIndex::kNone ? MergeResult{} : results_[found];
  }
  const uint64_t hash = joined_hash(left, right);
  const uint32_t found = by_hash_.find(static_cast<uint32_t>(hash >> 32), static_cast<uint32_t>(hash));
  if (found == PairIndex::kNone) return {};
  const auto token = static_cast<TokenId>(found);
  const std::string_view text = vocabulary_.piece(token).text;
  const std::string_view first = vocabulary_.piece(left).text, second = vocabulary_.piece(right).text;
  if (text.size() != first.size() + second.size() || !text.starts_with(first) || !text.ends_with(second)) return {};
  return {rank_[found], token};
}

std::vector<TokenId> MergeTable::bpe(std::span<const TokenId> symbols, std::vector<Event>* events) const {
  constexpr size_t kEnd = SIZE_MAX;
  struct Candidate {
    MergeResult merge;
    size_t position;      // of the left token
    TokenId left, right;  // as they were: the candidate is stale when either has changed
    bool operator>(const Candidate& other) const {
      return merge.rank != other.merge.rank ? merge.rank > other.merge.rank : position > other.position;
    }
  };
  std::vector<TokenId> tokens(symbols.begin(), symbols.end());
  std::vector<size_t> next(tokens.size()), previous(tokens.size());
  std::vector<bool> alive(tokens.size(), true);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto propose = [&](size_t left) {
    if (left == kEnd || next[left] == kEnd) return;
    const MergeResult merge = find(tokens[left], tokens[next[left]]);
    if (merge.rank != MergeResult::kNone) queue.push({merge, left, tokens[left], tokens[next[left]]});
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    next[i] = i + 1 < tokens.size() ? i + 1 : kEnd;
    previous[i] = i > 0 ? i - 1 : kEnd;
  }
  for (size_t i = 0; i < tokens.size(); ++i) propose(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    const size_t left = best.position, right = alive[left] ? next[left] : kEnd;
    if (right == kEnd || tokens[left] != best.left || tokens[right] != best.right) continue;
    tokens[left] = best.merge.token;
    alive[right] = false;
    next[left] = next[right];
    if (next[left] != kEnd) previous[next[left]] = left;
    if (events)
      events->push_back({best.merge.rank, left, next[left] == kEnd ? tokens.size() : next[left], best.merge.token});
    propose(left);
    propose(previous[left]);
  }
  std::vector<TokenId> result;
  for (size_t i = tokens.empty() ? kEnd : 0; i != kEnd; i = next[i]) result.push_back(tokens[i]);
  return result;
}

std::vector<TokenId> MergeTable::symbols_of(TokenId token) const {
  std::vector<TokenId> symbols;
  std::string_view text = vocabulary_.piece(token).text;
  while (!text.empty()) {
    const size_t length = character_length(text);
    const TokenId symbol = vocabulary_.find(text.substr(0, length));
    symbols.push_back(symbol >= 0 && vocabulary_.is_special(symbol) ? -1 : symbol);
    text.remove_prefix(length);
  }
  return symbols;
}

}  // namespace bigdna::tokenizer
