// MLM+NSP examples: what each must be, the same for any thread or rank, and their distributions over 10^5
// examples, with wrong ones to show that the tests can fail.
#include "corpus/examples.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "corpus/corpora.h"
#include "corpus/loader.h"

namespace bigdna::corpus {
namespace {

/// A corpus in a temporary folder. Its tokens are pairs and triples of bases: 2.4 bp each, so that a document
/// has 10 000 to 40 000 of them.
struct Fixture {
  test::TempDir folder;
  tokenizer::Vocabulary vocabulary = test::small_vocabulary();
  std::shared_ptr<const Corpus> corpus, held_out;

  explicit Fixture(int64_t bases = 2'000'000, corpus::SamplerOptions sampler = {}) {
    test::write_fasta(folder / "genome.fa",
                      {{"a", test::random_bases(bases / 2, 1)}, {"b", test::random_bases(bases / 2, 2)}});
    BuildOptions options;
    options.fastas = {folder / "genome.fa"};
    options.output = folder / "corpus";
    options.sampler = sampler;
    options.file_size = 500'000;
    options.threads = 2;
    build_corpus(options, tokenizer::Encoder(vocabulary));
    corpus = std::make_shared<Corpus>(options.output, Corpus::Part::training);
    held_out = std::make_shared<Corpus>(options.output, Corpus::Part::validation);
  }
  ExampleSource source(ExampleOptions options = {}) const {
    return ExampleSource(corpus, vocabulary, options);
  }
};

const Fixture& fixture() {
  static const Fixture fixture;
  return fixture;
}

ExampleOptions with_length(int64_t max_length, Objective objective = Objective::mlm_nsp) {
  ExampleOptions options;
  options.max_length = max_length;
  options.objective = objective;
  return options;
}

/// What was under the masks.
std::vector<int32_t> truth(const Example& example) {
  auto ids = example.ids;
  for (size_t i = 0; i < example.masked.size(); ++i)
    ids[static_cast<size_t>(example.masked[i])] = example.masked_labels[i];
  return ids;
}

std::string text_of(const tokenizer::Vocabulary& vocabulary, std::span<const int32_t> ids) {
  std::string text;
  for (const auto id : ids) text += vocabulary.piece(id).text;
  return text;
}

bool same(const Example& a, const Example& b) {
  return a.ids == b.ids && a.token_types == b.token_types && a.masked == b.masked &&
         a.masked_labels == b.masked_labels && a.targets == b.targets && a.region == b.region &&
         a.index == b.index;
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
    for (size_t t = 0; t < e.ids.size(); ++t)
      EXPECT_TRUE(e.ids[t] != 4 || masked.count(static_cast<int32_t>(t)));
  }
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
    EXPECT_EQ(text_of(fixture().vocabulary, std::span(ids).subspan(1, ids.size() - 2)),
              genome.fetch(e.region));
  }
}

TEST(Examples, AnEpochReadsEveryDocumentWithoutGaps) {
  auto options = with_length(1024, Objective::mlm);
  options.short_sequence_probability = 0;
  const auto source = fixture().source(options);
  int64_t expected = 0;
  for (int64_t d = 0; d < fixture().corpus->documents(); ++d)
    expected += (fixture().corpus->tokens(d) + 1021) / 1022;
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

TEST(Examples, AreTheSameForAnyNumberOfWorkersAndRanks) {
  const auto source = fixture().source(with_length(512));
  constexpr int64_t kBatch = 8, kBatches = 60;
  // Rank r of n takes every n-th example of a batch, as training does.
  const auto all = [&](int workers, int64_t ranks) {
    std::vector<Example> examples(kBatch * kBatches);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      Loader loader(
          [&, rank](int64_t batch) {
            std::vector<Example> mine;
            for (int64_t i = rank; i < kBatch; i += ranks) mine.push_back(source.make(0, batch * kBatch + i));
            return mine;
          },
          0, workers);
      for (int64_t batch = 0; batch < kBatches; ++batch)
        for (auto& example : loader.next()) examples[static_cast<size_t>(example.index)] = std::move(example);
    }
    return examples;
  };
  const auto expected = all(1, 1);
  for (const auto& [workers, ranks] : {std::pair<int, int64_t>{8, 1}, {1, 2}, {2, 4}}) {
    const auto now = all(workers, ranks);
    for (size_t i = 0; i < now.size(); ++i)
      ASSERT_TRUE(same(now[i], expected[i])) << workers << " workers, " << ranks << " ranks";
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
    const ExampleSource source(std::make_shared<Corpus>(options.output, Corpus::Part::training), vocabulary,
                               {});
    const ExampleSource none(std::make_shared<Corpus>(options.output, Corpus::Part::validation), vocabulary,
                             {});
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

/// What 10^5 examples say.
struct Tally {
  int64_t tokens = 0, chosen = 0, masked = 0,
          kept = 0;  // kept: unchanged, as chance draws a token itself as well
  int64_t random = 0, examples = 0, not_next = 0, full = 0;
  std::vector<int64_t> drawn;      // random tokens, by id
  std::vector<int64_t> positions;  // of chosen tokens in full examples, 0 to 999
  std::vector<int64_t> shorter;    // lengths of short examples' payload
};

Tally tally(const ExampleSource& source, int64_t examples, int64_t max_length, int64_t vocabulary) {
  Tally t;
  t.drawn.resize(static_cast<size_t>(vocabulary));
  for (int64_t i = 0; i < examples; ++i) {
    const Example e = source.make(i / source.size(), i % source.size());
    ++t.examples;
    t.not_next += e.targets.at(0) == 1;
    const bool full = static_cast<int64_t>(e.ids.size()) == max_length;
    t.full += full;
    if (!full) t.shorter.push_back(static_cast<int64_t>(e.ids.size()) - 3);
    t.tokens += static_cast<int64_t>(e.ids.size()) - 3;
    t.chosen += static_cast<int64_t>(e.masked.size());
    for (size_t m = 0; m < e.masked.size(); ++m) {
      const int32_t now = e.ids[static_cast<size_t>(e.masked[m])];
      if (full) t.positions.push_back(e.masked[m]);
      if (now == 4)
        ++t.masked;
      else if (now == e.masked_labels[m])
        ++t.kept;
      else
        ++t.random, ++t.drawn[static_cast<size_t>(now)];
    }
  }
  return t;
}

double fates_p(const Tally& t, double pieces) {
  return test::chi_square_p({t.masked, t.random, t.kept}, {0.8, 0.1 * (1 - 1 / pieces), 0.1 + 0.1 / pieces});
}
double next_p(int64_t not_next, int64_t examples) {
  return test::chi_square_p({not_next, examples - not_next}, {0.5, 0.5});
}

TEST(ExampleStatistics, FifteenPercentEightyTenTenAndHalves) {
  constexpr int64_t kLength = 67, kExamples = 100'000;  // 64 tokens beside the special ones
  const auto source = fixture().source(with_length(kLength));
  const auto& vocabulary = fixture().vocabulary;
  const double pieces = static_cast<double>(vocabulary.size() - 5);
  const Tally t = tally(source, kExamples, kLength, vocabulary.size());
  EXPECT_NEAR(static_cast<double>(t.chosen) / static_cast<double>(t.tokens), 0.15,
              0.008);  // round(9.6) = 10 of 64
  EXPECT_GT(fates_p(t, pieces), test::kChance);
  EXPECT_GT(next_p(t.not_next, t.examples), test::kChance);
  for (int id = 0; id < 5; ++id) EXPECT_EQ(t.drawn[static_cast<size_t>(id)], 0);
  // One in ten is short, but for those that drew the whole length.
  const double shorter = 0.1 * 62 / 63;
  EXPECT_GT(test::chi_square_p({t.examples - t.full, t.full}, {shorter, 1 - shorter}), test::kChance);
  EXPECT_GT(test::uniform_p(t.shorter, 2, 63), test::kChance);

  // 15 % of a longer stretch, the places of masks, and the pieces drawn
  auto options = with_length(1003);
  options.short_sequence_probability = 0;
  const auto longer = fixture().source(options);
  const Tally u = tally(longer, 3000, 1003, vocabulary.size());
  EXPECT_NEAR(static_cast<double>(u.chosen) / static_cast<double>(u.tokens), 0.15, 1e-3);
  std::vector<int64_t> places;  // the [SEP] in the middle moves
  for (const int64_t p : u.positions)
    if (p <= 1000) places.push_back(p);
  EXPECT_GT(test::uniform_p(places, 1, 1000), test::kChance);
}

TEST(ExampleStatistics, RandomTokensAreUniformOverPieces) {
  // The letter N and pieces that the text lacks are drawn as often as others: each unless it is what stood
  // there.
  const auto source = fixture().source(with_length(515));
  const auto& vocabulary = fixture().vocabulary;
  std::vector<double> stood(static_cast<size_t>(vocabulary.size()));
  Tally t = tally(source, 20'000, 515, vocabulary.size());
  for (int64_t i = 0; i < 2000; ++i)
    for (const int32_t label : source.make(0, i).masked_labels) ++stood[static_cast<size_t>(label)];
  const double total = std::accumulate(stood.begin(), stood.end(), 0.0),
               pieces = static_cast<double>(vocabulary.size() - 5);
  std::vector<double> shares;
  for (int64_t id = 5; id < vocabulary.size(); ++id)
    shares.push_back((1 - stood[static_cast<size_t>(id)] / total) / (pieces - 1));
  EXPECT_GT(test::chi_square_p({t.drawn.begin() + 5, t.drawn.end()}, shares), test::kChance);
}

TEST(ExampleStatistics, TheOrderIsAUniformPermutation) {
  // Where index i goes, over many epochs; and each epoch is a permutation: by what documents its examples lie
  // in.
  constexpr int64_t kSize = 1000;
  std::vector<int64_t> to;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Permutation order(kSize, mix({seed, 9}));
    std::set<uint64_t> all;
    for (uint64_t i = 0; i < kSize; ++i) all.insert(order(i));
    ASSERT_EQ(all.size(), static_cast<size_t>(kSize));
  }
  for (uint64_t epoch = 0; epoch < 100'000; ++epoch)
    to.push_back(static_cast<int64_t>(Permutation(kSize, mix({1, epoch, 0}))(7)));
  EXPECT_GT(test::uniform_p(to, 0, kSize - 1), test::kChance);

  // Through the source itself: the place in the genome of example 0 of many epochs.
  std::map<genome::Region, int64_t> first;
  std::vector<int64_t> counts;
  auto options = with_length(100'000, Objective::mlm);
  options.short_sequence_probability = 0;
  const auto whole = fixture().source(options);  // a document is an example
  const int64_t size = whole.size();
  ASSERT_EQ(size, fixture().corpus->documents());
  for (int64_t epoch = 0; epoch < 8 * size; ++epoch) ++first[whole.make(epoch, 0).region];
  for (const auto& [region, count] : first) counts.push_back(count);
  ASSERT_EQ(static_cast<int64_t>(counts.size()), size);
  EXPECT_GT(test::chi_square_p(counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(size))),
            test::kChance);
  std::set<genome::Region> epoch0;
  for (int64_t i = 0; i < size; ++i) epoch0.insert(whole.make(0, i).region);
  EXPECT_EQ(static_cast<int64_t>(epoch0.size()), size);
}

TEST(ExampleStatistics, SecondSegmentsComeFromTheWholeCorpus) {
  // B's contig when it is not the continuation: a and b are of equal length, whatever A's contig.
  auto options = with_length(515);
  options.short_sequence_probability = 0;
  const auto source = fixture().source(options);
  const genome::Genome genome(fixture().folder / "genome.fa");
  const std::string contigs[] = {genome.fetch({"a", 0, 1'000'000, '+'}),
                                 genome.fetch({"b", 0, 1'000'000, '+'})};
  int64_t same_contig = 0, pairs = 0;
  std::vector<int64_t> places;
  for (int64_t i = 0; pairs < 300; ++i) {
    const Example e = source.make(0, i);
    if (e.targets[0] == 0) continue;
    const auto ids = truth(e);
    const auto separator = static_cast<size_t>(std::find(ids.begin(), ids.end(), 3) - ids.begin());
    if (ids.size() - separator < 40) continue;
    const std::string b = text_of(fixture().vocabulary, std::span(ids).subspan(separator + 1, 30));
    for (const auto& contig : contigs)
      if (const auto at = contig.find(b); at != std::string::npos) {
        same_contig += (&contig == contigs ? "a" : "b") == e.region.contig;
        places.push_back(static_cast<int64_t>(at));
        ++pairs;
      }
  }
  // held-out blocks lie on both contigs: shares of training sequence, not exactly a half each
  const auto training = fixture().corpus->training_intervals();
  int64_t bases[2] = {0, 0};
  for (const auto& [contig, intervals] : training.contigs())
    for (const auto& [start, end] : intervals) bases[contig == "b"] += end - start;
  const double a = static_cast<double>(bases[0]) / static_cast<double>(bases[0] + bases[1]),
               together = a * a + (1 - a) * (1 - a);
  EXPECT_GT(test::chi_square_p({same_contig, pairs - same_contig}, {together, 1 - together}), test::kChance);
  EXPECT_GT(*std::max_element(places.begin(), places.end()), 900'000);
  EXPECT_LT(*std::min_element(places.begin(), places.end()), 100'000);
}

TEST(ExampleStatistics, WrongExamplesAreCaught) {
  constexpr int64_t kLength = 67, kExamples = 100'000;
  const auto& vocabulary = fixture().vocabulary;
  const double pieces = static_cast<double>(vocabulary.size() - 5);
  Tally t = tally(fixture().source(with_length(kLength)), 20'000, kLength, vocabulary.size());
  t.kept += t.masked / 100, t.masked -= t.masked / 100;  // 79.2 % masked
  EXPECT_LT(fates_p(t, pieces), test::kChance);
  EXPECT_LT(next_p(kExamples * 51 / 100, kExamples), test::kChance);
  std::vector<int64_t> identity;  // an order that is not a random permutation
  for (int64_t epoch = 0; epoch < 100'000; ++epoch) identity.push_back((epoch * 7919) % 990);
  EXPECT_LT(test::uniform_p(identity, 0, 999), test::kChance);
  auto options = with_length(1003);
  options.short_sequence_probability = 0;
  options.mask_fraction = 0.14;
  const Tally fewer = tally(fixture().source(options), 500, 1003, vocabulary.size());
  EXPECT_GT(std::abs(static_cast<double>(fewer.chosen) / static_cast<double>(fewer.tokens) - 0.15), 1e-3);
}

}  // namespace
}  // namespace bigdna::corpus
