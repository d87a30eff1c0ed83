// Gaps: where middles are cut, the layout of their examples, and which tokens count.
#include "corpus/gaps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "base/threads.h"
#include "corpus/corpora.h"
#include "corpus/example_fixture.h"

namespace bigdna::corpus {
namespace {

ExampleOptions with_gaps(int64_t max_length, double share) {
  auto options = with_length(max_length, Objective::next);
  options.gaps = share;
  return options;
}

TEST(Gaps, PartsAreTheBasesAndLengthsAreLogUniform) {
  const std::string bases = test::random_bases(1000, 3);
  Rng rng(5);
  std::map<int64_t, int64_t> lengths;
  double places = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto gap = draw_gap(bases, rng);
    ASSERT_TRUE(gap);
    ASSERT_EQ(gap->left + gap->middle + gap->right, bases);
    ++lengths[std::ssize(gap->middle)];
    places += static_cast<double>(gap->left.size()) / static_cast<double>(bases.size() - gap->middle.size());
  }
  EXPECT_GE(lengths.begin()->first, 1);
  EXPECT_LE(lengths.rbegin()->first, kLongestGap);
  EXPECT_NEAR(places / kDraws, 0.5, 0.01);
  int64_t count = 0;
  for (int64_t low = 1; low <= 50; low *= 2) {  // lengths low to 2 low - 1
    count = 0;
    for (int64_t length = low; length < 2 * low; ++length) count += lengths[length];
    EXPECT_NEAR(static_cast<double>(count) / kDraws, std::log(2.0) / std::log(101.0), 0.012) << low;
  }
}

TEST(Gaps, AreAThirdAtMostAndNeverHaveAnN) {
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    const auto gap = draw_gap("ACGTAC", rng);
    ASSERT_TRUE(gap);
    ASSERT_LE(gap->middle.size(), 2u);
    EXPECT_FALSE(draw_gap("AC", rng));
    EXPECT_FALSE(draw_gap("NNNNNNNNNNNN", rng));
    const auto some = draw_gap("ACNNGTACGT", rng);
    if (some) {
      ASSERT_EQ(some->middle.find('N'), std::string::npos);
    }
  }
}

TEST(Gaps, LayoutAndWhatIsPredicted) {
  const tokenizer::SpecialTokens special;  // 2: [CLS], 3: [SEP], 4: [MASK]
  const GapTokens gap{{10, 11}, {20, 21}, {30}};
  const auto all = gap_example(gap, special, GapPart::all);
  EXPECT_EQ(all.ids, (std::vector<int32_t>{2, 10, 11, 4, 30, 3, 20, 21, 3}));
  EXPECT_EQ(all.token_types, std::vector<uint8_t>(9, 0));
  EXPECT_EQ(all.masked_labels, (std::vector<int32_t>{10, 11, 30, 20, 21, 3}));  // no [MASK], no first [SEP]
  EXPECT_EQ(all.masked, (std::vector<int32_t>{0, 1, 3, 5, 6, 7}));
  const auto middle = gap_example(gap, special, GapPart::middle);
  EXPECT_EQ(middle.ids, all.ids);
  EXPECT_EQ(middle.prefix, 6);
  EXPECT_EQ(middle.masked_labels, (std::vector<int32_t>{20, 21, 3}));
  EXPECT_EQ(middle.masked, (std::vector<int32_t>{5, 6, 7}));
  const auto bare = gap_example({{}, {20}, {}}, special, GapPart::all);
  EXPECT_EQ(bare.ids, (std::vector<int32_t>{2, 4, 3, 20, 3}));
  EXPECT_EQ(bare.masked, (std::vector<int32_t>{2, 3}));
}

TEST(Gaps, FlanksAreCutAtTheirOuterEnds) {
  const auto cut = [](int64_t left, int64_t right, int64_t max_length) {
    GapTokens gap;
    for (int64_t i = 0; i < left; ++i) gap.left.push_back(static_cast<int32_t>(100 + i));
    for (int64_t i = 0; i < right; ++i) gap.right.push_back(static_cast<int32_t>(200 + i));
    cut_flanks(gap, max_length, 2);
    return gap;
  };
  auto gap = cut(10, 10, 14);  // room for 8
  EXPECT_EQ(gap.left, (std::vector<int32_t>{106, 107, 108, 109}));
  EXPECT_EQ(gap.right, (std::vector<int32_t>{200, 201, 202, 203}));
  gap = cut(1, 10, 14);
  EXPECT_EQ(gap.left.size(), 1u);
  EXPECT_EQ(gap.right.size(), 7u);
  gap = cut(10, 2, 14);
  EXPECT_EQ(gap.left.size(), 6u);
  EXPECT_EQ(gap.right.size(), 2u);
  gap = cut(3, 3, 14);
  EXPECT_EQ(gap.left.size() + gap.right.size(), 6u);
  EXPECT_THROW(cut(1, 1, 5), UsageError);
}

TEST(Gaps, ExamplesAreTheBasesOfPlainOnesEachPartTokenisedByItself) {
  const auto plain = fixture().source(with_length(64, Objective::next)), source = fixture().source(with_gaps(64, 0.5));
  const tokenizer::Encoder encoder(fixture().vocabulary);
  ASSERT_EQ(source.size(), plain.size());
  int64_t gaps = 0, between_tokens = 0;
  constexpr int64_t kExamples = 400;
  for (int64_t i = 0; i < kExamples; ++i) {
    const Example e = source.make(1, i), whole = plain.make(1, i);
    const auto gap = source.gap(1, i);
    ASSERT_EQ(e.region, whole.region);
    ASSERT_LE(e.ids.size(), 64u);
    if (!gap) {
      EXPECT_EQ(e.ids, whole.ids);
      EXPECT_EQ(e.masked, whole.masked);
      continue;
    }
    ++gaps;
    const std::span ids(whole.ids);
    EXPECT_EQ(gap->left + gap->middle + gap->right, text_of(fixture().vocabulary, ids.subspan(1, ids.size() - 2)));
    auto tokens = tokenise(*gap, encoder);
    EXPECT_EQ(tokens.middle, encoder.encode(gap->middle).ids);
    cut_flanks(tokens, 64, std::ssize(tokens.middle));
    const auto expected = gap_example(tokens, fixture().vocabulary.special(), GapPart::all);
    EXPECT_EQ(e.ids, expected.ids);
    EXPECT_EQ(e.masked, expected.masked);
    EXPECT_EQ(e.masked_labels, expected.masked_labels);
    size_t bases = 0;
    for (size_t t = 1; t + 1 < whole.ids.size() && bases < gap->left.size(); ++t)
      bases += static_cast<size_t>(fixture().vocabulary.bases(whole.ids[t]));
    between_tokens += bases == gap->left.size();
  }
  EXPECT_NEAR(static_cast<double>(gaps) / kExamples, 0.5, 0.1);
  EXPECT_LT(between_tokens, gaps * 3 / 4);  // borders lie at any base
  EXPECT_GT(between_tokens, 0);
}

TEST(Gaps, ExamplesAreTheSameOnAnyThread) {
  const auto source = fixture().source(with_gaps(128, 0.5));
  std::vector<Example> one(200), two(200);
  for (size_t i = 0; i < one.size(); ++i) one[i] = source.make(2, static_cast<int64_t>(i));
  parallel_for(200, 2, [&](int64_t i) { two[static_cast<size_t>(i)] = source.make(2, i); });
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].ids, two[i].ids);
    EXPECT_EQ(one[i].masked, two[i].masked);
  }
}

TEST(Gaps, NeedTheObjectiveNextAndRoom) {
  auto options = with_length(64, Objective::mlm);
  options.gaps = 0.5;
  EXPECT_THROW(fixture().source(options), UsageError);
  EXPECT_THROW(fixture().source(with_gaps(6, 0.5)), UsageError);
  const auto source = fixture().source(with_gaps(7, 1));
  for (int64_t i = 0; i < 100; ++i) ASSERT_LE(source.make(0, i).ids.size(), 7u);
}

}  // namespace
}  // namespace bigdna::corpus
