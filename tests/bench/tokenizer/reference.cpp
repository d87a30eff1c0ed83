// BPE by the book, for what the trainer is compared with: shares no code with lib/tokenizer.
//   reference TEXT MERGES [LONGEST]      sentences, one a line -> piece, tab, count, in the order of the merges
// Each step takes the most frequent pair of neighbours (of equal ones the shorter piece, then the lesser text; at most
// LONGEST, 16, characters; occurring twice at least; a pair whose text is a piece already is passed over for good) and
// merges it from left to right in every sentence that holds it; such a sentence's pairs are all taken off the counts
// before and counted again after. Minutes for 4 Mbp and 32 000 merges.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

struct Pair {
  int left, right;
  long count;
  bool dropped;
};

struct Counts {
  std::vector<Pair> pairs;
  std::unordered_map<uint64_t, size_t> where;
  void add(const std::vector<int>& sentence, long sign) {
    for (size_t i = 0; i + 1 < sentence.size(); ++i) {
      const uint64_t key = static_cast<uint64_t>(sentence[i]) << 32 | static_cast<uint32_t>(sentence[i + 1]);
      const auto [at, is_new] = where.emplace(key, pairs.size());
      if (is_new) pairs.push_back({sentence[i], sentence[i + 1], 0, false});
      pairs[at->second].count += sign;
    }
  }
};

bool holds(const std::vector<int>& sentence, int left, int right) {
  for (size_t i = 0; i + 1 < sentence.size(); ++i)
    if (sentence[i] == left && sentence[i + 1] == right) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::cerr << "reference TEXT MERGES [LONGEST]\n", 2;
  std::ifstream file(argv[1]);
  const size_t wanted = std::strtoull(argv[2], nullptr, 10),
               longest = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 16;
  std::vector<std::string> pieces;
  std::vector<std::vector<int>> text;
  int of_character[256];
  std::fill(of_character, of_character + 256, -1);
  for (std::string line; std::getline(file, line);) {
    text.emplace_back();
    for (const char c : line) {
      int& piece = of_character[static_cast<unsigned char>(c)];
      if (piece < 0) piece = static_cast<int>(pieces.size()), pieces.emplace_back(1, c);
      text.back().push_back(piece);
    }
  }
  Counts counts;
  for (const auto& sentence : text) counts.add(sentence, 1);
  std::unordered_set<std::string> merged;
  while (merged.size() < wanted) {
    Pair* best = nullptr;
    std::string best_text;
    for (Pair& pair : counts.pairs) {
      if (pair.count < 2 || pair.dropped || (best && pair.count < best->count)) continue;
      const std::string joined = pieces[static_cast<size_t>(pair.left)] + pieces[static_cast<size_t>(pair.right)];
      if (joined.size() > longest) continue;
      if (best && pair.count == best->count &&
          (joined.size() > best_text.size() || (joined.size() == best_text.size() && joined >= best_text)))
        continue;
      best = &pair, best_text = joined;
    }
    if (!best) break;
    if (!merged.insert(best_text).second) {
      best->dropped = true;
      continue;
    }
    std::cout << best_text << '\t' << best->count << '\n';
    const int left = best->left, right = best->right, piece = static_cast<int>(pieces.size());
    pieces.push_back(best_text);
    for (auto& sentence : text) {
      if (!holds(sentence, left, right)) continue;
      counts.add(sentence, -1);
      size_t out = 0;
      for (size_t i = 0; i < sentence.size(); ++out) {
        const bool here = sentence[i] == left && i + 1 < sentence.size() && sentence[i + 1] == right;
        sentence[out] = here ? piece : sentence[i];
        i += here ? 2 : 1;
      }
      sentence.resize(out);
      counts.add(sentence, 1);
    }
  }
  return std::cout.flush() ? 0 : 1;
}
