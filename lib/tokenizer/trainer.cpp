#include "tokenizer/trainer.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/log.h"
#include "tokenizer/sentence_text.h"
#include "tokenizer/sentencepiece_trainer.h"

namespace bigdna::tokenizer {
namespace {

const std::vector<std::string> kSpecial{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

/// The merges' pieces in order, recounting every pair at every step. Exact and slow.
std::vector<std::string> learn_merges(SentenceText text, int64_t wanted, int max_length,
                                      TrainingReport& report) {
  std::vector<std::string> pieces = text.symbols;
  std::vector<std::string> merged;
  std::unordered_set<std::string> known;
  std::vector<int32_t> tokens(text.tokens.begin(), text.tokens.end());
  for (int32_t& token : tokens)
    if (token == SentenceText::kEnd) token = -1;
  std::unordered_set<uint64_t> dropped;
  while (static_cast<int64_t>(merged.size()) < wanted) {
    std::unordered_map<uint64_t, int64_t> counts;
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i] >= 0 && tokens[i + 1] >= 0)
        ++counts[static_cast<uint64_t>(tokens[i]) << 32 | static_cast<uint64_t>(tokens[i + 1])];
    int64_t best = 1;
    std::string best_text;
    uint64_t best_pair = 0;
    for (const auto& [pair, count] : counts) {
      if (count < best || dropped.count(pair)) continue;
      const std::string joined = pieces[pair >> 32] + pieces[pair & 0xffffffff];
      if (static_cast<int>(joined.size()) > max_length) continue;
      const bool better =
          count > best ||
          (!best_text.empty() &&
           (joined.size() != best_text.size() ? joined.size() < best_text.size() : joined < best_text));
      if (!better) continue;
      best = count, best_text = joined, best_pair = pair;
    }
    if (best < 2) break;
    if (!known.insert(best_text).second) {
      dropped.insert(best_pair);
      continue;
    }
    const auto left = static_cast<int32_t>(best_pair >> 32),
               right = static_cast<int32_t>(best_pair & 0xffffffff);
    size_t out = 0;
    for (size_t i = 0; i < tokens.size();) {
      const bool here = tokens[i] == left && i + 1 < tokens.size() && tokens[i + 1] == right;
      tokens[out++] = here ? static_cast<int32_t>(pieces.size()) : tokens[i];
      i += here ? 2 : 1;
    }
    tokens.resize(out);
    pieces.push_back(best_text);
    merged.push_back(best_text);
    report.merge_counts.push_back(best);
  }
  for (const int32_t token : tokens) report.tokens += token >= 0;
  return merged;
}

Vocabulary train_bigdna(const SentenceSource& sentences, const TrainerOptions& options,
                        TrainingReport& report) {
  SentenceText text = read_sentences(sentences);
  const std::vector<std::string> symbols = text.symbols;  // by frequency
  const int64_t wanted = options.vocab_size - static_cast<int64_t>(kSpecial.size() + symbols.size());
  if (wanted < 0)
    fail("a vocabulary of ", options.vocab_size, " pieces has no room for ", kSpecial.size(),
         " special tokens and ", symbols.size(), " different characters");
  const std::vector<std::string> merged =
      learn_merges(std::move(text), wanted, options.max_piece_length, report);
  std::vector<Piece> pieces;
  for (const std::string& name : kSpecial) pieces.push_back({name, 0, true});
  for (const auto* list : {&merged, &symbols})
    for (const std::string& piece : *list)
      pieces.push_back({piece, -static_cast<float>(pieces.size() - kSpecial.size()), false});
  return Vocabulary(std::move(pieces), SpecialTokens{});
}

}  // namespace

Vocabulary train_bpe(const SentenceSource& sentences, const TrainerOptions& options, TrainingReport* report) {
  TrainingReport seen;
  const SentenceSource counted = [&]() -> std::optional<std::string_view> {
    const auto sentence = sentences();
    if (!sentence) return sentence;
    ++seen.sentences;
    seen.characters += static_cast<int64_t>(sentence->size());
    return sentence;
  };
  Vocabulary vocabulary = options.engine == TrainerOptions::Engine::sentencepiece
                              ? train_sentencepiece(counted, options)
                              : train_bigdna(counted, options, seen);
  if (vocabulary.size() < options.vocab_size)
    log::warn("no pair of tokens occurs twice any more: the vocabulary has ", vocabulary.size(),
              " pieces instead of ", options.vocab_size);
  if (report) *report = std::move(seen);
  return vocabulary;
}

}  // namespace bigdna::tokenizer
