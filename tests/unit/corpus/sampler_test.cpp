// F.1's sampler: its rules on sequence made up for each, and its distributions over 10^5 documents, with
// samplers that are wrong in one number each to show that the tests can fail.
#include "corpus/sampler.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "corpus/corpora.h"

namespace bigdna::corpus {
namespace {

using Intervals = std::vector<genome::IntervalSet::Interval>;

Intervals whole(const std::string& bases) { return {{0, static_cast<int64_t>(bases.size())}}; }

int64_t first_base(const DocumentPlan& document, size_t sentence) {
  return sentence == 0 ? document.start : document.ends[sentence - 1];
}

TEST(Sampler, DocumentsAreConsecutiveAndTheLastEndsWithTheContig) {
  const std::string bases = test::random_bases(400'000, 1);
  for (int pass = 0; pass < 5; ++pass) {
    const auto documents = sample_documents({}, "chr1", pass, bases, whole(bases));
    ASSERT_GT(documents.size(), 3u);
    EXPECT_LE(documents.front().start, 5000);
    for (size_t d = 0; d < documents.size(); ++d) {
      const bool last = d + 1 == documents.size();
      if (!last) {
        EXPECT_EQ(documents[d].ends.back(), documents[d + 1].start);
        EXPECT_GE(documents[d].ends.size(), 50u);
      }
      EXPECT_LE(documents[d].ends.size(), 100u);
      for (size_t s = 0; s < documents[d].ends.size(); ++s) {
        const int64_t length = documents[d].ends[s] - first_base(documents[d], s);
        EXPECT_LE(length, 1000);
        EXPECT_GE(length, last && s + 1 == documents[d].ends.size() ? 1 : 500);
      }
    }
    EXPECT_EQ(documents.back().ends.back(), 400'000);
  }
}

TEST(Sampler, IsAPureFunctionOfSeedContigAndPass) {
  const std::string bases = test::random_bases(100'000, 1);
  const auto starts = [&](uint64_t seed, const std::string& contig, int pass) {
    SamplerOptions options;
    options.seed = seed;
    std::vector<int64_t> ends;
    for (const auto& document : sample_documents(options, contig, pass, bases, whole(bases)))
      ends.insert(ends.end(), document.ends.begin(), document.ends.end());
    return ends;
  };
  EXPECT_EQ(starts(1, "a", 0), starts(1, "a", 0));
  EXPECT_NE(starts(1, "a", 0), starts(2, "a", 0));
  EXPECT_NE(starts(1, "a", 0), starts(1, "b", 0));
  EXPECT_NE(starts(1, "a", 0), starts(1, "a", 1));
}

TEST(Sampler, SentencesOfNAreLeftOutAndEndTheirDocument) {
  std::string bases = test::random_bases(300'000, 2);
  bases.replace(100'000, 50'000, 50'000, 'N');
  const auto documents = sample_documents({}, "c", 0, bases, whole(bases));
  int64_t covered = 0;
  for (const auto& document : documents)
    for (size_t s = 0; s < document.ends.size(); ++s) {
      const int64_t from = first_base(document, s), length = document.ends[s] - from;
      EXPECT_LE(
          2 * genome::count_n(std::string_view(bases).substr(static_cast<size_t>(from), static_cast<size_t>(length))),
          length);
      covered += length;
    }
  EXPECT_GT(covered, 240'000);
  EXPECT_LT(covered, 251'100);
  for (const auto& document : documents)
    EXPECT_FALSE(document.start < 100'000 && document.ends.back() > 150'000) << "a document bridges the gap";

  SamplerOptions all;
  all.max_n_fraction = 1;
  int64_t bases_of_all = 0;
  for (const auto& document : sample_documents(all, "c", 0, bases, whole(bases)))
    bases_of_all += document.ends.back() - document.start;
  EXPECT_GE(bases_of_all, 295'000);
  EXPECT_TRUE(sample_documents({}, "n", 0, std::string(50'000, 'N'), {{0, 50'000}}).empty());
}

TEST(Sampler, StaysInsideTheAllowedIntervalsAndFillsThem) {
  const std::string bases = test::random_bases(1'000'000, 3);
  const Intervals allowed{{0, 200'000}, {250'000, 250'300}, {260'000, 700'001}, {999'999, 1'000'000}};
  SamplerOptions options;
  options.start_max = 0;
  for (int pass = 0; pass < 3; ++pass) {
    genome::IntervalSet set;
    for (const auto& document : sample_documents(options, "c", pass, bases, allowed)) {
      EXPECT_FALSE(set.overlaps("c", document.start, document.ends.back()));
      set.add("c", document.start, document.ends.back());
    }
    EXPECT_EQ(set.intervals("c"), allowed);
  }
}

TEST(Sampler, ShortAndEmptyContigs) {
  EXPECT_TRUE(sample_documents({}, "empty", 0, "", {}).empty());
  for (int pass = 0; pass < 50; ++pass) {  // shorter than a sentence: one document, from inside the contig to its end
    const auto documents = sample_documents({}, "short", pass, "ACGTACGTAC", {{0, 10}});
    ASSERT_EQ(documents.size(), 1u);
    EXPECT_LT(documents[0].start, 10);
    EXPECT_EQ(documents[0].ends, (std::vector<int64_t>{10}));
  }
}

TEST(Sampler, OptionsThatMakeNoSense) {
  const auto broken = [](auto change) {
    SamplerOptions options;
    change(options);
    return test::error_of([&] { check(options); });
  };
  EXPECT_EQ(broken([](SamplerOptions&) {}), "");
  EXPECT_NE(broken([](SamplerOptions& o) { o.passes = 0; }), "");
  EXPECT_NE(broken([](SamplerOptions& o) { o.start_max = -1; }), "");
  EXPECT_NE(broken([](SamplerOptions& o) { o.sentences_min = 101; }), "");
  EXPECT_NE(broken([](SamplerOptions& o) { o.sentence_min = 0; }), "");
  EXPECT_NE(broken([](SamplerOptions& o) { o.max_n_fraction = NAN; }), "");
  EXPECT_NE(broken([](SamplerOptions& o) { o.sentence_max = 1'000'000'000; }), "");
}

// What 10^5 documents say about a sampler.
struct Sample {
  std::vector<int64_t> sentences, lengths;
  int64_t minus = 0;
};

Sample sample(const SamplerOptions& options, int64_t documents) {
  static const std::string bases(8'000'000, 'A');
  Sample result;
  for (int pass = 0; static_cast<int64_t>(result.sentences.size()) < documents; ++pass) {
    auto plan = sample_documents(options, "contig", pass, bases, whole(bases));
    plan.pop_back();  // cut short by the contig's end
    for (const auto& document : plan) {
      result.sentences.push_back(static_cast<int64_t>(document.ends.size()));
      result.minus += document.strand == '-';
      for (size_t s = 0; s < document.ends.size(); s += 16)
        result.lengths.push_back(document.ends[s] - first_base(document, s));
    }
  }
  return result;
}

double starts_p(const SamplerOptions& options) {  // one start a pass
  const std::string bases(6000, 'A');
  std::vector<int64_t> starts;
  for (int pass = 0; pass < 100'000; ++pass)
    starts.push_back(sample_documents(options, "starts", pass, bases, whole(bases)).front().start);
  return test::uniform_p(starts, 0, 5000);
}
double sentences_p(const Sample& s) { return test::uniform_p(s.sentences, 50, 100); }
double lengths_p(const Sample& s) { return test::uniform_p(s.lengths, 500, 1000); }
double lengths_ks(const Sample& s, uint64_t seed) {  // integers spread over their unit interval
  Rng rng(seed);
  std::vector<double> values;
  for (const int64_t length : s.lengths) values.push_back((static_cast<double>(length - 500) + rng.uniform()) / 501);
  return test::kolmogorov_p(values);
}
double strand_p(const Sample& s) {
  const auto plus = static_cast<int64_t>(s.sentences.size()) - s.minus;
  return test::chi_square_p({plus, s.minus}, {0.5, 0.5});
}

TEST(SamplerStatistics, StartsSentencesLengthsAndStrandsAreUniform) {
  SamplerOptions options;
  options.strands = SamplerOptions::Strands::both;
  const Sample s = sample(options, 100'000);
  EXPECT_GT(starts_p({}), test::kChance);
  EXPECT_GT(sentences_p(s), test::kChance);
  EXPECT_GT(lengths_p(s), test::kChance);
  EXPECT_GT(lengths_ks(s, 1), test::kChance);
  EXPECT_GT(strand_p(s), test::kChance);
  EXPECT_EQ(sample({}, 1000).minus, 0);
}

TEST(SamplerStatistics, WrongSamplersAreCaught) {
  SamplerOptions wrong;
  wrong.start_max = 4950;
  EXPECT_LT(starts_p(wrong), test::kChance);
  wrong = {};
  wrong.sentences_max = 99;
  EXPECT_LT(sentences_p(sample(wrong, 10'000)), test::kChance);
  wrong = {};
  wrong.sentence_max = 990;
  EXPECT_LT(lengths_p(sample(wrong, 10'000)), test::kChance);
  EXPECT_LT(lengths_ks(sample(wrong, 10'000), 1), test::kChance);
  Sample lopsided;
  lopsided.sentences.resize(100'000);
  lopsided.minus = 49'000;
  EXPECT_LT(strand_p(lopsided), test::kChance);
}

TEST(SamplerStatistics, ThePValuesAreRight) {
  EXPECT_NEAR(test::gamma_q(0.5, 3.841459 / 2), 0.05, 1e-6);  // chi-square, 1 degree of freedom
  EXPECT_NEAR(test::gamma_q(50, 124.3421 / 2), 0.05, 1e-6);   // 100 degrees of freedom
  EXPECT_NEAR(test::kolmogorov_p({0.1, 0.3, 0.5, 0.7, 0.9}), 1, 1e-3);
  std::vector<double> values;  // D = 0.1358 at n = 100 is the 5 % point (1.358 / sqrt n)
  for (int i = 0; i < 10'000; ++i) values.push_back((i + 0.5) / 10'000 * (1 - 0.01358));
  EXPECT_NEAR(test::kolmogorov_p(values), 0.05, 0.005);
}

}  // namespace
}  // namespace bigdna::corpus
