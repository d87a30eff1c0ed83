/// What n-grams are counted on: documents of the whole corpus, drawn by the seed.
#include <gtest/gtest.h>

#include "corpus/corpora.h"
#include "mlm/mlm.h"

namespace bigdna::mlm {
namespace {

constexpr int64_t kContig = 300'000;

/// A corpus of two contigs of different composition, in either order.
struct TwoContigs {
  test::TempDir folder;
  tokenizer::Vocabulary vocabulary = test::small_vocabulary();
  std::unique_ptr<corpus::Corpus> corpus;

  explicit TwoContigs(bool other_order, int passes = 1) {
    std::string repeat;
    for (int64_t i = 0; i < kContig / 20; ++i) repeat += "ACGTTGCAACCTGATTGGCA";
    std::vector<std::pair<std::string, std::string>> records{{"even", test::random_bases(kContig, 1)},
                                                             {"repeat", repeat}};
    if (other_order) std::swap(records[0], records[1]);
    test::write_fasta(folder / "genome.fa", records);
    corpus::BuildOptions options;
    options.fastas = {folder / "genome.fa"};
    options.output = folder / "corpus";
    options.sampler.sentences_min = 2;
    options.sampler.sentences_max = 5;
    options.sampler.passes = passes;
    options.hold_out = "none";
    corpus::build_corpus(options, tokenizer::Encoder(vocabulary));
    corpus = std::make_unique<corpus::Corpus>(options.output, corpus::Corpus::Split::training);
  }

  CountedNgrams counts(int64_t most, uint64_t seed = 1) const {
    return train_ngrams(*corpus, vocabulary.size(), seed, {}, most);
  }
};

double bits_of(const CountedNgrams& counts, const TwoContigs& text) {
  double bits = 0, tokens = 0;
  for (int64_t i = 0; i < text.corpus->documents(); ++i) {
    const auto read = text.corpus->document(i).tokens;
    for (size_t t = 1; t + 1 < std::min<size_t>(read.size(), 200); ++t, ++tokens)
      bits -= std::log2(counts.model.probabilities({-1, read[t - 1], read[t + 1], -1}, read[t]).bigram);
  }
  return bits / tokens;
}

TEST(NgramCounts, DoNotDependOnTheOrderOfContigs) {
  const TwoContigs one(false), other(true);
  constexpr int64_t kMost = 60'000;  // a quarter of either corpus
  const auto a = one.counts(kMost), b = other.counts(kMost);
  EXPECT_NEAR(bits_of(a, one) / bits_of(b, one), 1, 0.1);
  EXPECT_EQ(a.tokens, kMost);
  EXPECT_EQ(a.of_documents, one.corpus->documents());
  EXPECT_EQ(a.of_tokens, one.corpus->tokens());
  EXPECT_GT(4 * a.documents, a.of_documents / 2);
  EXPECT_LT(2 * a.documents, a.of_documents);
  EXPECT_EQ(one.counts(kMost).model.unigram(7), a.model.unigram(7));
  EXPECT_NE(one.counts(kMost, 2).model.unigram(7), a.model.unigram(7));
}

TEST(NgramCounts, SmallCorporaAreCountedWhole) {
  const TwoContigs two(false);
  const auto counts = two.counts(NgramTrainer::kMaxTokens);
  EXPECT_EQ(counts.tokens, two.corpus->tokens());
  EXPECT_EQ(counts.documents, two.corpus->documents());
  EXPECT_EQ(counts.json()["tokens"], counts.json()["of_tokens"]);
}

TEST(NgramCounts, NoBaseIsCountedTwice) {
  const TwoContigs three(false, 3);
  const auto counts = three.counts(NgramTrainer::kMaxTokens);
  EXPECT_LT(counts.of_documents, three.corpus->documents());
  EXPECT_EQ(counts.documents, counts.of_documents);
  EXPECT_LT(counts.tokens, three.corpus->tokens() / 2);
}

}  // namespace
}  // namespace bigdna::mlm
