// MLM+NSP examples: their distributions over 10^5 of them, with wrong ones to show that the tests can fail.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "corpus/corpora.h"
#include "corpus/example_fixture.h"
#include "corpus/examples.h"

namespace bigdna::corpus {
namespace {

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
  const std::string contigs[] = {genome.fetch({"a", 0, 1'000'000, '+'}), genome.fetch({"b", 0, 1'000'000, '+'})};
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

TEST(ExampleStatistics, AnyShareOfTheTokensIsChosen) {
  for (const double share : {0.01, 0.3, 0.6, 0.9}) {
    auto options = with_length(1003);
    options.short_sequence_probability = 0;
    options.mask_fraction = share;
    const Tally of = tally(fixture().source(options), 200, 1003, fixture().vocabulary.size());
    EXPECT_NEAR(static_cast<double>(of.chosen) / static_cast<double>(of.tokens), share, 1e-3);
  }
}

}  // namespace
}  // namespace bigdna::corpus
