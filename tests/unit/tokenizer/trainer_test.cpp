#include "tokenizer/trainer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/rng.h"
#include "no_more_threads.h"
#include "support.h"
#include "tokenizer/dense_pass.h"
#include "tokenizer/merge_learner.h"
#include "tokenizer/textbook.h"

#define HWY_DISABLED_TARGETS 0
#include "hwy/targets.h"

namespace bigdna::tokenizer {
namespace {

using test::textbook_bpe;
using test::TextbookMerge;

SentenceSource source_of(const std::vector<std::string>& sentences) {
  return [&sentences, i = size_t{0}]() mutable -> std::optional<std::string_view> {
    if (i == sentences.size()) return std::nullopt;
    return sentences[i++];
  };
}

/// Random sentences; with `repeats`, parts of earlier ones come again, so that long pieces arise.
std::vector<std::string> random_sentences(uint64_t seed, std::string_view letters, size_t count, size_t longest,
                                          bool repeats) {
  Rng rng(seed);
  std::vector<std::string> sentences;
  for (size_t i = 0; i < count; ++i) {
    std::string sentence;
    const size_t length = rng.below(longest + 1);
    while (sentence.size() < length) {
      if (repeats && !sentences.empty() && rng.below(3) == 0) {
        const std::string& other = sentences[rng.below(sentences.size())];
        const size_t from = rng.below(other.size() + 1);
        sentence += other.substr(from, rng.below(40));
      } else if (repeats && rng.below(20) == 0) {
        sentence += std::string(rng.below(30), letters[rng.below(letters.size())]);
      } else {
        sentence += letters[rng.below(letters.size())];
      }
    }
    sentences.push_back(sentence);
  }
  return sentences;
}

std::vector<TextbookMerge> learn(const std::vector<std::string>& sentences, const LearnerOptions& options) {
  const LearnedMerges learned = learn_merges(read_sentences(source_of(sentences), 0), options);
  std::vector<TextbookMerge> merges;
  for (size_t i = 0; i < learned.pieces.size(); ++i) merges.push_back({learned.pieces[i], learned.counts[i]});
  return merges;
}

struct Text {
  const char* name;
  std::vector<std::string> sentences;
  size_t max_length;
};

std::vector<Text> texts() {
  return {{"random", random_sentences(1, "ACGT", 40, 300, false), 16},
          {"repeats", random_sentences(2, "ACGT", 60, 300, true), 16},
          {"repeats with N", random_sentences(3, "ACGTN", 60, 300, true), 16},
          {"two letters", random_sentences(4, "AB", 30, 200, true), 16},
          {"one letter", {std::string(1000, 'A'), std::string(333, 'A'), "A", std::string(64, 'A')}, 16},
          {"short pieces", random_sentences(5, "ACGT", 60, 300, true), 3},
          {"long pieces", random_sentences(6, "ACGT", 40, 300, true), 60},
          {"protein", random_sentences(7, "ACDEFGHIKLMNPQRSTVWY", 60, 300, true), 16},
          {"no pair", {"A", "C", "", "ACG"}, 16}};
}

TEST(Trainer, EqualsTheTextbookHoweverItIsCutUp) {
  for (const Text& text : texts()) {
    const auto expected = textbook_bpe(text.sentences, 400, text.max_length);
    for (const int threads : {1, 2, 5}) {
      for (const size_t dense : {size_t{0}, size_t{30}, size_t{250}}) {
        SCOPED_TRACE(testing::Message() << text.name << ", threads " << threads << ", dense tokens " << dense);
        const int length = static_cast<int>(text.max_length);
        EXPECT_EQ(learn(text.sentences, {400, length, threads, 0, dense}), expected);
      }
    }
  }
}

TEST(Trainer, LittleMemoryChangesNothing) {
  const auto sentences = random_sentences(11, "ACGT", 3000, 300, true);
  const auto expected = learn(sentences, {3000, 16, 2, 0, 250});
  EXPECT_EQ(learn(sentences, {3000, 16, 2, 4 << 20, 30}), expected);
  EXPECT_NE(test::error_of([&] { learn(sentences, {3000, 16, 2, 1 << 18, 30}); }), "");
}

TEST(Trainer, ThePassInVectorCodeEqualsTheScalarOne) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const size_t size : {1, 2, 64, 65, 66, 67, 128, 129, 130, 131, 1000, 5003}) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        Rng rng(seed, size);
        std::vector<uint8_t> tokens(size);
        for (uint8_t& token : tokens) token = rng.below(30) == 0 ? 255 : static_cast<uint8_t>(rng.below(seed % 4 + 1));
        tokens.back() = 255;
        for (const auto& [left, right] : {std::pair{0, 1}, {1, 0}, {0, 0}, {2, 1}}) {
          auto fast = tokens, plain = tokens;
          DenseCounts fast_counts, plain_counts;
          fast.resize(dense_pass(fast.data(), size, static_cast<uint8_t>(left), static_cast<uint8_t>(right), 9, 255,
                                 fast_counts));
          plain.resize(dense_pass_scalar(plain.data(), size, static_cast<uint8_t>(left), static_cast<uint8_t>(right), 9,
                                         255, plain_counts));
          ASSERT_EQ(fast, plain) << hwy::TargetName(target) << ", size " << size << ", seed " << seed;
          ASSERT_EQ(fast_counts.before, plain_counts.before);
          ASSERT_EQ(fast_counts.after, plain_counts.after);
          ASSERT_EQ(fast_counts.adjacent, plain_counts.adjacent);
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Trainer, TheVocabularyIsSentencePieces) {
  const auto sentences = random_sentences(21, "ACGTN", 300, 900, true);
  for (const int64_t size : {16, 64, 300}) {
    TrainerOptions options{.vocab_size = size};
    const Vocabulary ours = train_bpe(source_of(sentences), options);
    options.engine = TrainerOptions::Engine::sentencepiece;
    const Vocabulary theirs = train_bpe(source_of(sentences), options);
    ASSERT_EQ(ours.size(), theirs.size());
    for (TokenId id = 0; id < ours.size(); ++id) {
      EXPECT_EQ(ours.piece(id).text, theirs.piece(id).text) << id;
      EXPECT_EQ(ours.piece(id).score, theirs.piece(id).score) << id;
      EXPECT_EQ(ours.piece(id).special, theirs.piece(id).special) << id;
    }
    EXPECT_EQ(ours.special(), theirs.special());
    EXPECT_EQ(ours.hash(), theirs.hash());
  }
}

TEST(Trainer, AllBytesAndWideCharacters) {
  std::vector<std::string> sentences{"\u00e9\u00e9\u00e9\u00e9ab\u20acab\u20ac", "ab\u20ac\u00e9\u00e9"};
  const Vocabulary vocabulary = train_bpe(source_of(sentences), {.vocab_size = 15, .max_piece_length = 3});
  EXPECT_GE(vocabulary.find("ab\u20ac"), 5);
  EXPECT_GE(vocabulary.find("\u00e9\u00e9"), 5);
  EXPECT_EQ(vocabulary.find("\xc3"), -1);
  for (const Piece& piece : vocabulary.pieces()) EXPECT_LE(piece.text.size(), 9u);
}

TEST(Trainer, ReportsWhatItSaw) {
  const std::vector<std::string> sentences{"AAAA", "", "ACAC"};
  TrainingReport report;
  const Vocabulary vocabulary = train_bpe(source_of(sentences), {.vocab_size = 100}, &report);
  EXPECT_EQ(report.sentences, 3);
  EXPECT_EQ(report.characters, 8);
  EXPECT_EQ(report.token_counts, (std::vector<int64_t>{0, 0, 0, 0, 0, 2, 2, 0, 0}));  // AA AA AC AC
  EXPECT_EQ(report.merge_counts, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(vocabulary.size(), 5 + 2 + 2);
}

TEST(Trainer, TheSameWhereNoThreadCanBeStarted) {
  const std::vector<std::string> sentences{"ACGTACGTTGCA", "ACGTTTGACCA"};
  const Vocabulary expected = train_bpe(source_of(sentences), {.vocab_size = 20});
  const test::NoMoreThreads limit;
  EXPECT_EQ(train_bpe(source_of(sentences), {.vocab_size = 20, .threads = 4}).hash(), expected.hash());
}

TEST(Trainer, Errors) {
  const std::vector<std::string> none, empty{"", ""}, some{"ACGT"};
  EXPECT_EQ(test::error_of([&] { train_bpe(source_of(none), {}); }), "no sentence to train a vocabulary on");
  EXPECT_EQ(test::error_of([&] { train_bpe(source_of(empty), {}); }), "no sentence to train a vocabulary on");
  EXPECT_NE(test::error_of([&] { train_bpe(source_of(some), {.vocab_size = 8}); }), "");
  std::string many;
  for (int c = 0x4e00; c < 0x4e00 + 251; ++c)
    many += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
             static_cast<char>(0x80 | (c & 63))};
  const std::vector<std::string> wide{many};
  EXPECT_NE(test::error_of([&] { train_bpe(source_of(wide), {}); }).find("more than 250"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::tokenizer
