/// The SentencePiece library as trainer (--trainer sentencepiece): the reference ours is held against.
#include <sentencepiece_trainer.h>

#include "base/error.h"
#include "tokenizer/files.h"
#include "tokenizer/trainers.h"

namespace bigdna::tokenizer {

namespace {

/// SentencePiece pulls sentences one by one.
class Sentences : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const SentenceSource& source) : source_(source) { Next(); }
  bool done() const override { return done_; }
  void Next() override {
    const auto sentence = source_();
    done_ = !sentence;
    if (sentence) value_.assign(*sentence);
  }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const SentenceSource& source_;
  std::string value_;
  bool done_ = false;
};

}  // namespace

Vocabulary train_with_sentencepiece(const SentenceSource& sentences, const TrainerOptions& options) {
  Sentences iterator(sentences);
  if (iterator.done()) fail("vocabulary: no sentence to train on");
  const std::unordered_map<std::string, std::string> arguments = {
      {"model_type", "bpe"}, {"vocab_size", std::to_string(options.vocab_size)}, {"hard_vocab_limit", "false"},
      {"max_sentencepiece_length", std::to_string(options.max_piece_length)}, {"character_coverage", "1"},
      {"normalization_rule_name", "identity"}, {"add_dummy_prefix", "false"}, {"remove_extra_whitespaces", "false"},
      {"escape_whitespaces", "false"}, {"pad_id", "0"}, {"unk_id", "1"}, {"bos_id", "2"}, {"eos_id", "3"},
      {"pad_piece", "[PAD]"}, {"unk_piece", "[UNK]"}, {"bos_piece", "[CLS]"}, {"eos_piece", "[SEP]"},
      {"control_symbols", "[MASK]"}, {"max_sentence_length", "1000000"}, {"num_threads", std::to_string(options.threads)},
      {"minloglevel", "2"}, {"split_by_whitespace", "false"}, {"split_by_unicode_script", "false"}, {"split_by_number", "false"}};
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &iterator, &model);
  if (!status.ok()) fail("SentencePiece: ", status.ToString());
  return from_model_proto(model, "SentencePiece's model");
}

}  // namespace bigdna::tokenizer
