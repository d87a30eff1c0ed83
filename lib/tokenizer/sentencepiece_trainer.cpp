#include "tokenizer/sentencepiece_trainer.h"

#include <sentencepiece_trainer.h>

#include "base/error.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {
namespace {

/// SentencePiece aborts the whole process when a sentence has more symbols than it can number.
constexpr size_t kLongestSentence = 65535;

class Sentences : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const SentenceSource& source) : source_(source) { Next(); }
  bool done() const override { return done_; }
  void Next() override {
    const auto sentence = source_();
    done_ = !sentence;
    if (done_) return;
    if (sentence->size() > kLongestSentence)
      fail("SentencePiece's trainer takes sentences of at most ", kLongestSentence, " bp; one has ", sentence->size());
    sentence_ = *sentence;
    ++count_;
  }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }
  int64_t count() const { return count_; }

 private:
  const SentenceSource& source_;
  std::string sentence_;
  bool done_ = false;
  int64_t count_ = 0;
};

}  // namespace

Vocabulary train_sentencepiece(const SentenceSource& source, const TrainerOptions& options) {
  Sentences sentences(source);
  if (sentences.done()) fail("no sentence to train a vocabulary on");
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", "bpe"},
       {"vocab_size", std::to_string(options.vocab_size)},
       {"hard_vocab_limit", "false"},
       {"character_coverage", "1.0"},
       {"normalization_rule_name", "identity"},
       {"add_dummy_prefix", "false"},
       {"remove_extra_whitespaces", "false"},
       {"max_sentence_length", "1000000"},
       {"max_sentencepiece_length", std::to_string(options.max_piece_length)},
       {"num_threads", std::to_string(options.threads)},
       {"minloglevel", "1"},
       {"pad_id", "0"},
       {"unk_id", "1"},
       {"bos_id", "2"},
       {"eos_id", "3"},
       {"pad_piece", "[PAD]"},
       {"unk_piece", "[UNK]"},
       {"bos_piece", "[CLS]"},
       {"eos_piece", "[SEP]"},
       {"control_symbols", "[MASK]"}},
      &sentences, &model);
  if (!status.ok()) fail("SentencePiece's trainer: ", status.ToString());
  const Vocabulary trained = parse_sentencepiece_model("SentencePiece's trainer", model);
  return Vocabulary(trained.pieces(), trained.special(), {}, {.letters = letters_of_nucleotides(trained.pieces())});
}

}  // namespace bigdna::tokenizer
