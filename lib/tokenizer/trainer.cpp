#include "tokenizer/trainer.h"

#include "base/error.h"
#include "base/log.h"
#include "tokenizer/merge_learner.h"
#include "tokenizer/sentencepiece_trainer.h"

namespace bigdna::tokenizer {
namespace {

const std::vector<std::string> kSpecial{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

Vocabulary train_bigdna(const SentenceSource& sentences, const TrainerOptions& options, TrainingReport& report) {
  SentenceText text = read_sentences(sentences, options.memory);
  const std::vector<std::string> symbols = text.symbols;  // by frequency
  const int64_t wanted = options.vocab_size - static_cast<int64_t>(kSpecial.size() + symbols.size());
  if (wanted < 0)
    fail("a vocabulary of ", options.vocab_size, " pieces has no room for ", kSpecial.size(), " special tokens and ",
         symbols.size(), " different characters");
  const LearnedMerges learned = learn_merges(std::move(text), {static_cast<size_t>(wanted), options.max_piece_length,
                                                               options.threads, options.memory, kMostDenseTokens});
  report.merge_counts = learned.counts;
  std::vector<Piece> pieces;
  for (const std::string& name : kSpecial) pieces.push_back({name, 0, true});
  for (const auto* list : {&learned.pieces, &symbols})
    for (const std::string& piece : *list)
      pieces.push_back({piece, -static_cast<float>(pieces.size() - kSpecial.size()), false});
  // In the order of ids: special tokens, merges, symbols. The learner has symbols first.
  const auto first_merge = learned.token_counts.begin() + static_cast<std::ptrdiff_t>(symbols.size());
  report.token_counts.assign(kSpecial.size(), 0);
  report.token_counts.insert(report.token_counts.end(), first_merge, learned.token_counts.end());
  report.token_counts.insert(report.token_counts.end(), learned.token_counts.begin(), first_merge);
  TextRules rules{.letters = letters_of_nucleotides(pieces)};
  return Vocabulary(std::move(pieces), SpecialTokens{}, {}, std::move(rules));
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
    log::warn("no pair of tokens occurs twice any more: the vocabulary has ", vocabulary.size(), " pieces instead of ",
              options.vocab_size);
  if (report) *report = std::move(seen);
  return vocabulary;
}

}  // namespace bigdna::tokenizer
