// MLM+NSP examples: what each must be, the same for any thread or rank. Their distributions:
// example_statistics_test.cpp.
#include "corpus/examples.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "base/threads.h"
#include "corpus/corpora.h"
#include "corpus/example_fixture.h"

namespace bigdna::corpus {
namespace {

bool same(const Example& a, const Example& b) {
  return a.ids == b.ids && a.token_types == b.token_types && a.masked == b.masked &&
         a.masked_labels == b.masked_labels && a.targets == b.targets && a.region == b.region && a.index == b.index;
}

TEST(Examples, NextPredictsEveryTokenFromThePositionBeforeIt) {
  const auto source = fixture().source(with_length(64, Objective::next));
  const auto plain = fixture().source(with_length(64, Objective::mlm));
  ASSERT_EQ(source.size(), plain.size());
  for (int64_t i = 0; i < std::min<int64_t>(source.size(), 200); ++i) {
    const Example e = source.make(1, i);
    EXPECT_EQ(e.ids, truth(plain.make(1, i)));  // the same stretch, of which nothing is hidden
    EXPECT_EQ(e.ids.front(), 2);
    EXPECT_EQ(e.ids.back(), 3);
    EXPECT_TRUE(e.targets.empty());
    ASSERT_EQ(e.masked.size() + 2, e.ids.size());
    for (size_t k = 0; k < e.masked.size(); ++k) {
      EXPECT_EQ(e.masked[k], static_cast<int32_t>(k));
      EXPECT_EQ(e.masked_labels[k], e.ids[k + 1]);
    }
  }
  EXPECT_THROW(fixture().source(with_length(2, Objective::next)), UsageError);
}

TEST(Examples, AreClsASepBSepOfTheGenomesSequence) {
  SamplerOptions sampler;
  sampler.strands = SamplerOptions::Strands::both;
  const Fixture f(600'000, sampler);
  const genome::Genome genome(f.folder / "genome.fa");
  for (const int64_t max_length : {5, 64, 512, 4096, 100'000}) {
    const auto source = f.source(with_length(max_length));
    for (int64_t i = 0; i < std::min<int64_t>(source.size(), 300); ++i) {
      const Example e = source.make(3, i);
      const auto ids = truth(e);
      ASSERT_LE(static_cast<int64_t>(ids.size()), max_length);
      ASSERT_EQ(e.token_types.size(), ids.size());
      EXPECT_EQ(ids.front(), 2);
      EXPECT_EQ(ids.back(), 3);
      const auto separator = static_cast<size_t>(std::find(ids.begin(), ids.end(), 3) - ids.begin());
      ASSERT_LT(separator, ids.size() - 1);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), 2), 1);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), 3), 2);
      for (size_t t = 0; t < ids.size(); ++t) EXPECT_EQ(e.token_types[t], t > separator);
      const std::span all(ids);
      const std::string a = text_of(f.vocabulary, all.subspan(1, separator - 1)),
                        b = text_of(f.vocabulary, all.subspan(separator + 1, ids.size() - separator - 2));
      ASSERT_GT(a.size(), 0u);
      ASSERT_GT(b.size(), 0u);
      EXPECT_EQ(a, genome.fetch(e.region)) << genome::to_string(e.region);
      auto next = e.region;  // where the continuation would be
      const auto length = static_cast<int64_t>(b.size());
      if (e.region.strand == '-')
        next.end = e.region.start, next.start = next.end - length;
      else
        next.start = e.region.end, next.end = next.start + length;
      ASSERT_EQ(e.targets.size(), 1u);
      if (b.size() > 30) {  // chance: 4^-30
        EXPECT_EQ(e.targets[0], b == genome.fetch(next) ? 0 : 1);
      }
      EXPECT_EQ(e.index, i);
    }
  }
}

TEST(Examples, MasksAreThereAndSpecialTokensAreNot) {
  const auto source = fixture().source(with_length(512));
  for (int64_t i = 0; i < 500; ++i) {
    const Example e = source.make(0, i);
    ASSERT_EQ(e.masked.size(), e.masked_labels.size());
    EXPECT_EQ(static_cast<int64_t>(e.masked.size()),
              std::max<int64_t>(1, std::llround(0.15 * static_cast<double>(e.ids.size() - 3))));
    EXPECT_TRUE(std::is_sorted(e.masked.begin(), e.masked.end()));
    EXPECT_EQ(std::set(e.masked.begin(), e.masked.end()).size(), e.masked.size());
    for (const int32_t label : e.masked_labels) EXPECT_FALSE(fixture().vocabulary.is_special(label));
    std::set masked(e.masked.begin(), e.masked.end());
    for (size_t t = 0; t < e.ids.size(); ++t) EXPECT_TRUE(e.ids[t] != 4 || masked.count(static_cast<int32_t>(t)));
  }
}

TEST(Examples, HidingAllChoosesTheSameTokensAndShowsNone) {
  auto options = with_length(512);
  const auto bert = fixture().source(options);
  options.hiding = Hiding::all;
  const auto all = fixture().source(options);
  bool differ = false;
  for (int64_t i = 0; i < 20; ++i) {
    const Example e = all.make(0, i), of_bert = bert.make(0, i);
    EXPECT_EQ(e.masked, of_bert.masked);
    EXPECT_EQ(e.masked_labels, of_bert.masked_labels);
    EXPECT_EQ(truth(e), truth(of_bert));
    differ |= e.ids != of_bert.ids;
    for (const int32_t t : e.masked) EXPECT_EQ(e.ids[static_cast<size_t>(t)], fixture().vocabulary.special().mask);
  }
  EXPECT_TRUE(differ);
}

TEST(Masker, IdsPastTheVocabularyAreNeverChosen) {
  const Masker mask(test::small_vocabulary(), 0.15);
  Example example;
  for (int32_t id = static_cast<int32_t>(test::small_vocabulary().size()); id < 65536; ++id) example.ids.push_back(id);
  const auto before = example.ids;
  Rng rng(1);
  mask(example, rng);
  EXPECT_TRUE(example.masked.empty());
  EXPECT_EQ(example.ids, before);
  example.ids[1000] = 5;  // a piece: the only one that may be chosen
  mask(example, rng);
  EXPECT_EQ(example.masked, std::vector<int32_t>{1000});
  EXPECT_EQ(example.masked_labels, std::vector<int32_t>{5});
}

TEST(Examples, MlmAloneIsOneSegment) {
  const auto source = fixture().source(with_length(512, Objective::mlm));
  const genome::Genome genome(fixture().folder / "genome.fa");
  for (int64_t i = 0; i < 200; ++i) {
    const Example e = source.make(0, i);
    const auto ids = truth(e);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 3), 1);
    EXPECT_EQ(std::count(e.token_types.begin(), e.token_types.end(), 0), static_cast<int64_t>(ids.size()));
    EXPECT_TRUE(e.targets.empty());
    EXPECT_EQ(text_of(fixture().vocabulary, std::span(ids).subspan(1, ids.size() - 2)), genome.fetch(e.region));
  }
}

TEST(Examples, AnEpochReadsEveryDocumentWithoutGaps) {
  auto options = with_length(1024, Objective::mlm);
  options.short_sequence_probability = 0;
  const auto source = fixture().source(options);
  int64_t expected = 0;
  for (int64_t d = 0; d < fixture().corpus->documents(); ++d) expected += (fixture().corpus->tokens(d) + 1021) / 1022;
  EXPECT_EQ(source.size(), expected);
  // The documents of ten passes overlap: count how often the genome's bases are read, against how often
  // documents hold them.
  std::vector<int> held(1'000'000), seen(1'000'000);
  for (int64_t d = 0; d < fixture().corpus->documents(); ++d) {
    const auto region = fixture().corpus->document(d).region;
    if (region.contig == "a")
      for (int64_t p = region.start; p < region.end; ++p) ++held[static_cast<size_t>(p)];
  }
  for (int64_t i = 0; i < source.size(); ++i) {
    const auto region = source.make(0, i).region;
    if (region.contig == "a")
      for (int64_t p = region.start; p < region.end; ++p) ++seen[static_cast<size_t>(p)];
  }
  int64_t bases = 0, missed = 0;
  for (size_t p = 0; p < held.size(); ++p) {
    bases += held[p];
    missed += std::max(0, held[p] - seen[p]);
  }
  EXPECT_LT(static_cast<double>(missed), 0.01 * static_cast<double>(bases));  // at the ends of documents only
  const double times =
      static_cast<double>(std::accumulate(seen.begin(), seen.end(), int64_t{0})) / static_cast<double>(bases);
  EXPECT_LT(times, 1.06);
}

TEST(Examples, EpochsDifferAndSeedsDiffer) {
  const auto source = fixture().source(with_length(512));
  auto other_options = with_length(512);
  other_options.seed = 2;
  const auto other = fixture().source(other_options);
  int equal = 0;
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(same(source.make(0, i), source.make(0, i)));
    equal += same(source.make(0, i), source.make(1, i)) + same(source.make(0, i), other.make(0, i));
  }
  EXPECT_EQ(equal, 0);
}

TEST(Examples, AreTheSameForAnyNumberOfThreadsAndRanks) {
  const auto source = fixture().source(with_length(512));
  constexpr int64_t kBatch = 8, kBatches = 60;
  // Rank r of n takes every n-th example of a batch, as training does.
  const auto all = [&](int threads, int64_t ranks) {
    std::vector<Example> examples(kBatch * kBatches);
    for (int64_t rank = 0; rank < ranks; ++rank)
      parallel_for(kBatches, threads, [&](int64_t batch) {
        for (int64_t i = rank; i < kBatch; i += ranks) {
          auto example = source.make(0, batch * kBatch + i);
          examples[static_cast<size_t>(example.index)] = std::move(example);
        }
      });
    return examples;
  };
  const auto expected = all(1, 1);
  for (const auto& [threads, ranks] : {std::pair<int, int64_t>{8, 1}, {1, 2}, {2, 4}}) {
    const auto now = all(threads, ranks);
    for (size_t i = 0; i < now.size(); ++i)
      ASSERT_TRUE(same(now[i], expected[i])) << threads << " threads, " << ranks << " ranks";
  }
}

TEST(Examples, TinyCorpora) {
  SamplerOptions sampler;
  sampler.passes = 1;
  sampler.start_max = 0;
  for (const int64_t bases : {2, 6, 40, 2000}) {
    test::TempDir folder;
    test::write_fasta(folder / "genome.fa", {{"only", test::random_bases(bases, 5)}});
    BuildOptions options;
    options.fastas = {folder / "genome.fa"};
    options.output = folder / "corpus";
    options.sampler = sampler;
    options.hold_out = "none";
    const auto vocabulary = test::small_vocabulary();
    build_corpus(options, tokenizer::Encoder(vocabulary));
    const ExampleSource source(std::make_shared<Corpus>(options.output, Corpus::Split::training), vocabulary, {});
    const ExampleSource none(std::make_shared<Corpus>(options.output, Corpus::Split::validation), vocabulary, {});
    EXPECT_EQ(none.size(), 0);
    ASSERT_GT(source.size(), 0);
    for (int64_t epoch = 0; epoch < 50; ++epoch) {
      const Example e = source.make(epoch, 0);
      EXPECT_GE(e.masked.size(), 1u);
      EXPECT_EQ(e.targets.size(), 1u);
    }
  }
}

TEST(Examples, OptionsThatMakeNoSense) {
  EXPECT_THROW(fixture().source(with_length(4)), UsageError);
  EXPECT_THROW(fixture().source(with_length(2, Objective::mlm)), UsageError);
  auto options = with_length(512);
  options.mask_fraction = 0;
  EXPECT_THROW(fixture().source(options), UsageError);
  auto pieces = fixture().vocabulary.pieces();
  tokenizer::SpecialTokens special;
  special.mask = -1;
  EXPECT_THROW(ExampleSource(fixture().corpus, tokenizer::Vocabulary(pieces, special), {}), Error);
}

}  // namespace
}  // namespace bigdna::corpus
