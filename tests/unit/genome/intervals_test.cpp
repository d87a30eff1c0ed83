#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/rng.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "genome/interval_set.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using io::write_file;
using test::error_of;
using test::TempDir;

TEST(IntervalSet, EqualsBruteForce) {
  constexpr int64_t kLength = 300;
  for (uint64_t round = 0; round < 40; ++round) {
    Rng rng(7, round);
    IntervalSet set;
    std::vector<bool> in(kLength);
    const auto draw = [&](int64_t longest) {
      const int64_t start = rng.between(0, kLength - 1);
      return Region{"c", start, std::min(kLength, start + rng.between(0, longest))};
    };
    for (uint64_t i = 0; i < 2 + round; ++i) {
      const Region region = draw(round % 3 ? 6 : 30);
      set.add(region);
      for (int64_t p = region.start; p < region.end; ++p) in[static_cast<size_t>(p)] = true;
    }
    int64_t total = 0, last = -1;
    std::vector<bool> gap(kLength, true);
    for (const auto& [start, end] : set.intervals("c")) {
      ASSERT_LT(start, end);
      ASSERT_GT(start, last);  // disjoint, not touching
      last = end;
    }
    for (const bool is_in : in) total += is_in;
    EXPECT_EQ(set.total(), total);
    for (const auto& [start, end] : set.gaps("c", kLength))
      for (int64_t p = start; p < end; ++p) gap[static_cast<size_t>(p)] = false;
    for (int64_t p = 0; p < kLength; ++p) ASSERT_EQ(gap[static_cast<size_t>(p)], in[static_cast<size_t>(p)]);
    for (int i = 0; i < 200; ++i) {
      const Region region = draw(40);
      int64_t bases = 0;
      for (int64_t p = region.start; p < region.end; ++p) bases += in[static_cast<size_t>(p)];
      EXPECT_EQ(set.overlap(region), bases);
      EXPECT_EQ(set.overlaps(region), bases > 0);
      EXPECT_EQ(set.covers(region), bases == region.length());
    }
  }
}

TEST(IntervalSet, ContigsAreApart) {
  IntervalSet set;
  set.add("a", 5, 10);
  EXPECT_FALSE(set.overlaps("b", 0, 100));
  EXPECT_TRUE(set.intervals("b").empty());
  EXPECT_EQ(set.gaps("b", 3), (std::vector<IntervalSet::Interval>{{0, 3}}));
  set.add("a", 10, 10);
  EXPECT_EQ(set.total(), 5);
  EXPECT_TRUE(IntervalSet().empty());
}

TEST(IntervalSet, ContigsAreFoundByEitherSpelling) {
  IntervalSet set;
  set.add("20", 10, 20);
  set.add("chr21", 10, 20);
  EXPECT_EQ(set.overlap({"chr20", 0, 15}), 5);
  EXPECT_EQ(set.overlap({"21", 0, 15}), 5);
  EXPECT_EQ(set.overlap({"22", 0, 15}), 0);
  set.add("chr20", 100, 200);  // its own spelling comes first
  EXPECT_EQ(set.overlap({"chr20", 0, 15}), 0);
}

TEST(ContigFilter, PrimaryAllAndRegex) {
  const ContigFilter primary, all("all"), chosen("chr[0-9]+|X");
  for (const std::string name : {"chr1", "20", "chrX", "chrM", "GL000207.1", "altitude"})
    EXPECT_TRUE(primary(name)) << name;
  for (const std::string name : {"chr6_GL000250v2_alt", "chr1_KI270706v1_random", "chrUn_KI270302v1",
                                 "chr10_KN196480v1_fix", "chrUn_KN707606v1_decoy", "hs37d5", "HLA-A*01:01:01:01"}) {
    EXPECT_FALSE(primary(name)) << name;
    EXPECT_TRUE(all(name));
  }
  EXPECT_TRUE(chosen("chr12"));
  EXPECT_TRUE(chosen("X"));
  EXPECT_FALSE(chosen("chr12_alt"));
  EXPECT_FALSE(chosen("chrX"));  // an expression with wildcards goes by the names as they are
  EXPECT_FALSE(chosen("12"));
  EXPECT_NE(error_of([] { ContigFilter("chr["); }).find("--contigs chr["), std::string::npos);
}

TEST(ContigFilter, ExpressionsTakeLinearTimeAndLittleStack) {
  EXPECT_TRUE(ContigFilter("(a|b|n)*")(std::string(300'000, 'a')));
  EXPECT_FALSE(ContigFilter("(a*)*b")(std::string(300'000, 'a')));  // 2^n ways for who tries them all
  EXPECT_FALSE(ContigFilter("(.*)*(.*)*(.*)*x")(std::string(10'000, 'a')));
  EXPECT_TRUE(ContigFilter("chr.*")("chr\xe9"));  // names are bytes
  const std::string many(100'000, '(');
  for (const std::string& bad : {many, std::string("(a{1000}){1000}"), std::string("(?!chrM).*")}) {
    const auto error = error_of([&] { ContigFilter{bad}; });
    EXPECT_NE(error.find("is not primary, all or a regular expression ("), std::string::npos) << error;
    EXPECT_LT(error.size(), 300u);
  }
}

TEST(ContigFilter, AnExactNameMayHoldCharactersOfExpressions) {
  EXPECT_TRUE(ContigFilter("gi|9626243|ref|NC_001416.1|")("gi|9626243|ref|NC_001416.1|"));
  EXPECT_TRUE(ContigFilter("HLA-A*01:01")("HLA-A*01:01"));
  EXPECT_FALSE(ContigFilter("HLA-A*01:01")("chr1"));
}

TEST(ContigFilter, AContigOfThisNameComesBeforeAnExpression) {
  const std::vector<Contig> contigs{{"chr1.1", 9}, {"chr1x1", 9}};
  const ContigFilter exact("chr1.1", contigs), expression("chr1..", contigs);
  EXPECT_TRUE(exact("chr1.1"));
  EXPECT_FALSE(exact("chr1x1"));
  EXPECT_TRUE(expression("chr1.1"));
  EXPECT_TRUE(expression("chr1x1"));
  EXPECT_TRUE(ContigFilter("all", {{"all", 9}})("other"));  // a word of the option
}

TEST(ContigFilter, PlainNamesInEitherSpelling) {
  const ContigFilter one("chr20"), two("20|chrX");
  EXPECT_TRUE(one("20"));
  EXPECT_TRUE(one("chr20"));
  EXPECT_FALSE(one("chr2"));
  EXPECT_TRUE(two("chr20"));
  EXPECT_TRUE(two("X"));
  EXPECT_FALSE(two("Y"));
}

const std::vector<Contig> kGenome = {{"chr1", 100'300'000}, {"chr2", 60'000'000}, {"3", 700'000}};

TEST(HeldOut, FractionIsMetInWholeBlocks) {
  for (const double fraction : {0.05, 0.1, 0.5, 0.9}) {
    const IntervalSet set = held_out(concat(fraction), kGenome, 1);
    EXPECT_NEAR(static_cast<double>(set.total()) / 161e6, fraction, 0.004) << fraction;
    for (const auto& [name, intervals] : set.contigs())
      for (const auto& [start, end] : intervals) {
        EXPECT_EQ(start % 1'000'000, 0);
        EXPECT_TRUE(end % 1'000'000 == 0 || end == 100'300'000 || end == 700'000) << name << " " << end;
      }
  }
  EXPECT_EQ(held_out("0.05", kGenome, 1), held_out("0.05", kGenome, 1));
  EXPECT_FALSE(held_out("0.05", kGenome, 1) == held_out("0.05", kGenome, 2));
}

TEST(HeldOut, SmallGenomesHaveSmallBlocks) {
  const std::vector<Contig> small = {{"a", 40000}, {"b", 60000}};
  const IntervalSet set = held_out("0.1", small, 3);
  EXPECT_EQ(set.total(), 10000);
  EXPECT_FALSE(held_out("0.0001", small, 3).empty());
}

TEST(HeldOut, BlocksAreDrawnEvenly) {
  std::vector<int> drawn(40);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const IntervalSet set = held_out("0.1", {{"a", 40'000'000}}, seed);
    for (int64_t block = 0; block < 40; ++block)
      drawn[static_cast<size_t>(block)] += set.covers({"a", block * 1'000'000, (block + 1) * 1'000'000});
  }
  for (const int count : drawn) EXPECT_NEAR(count, 40, 24);  // 4 standard deviations
}

TEST(HeldOut, AContigComesBeforeAFolderOfItsName) {
  TempDir dir;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  std::filesystem::create_directory("chr2");
  IntervalSet expected;
  expected.add("chr2", 0, 60'000'000);
  EXPECT_EQ(held_out("chr2", kGenome, 1), expected);
  EXPECT_EQ(error_of([] { held_out("chr2", {{"chr3", 10}}, 1); }), "chr2: is a folder");
  std::filesystem::current_path(here);
}

TEST(HeldOut, ContigsBedAndNothing) {
  IntervalSet expected;
  expected.add("chr2", 0, 60'000'000);
  expected.add("3", 0, 700'000);
  EXPECT_EQ(held_out("2,chr3", kGenome, 1), expected);
  EXPECT_TRUE(held_out("0", kGenome, 1).empty());
  EXPECT_TRUE(held_out("none", kGenome, 1).empty());
  TempDir dir;
  write_file(dir / "h.bed",
             "\xEF\xBB\xBF"
             "1\t10\t20\nchr2\t59999990\t70000000\nchr9\t1\t2\n");
  IntervalSet bed;
  bed.add("chr1", 10, 20);
  bed.add("chr2", 59'999'990, 60'000'000);
  EXPECT_EQ(held_out(dir / "h.bed", kGenome, 1), bed);
  for (const std::string bad : {"chr9", "1.5", "-0.1", "", "chr2,"})
    EXPECT_TRUE(error_of([&] { held_out(bad, kGenome, 1); }).starts_with("cannot hold out " + bad + ": ")) << bad;
  EXPECT_NE(error_of([&] { held_out(dir / "none.bed", kGenome, 1); }).find("No such file"), std::string::npos);
  write_file(dir / "other.bed", "chr9\t1\t2\n");
  EXPECT_NE(error_of([&] { held_out(dir / "other.bed", kGenome, 1); }).find("holds out nothing"), std::string::npos);
}

TEST(IntervalSet, UnionAndDifferenceEqualBruteForce) {
  constexpr int64_t kLength = 200;
  for (uint64_t round = 0; round < 60; ++round) {
    Rng rng(11, round);
    IntervalSet sets[2];
    for (auto& set : sets)
      for (uint64_t i = 0; i < round / 3; ++i) {
        const int64_t start = rng.between(0, kLength - 1);
        set.add("c", start, std::min(kLength, start + rng.between(1, 12)));
      }
    IntervalSet both = sets[0], expected_both, expected_rest;
    both.add(sets[1]);
    for (int64_t p = 0; p < kLength; ++p) {
      const bool first = sets[0].overlaps("c", p, p + 1), second = sets[1].overlaps("c", p, p + 1);
      if (first || second) expected_both.add("c", p, p + 1);
      if (first && !second) expected_rest.add("c", p, p + 1);
    }
    EXPECT_EQ(both, expected_both) << round;
    EXPECT_EQ(without(sets[0], sets[1]), expected_rest) << round;
  }
}

TEST(IntervalSet, AUnionKnowsAContigByEitherSpelling) {
  IntervalSet set, other;
  set.add("chr20", 0, 10);
  other.add("20", 5, 30);
  other.add("21", 0, 5);
  set.add(other);
  for (const char* contig : {"20", "chr20"}) EXPECT_TRUE(set.covers({contig, 0, 30})) << contig;
  EXPECT_EQ(set.total(), 35);
  EXPECT_EQ(set.contigs().size(), 2u);
}

TEST(OtherGenome, HasAContigOfAnotherLengthOrThatEndsBeforeWhatIsRecorded) {
  TempDir dir;
  write_file(dir / "g.fa", ">chr1\n" + std::string(60, 'A') + "\n>2\n" + std::string(40, 'C') + "\n");
  const Genome genome(dir / "g.fa");
  const auto said = [&](const IntervalSet& set) {
    testing::internal::CaptureStderr();
    warn_of_other_genome(set, "model", genome.contigs(), genome.path());
    return testing::internal::GetCapturedStderr();
  };
  IntervalSet set;
  set.add("1", 0, 60);
  set.add("chr2", 0, 40);
  set.add("chr3", 0, 1000);
  EXPECT_EQ(said(set), "");
  set.add("chr2", 39, 41);
  EXPECT_NE(
      said(set).find("warning: model: was trained on chr2 up to base 41, but " + (dir / "g.fa") + " has 2 of 40 bp"),
      std::string::npos);
  IntervalSet longer;
  longer.add("chr1", 0, 60);
  longer.set_length("1", 60);
  EXPECT_EQ(said(longer), "");
  longer.add("2", 10, 20);
  longer.set_length("2", 50);
  EXPECT_NE(said(longer).find("warning: model: was trained on 2 of 50 bp, but " + (dir / "g.fa") + " has 2 of 40 bp"),
            std::string::npos);
}

TEST(RecordedContigs, AreThoseThatWereRecorded) {
  const nlohmann::ordered_json details{{"contigs", to_json({{"a", 5}, {"b", 7}})}};
  const auto contigs = recorded_contigs(details);
  ASSERT_EQ(contigs.size(), 2u);
  EXPECT_EQ(contigs[1].name, "b");
  EXPECT_EQ(contigs[1].length, 7);
  EXPECT_TRUE(recorded_contigs(nlohmann::ordered_json::object()).empty());
  EXPECT_EQ(error_of([] {
              recorded_contigs({{"contigs", {1, 2}}});
            }),
            R"(contigs are not of the form [{"name", "length"}, ...])");
}

TEST(IntervalSetLengths, AreKeptOfTwoAssemblies) {
  IntervalSet set;
  set.add("chr1", 10, 20);
  EXPECT_EQ(set.length("chr1"), 0);
  EXPECT_TRUE(set.fits("chr1", 20));
  EXPECT_FALSE(set.fits("chr1", 19));
  EXPECT_TRUE(set.fits("chr2", 1));
  set.set_length("chr1", 100);
  EXPECT_EQ(set.length("1"), 100);
  EXPECT_TRUE(set.fits("1", 100));
  EXPECT_FALSE(set.fits("chr1", 101));
  EXPECT_EQ(to_json(set).dump(), R"([["chr1",10,20,100]])");
  EXPECT_EQ(intervals_from_json(to_json(set)).length("chr1"), 100);
  IntervalSet taken;
  taken.add("chr1", 12, 15);
  EXPECT_EQ(without(set, taken).length("chr1"), 100);
  EXPECT_EQ(on_contigs(set, {{"1", 90}}).length("1"), 90);
  EXPECT_EQ(all_of({{"a", 5}}).length("a"), 5);
  EXPECT_EQ(held_out("a", {{"a", 5}}, 1).length("a"), 5);
  EXPECT_EQ(held_out("0.5", {{"a", 5}}, 1).length("a"), 5);

  IntervalSet other;
  other.add("1", 30, 40);
  other.set_length("1", 99);
  set.add(other);
  EXPECT_EQ(set.length("chr1"), 0);
  EXPECT_TRUE(set.fits("chr1", 100));
  EXPECT_TRUE(set.fits("1", 99));
  EXPECT_FALSE(set.fits("chr1", 101));
  EXPECT_EQ(to_json(set).dump(), R"([["chr1",30,40,99],["chr1",10,20,100]])");
  set.add(other);
  EXPECT_EQ(to_json(set).dump(), R"([["chr1",30,40,99],["chr1",10,20,100]])");
}

using Intervals = std::vector<IntervalSet::Interval>;

TEST(IntervalSetLengths, OfSeveralAGenomeChoosesItsOwn) {
  const auto set_of = [](int64_t start, int64_t end, int64_t length) {
    IntervalSet set;
    set.add("chr1", start, end);
    set.set_length("chr1", length);
    return set;
  };
  IntervalSet set = set_of(10, 20, 100);
  set.add(set_of(15, 40, 99));
  set.add(set_of(0, 0, 90));  // a genome whose chr1 was not read
  const IntervalSet read = intervals_from_json(to_json(set));
  EXPECT_EQ(to_json(read), to_json(set));
  EXPECT_NE(to_json(set).dump().find(R"(["chr1",0,0,90])"), std::string::npos);
  EXPECT_EQ(read.intervals("chr1"), (Intervals{{10, 40}}));
  EXPECT_EQ(in_genome(read, {{"1", 100}}).intervals("chr1"), (Intervals{{10, 20}}));
  EXPECT_EQ(in_genome(read, {{"chr1", 99}}).intervals("chr1"), (Intervals{{15, 40}}));
  EXPECT_EQ(in_genome(read, {{"chr1", 99}}).length("chr1"), 99);
  const auto unread = in_genome(read, {{"chr1", 90}});
  EXPECT_TRUE(unread.fits("chr1", 90));
  EXPECT_FALSE(unread.overlaps("chr1", 0, 90));
  EXPECT_EQ(on_contigs(read, {{"1", 99}}).intervals("1"), (Intervals{{15, 40}}));
  EXPECT_FALSE(in_genome(read, {{"chr1", 101}}).fits("chr1", 101));
  EXPECT_EQ(other_genome(read, {{"chr1", 99}}, "g.fa"), std::nullopt);
  EXPECT_EQ(other_genome(read, {{"chr1", 101}}, "g.fa"), "chr1 of 90 or 99 or 100 bp, but g.fa has chr1 of 101 bp");
  // intervals of an unknown length may be of each
  IntervalSet unknown;
  unknown.add("1", 50, 60);
  set.add(unknown);
  set.add("chr1", 70, 80);
  EXPECT_EQ(in_genome(set, {{"chr1", 100}}).intervals("chr1"), (Intervals{{10, 20}, {50, 60}, {70, 80}}));
  EXPECT_EQ(in_genome(set, {{"chr1", 90}}).intervals("chr1"), (Intervals{{50, 60}, {70, 80}}));
  // two lengths of the same intervals: not known
  set.set_length("chr1", 7);
  EXPECT_EQ(set.by_length("chr1").begin()->first, 0);
  EXPECT_TRUE(set.fits("chr1", 80));
  set.add(read);
  EXPECT_EQ(set.by_length("chr1").size(), 1U);
  EXPECT_EQ(set.length("chr1"), 0);
}

}  // namespace
}  // namespace bigdna::genome
