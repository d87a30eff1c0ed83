/// BPE training as a textbook has it: count every pair, merge the best, start again. Slow; what the trainer
/// must equal.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace bigdna::test {

struct TextbookMerge {
  std::string piece;
  int64_t count;
  bool operator==(const TextbookMerge&) const = default;
};

/// The first `wanted` merges over sentences of one-byte characters.
inline std::vector<TextbookMerge> textbook_bpe(const std::vector<std::string>& sentences, size_t wanted,
                                               size_t max_length) {
  using Tokens = std::vector<std::string>;
  std::vector<Tokens> text;
  for (const std::string& sentence : sentences) {
    text.emplace_back();
    for (const char c : sentence) text.back().emplace_back(1, c);
  }
  std::vector<TextbookMerge> merges;
  std::set<std::string> known;
  std::set<std::pair<std::string, std::string>> dropped;
  while (merges.size() < wanted) {
    std::map<std::pair<std::string, std::string>, int64_t> counts;
    for (const Tokens& tokens : text)
      for (size_t i = 0; i + 1 < tokens.size(); ++i) ++counts[{tokens[i], tokens[i + 1]}];
    std::pair<std::string, std::string> best;
    int64_t best_count = 1;
    for (const auto& [pair, count] : counts) {
      const std::string joined = pair.first + pair.second, best_joined = best.first + best.second;
      if (joined.size() > max_length || dropped.count(pair) || count < 2) continue;
      if (count > best_count ||
          (count == best_count &&
           (joined.size() < best_joined.size() || (joined.size() == best_joined.size() && joined < best_joined))))
        best = pair, best_count = count;
    }
    if (best_count < 2) break;
    const std::string joined = best.first + best.second;
    if (!known.insert(joined).second) {
      dropped.insert(best);
      continue;
    }
    merges.push_back({joined, best_count});
    for (Tokens& tokens : text) {
      Tokens merged;
      for (size_t i = 0; i < tokens.size(); ++i) {
        const bool here = tokens[i] == best.first && i + 1 < tokens.size() && tokens[i + 1] == best.second;
        merged.push_back(here ? joined : tokens[i]);
        i += here;
      }
      tokens = std::move(merged);
    }
  }
  return merges;
}

}  // namespace bigdna::test
