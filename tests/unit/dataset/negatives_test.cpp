#include "dataset/negatives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

std::string random_bases(size_t length, uint64_t seed) {
  Rng rng(seed);
  std::string bases(length, 'A');
  for (char& base : bases) base = "ACGT"[rng.below(4)];
  return bases;
}
std::string sorted(std::string text) {
  std::sort(text.begin(), text.end());
  return text;
}
/// The pieces of 400 bases that differ.
std::set<int> changed(const std::string& a, const std::string& b) {
  std::set<int> pieces;
  for (int i = 0; i < 20; ++i)
    if (a.substr(i * 400, 400) != b.substr(i * 400, 400)) pieces.insert(i);
  return pieces;
}

TEST(Negatives, SubstituteChangesTwelveOfTwentyPieces) {
  const auto bases = random_bases(8000, 1);
  std::set<std::set<int>> choices;
  for (uint64_t i = 0; i < 20; ++i) {
    Rng rng(i);
    const auto negative = substitute(bases, {}, rng);
    ASSERT_EQ(negative.size(), 8000u);
    choices.insert(changed(bases, negative));
    EXPECT_EQ(changed(bases, negative).size(), 12u);
    EXPECT_EQ(negative.find_first_not_of("ACGT"), std::string::npos);
  }
  EXPECT_GT(choices.size(), 15u);
}

TEST(Negatives, PermuteLeavesNoChosenPieceInPlaceAndKeepsThemAll) {
  const auto bases = random_bases(8000, 2);
  std::multiset<std::string> pieces;
  for (int i = 0; i < 20; ++i) pieces.insert(bases.substr(i * 400, 400));
  for (uint64_t i = 0; i < 20; ++i) {
    Rng rng(i);
    const auto negative = permute(bases, {}, rng);
    EXPECT_EQ(changed(bases, negative).size(), 12u);
    std::multiset<std::string> now;
    for (int j = 0; j < 20; ++j) now.insert(negative.substr(j * 400, 400));
    EXPECT_EQ(now, pieces);
  }
}

TEST(Negatives, ShuffleKeepsEachPiecesBases) {
  const auto bases = random_bases(8000, 3);
  Rng rng(1);
  const auto negative = dataset::shuffle(bases, SyntheticOptions{}, rng);
  EXPECT_EQ(changed(bases, negative).size(), 12u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sorted(bases.substr(i * 400, 400)), sorted(negative.substr(i * 400, 400)));
}

TEST(Negatives, AnyLengthAndRefusals) {
  for (const size_t length : {0, 7, 20, 301}) {
    const auto bases = random_bases(length, length);
    for (const auto& kind : synthetic_kinds()) {
      Rng rng(5);
      EXPECT_EQ(kind.make(bases, {}, rng).size(), length) << kind.name;
    }
  }
  Rng rng(1);
  EXPECT_EQ(substitute("ACGT", {4, 0}, rng), "ACGT");
  EXPECT_THROW(permute("ACGT", {4, 1}, rng), UsageError);
  EXPECT_THROW(substitute("ACGT", {4, 5}, rng), UsageError);
}

TEST(Negatives, OptionsUnderWhichTheyWouldEqualTheirPromoters) {
  const auto refused = [](std::string_view name, const SyntheticOptions& options, int64_t length) {
    for (const auto& kind : synthetic_kinds())
      if (kind.name == name) return test::error_of([&] { check_negatives(kind, options, length); });
    return std::string("no such kind");
  };
  for (const std::string_view name : {"substitute", "permute", "shuffle"}) {
    EXPECT_EQ(refused(name, {}, 300), "");
    EXPECT_NE(refused(name, {20, 0}, 300).find("--changed 0 is fewer than"), std::string::npos);
    EXPECT_NE(refused(name, {301, 12}, 300).find("--pieces 301 leaves pieces of less than"), std::string::npos);
    EXPECT_NE(refused(name, {4, 5}, 300), "");
  }
  EXPECT_NE(refused("permute", {20, 1}, 300).find("fewer than 2 pieces"), std::string::npos);
  EXPECT_EQ(refused("permute", {300, 12}, 300), "");
  EXPECT_EQ(refused("shuffle", {20, 1}, 300), "");
  EXPECT_NE(refused("shuffle", {151, 12}, 300).find("pieces of less than 2 bp of the 300 bp"), std::string::npos);
}

TEST(Composition, EqualsCounting) {
  auto bases = random_bases(1000, 4);
  bases.replace(300, 100, 100, 'N');
  const Composition composition(bases);
  for (const auto& [start, end] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 1000}, {0, 64}, {63, 65}, {310, 320}, {250, 450}, {1000, 1000}}) {
    const auto part = bases.substr(start, end - start);
    EXPECT_EQ(composition.n(start, end), std::count(part.begin(), part.end(), 'N'));
    EXPECT_EQ(composition.gc(start, end),
              std::count(part.begin(), part.end(), 'G') + std::count(part.begin(), part.end(), 'C'));
  }
  EXPECT_EQ(composition.gc_fraction(310, 320), 0);
}

TEST(DrawGenomic, MatchesGcInsideItsTerritoryAndAvoidsWhatIsTaken) {
  std::string bases;  // a quarter rich, a quarter poor in GC, twice
  for (int part = 0; part < 4; ++part) {
    Rng rng(part);
    for (int i = 0; i < 50000; ++i)
      bases += rng.uniform() < (part % 2 ? 0.3 : 0.6) ? "GC"[rng.below(2)] : "AT"[rng.below(2)];
  }
  const Composition composition(bases);
  const std::vector<genome::IntervalSet::Interval> territory{{0, 90000}, {95000, 200000}};
  genome::IntervalSet taken;
  taken.add("1", 0, 50000);
  for (uint64_t i = 0; i < 50; ++i) {
    Rng rng(i);
    const auto start = draw_genomic(composition, "1", territory, taken, 1000, 0.6, {}, rng);
    ASSERT_TRUE(start);
    EXPECT_NEAR(composition.gc_fraction(*start, *start + 1000), 0.6, 0.03);
    EXPECT_FALSE(taken.overlaps("1", *start, *start + 1000));
    EXPECT_TRUE(*start + 1000 <= 90000 || *start >= 95000);
  }
  Rng rng(1);
  EXPECT_EQ(draw_genomic(composition, "1", {{0, 500}}, {}, 1000, 0.5, {}, rng), std::nullopt);
}

}  // namespace
}  // namespace bigdna::dataset
