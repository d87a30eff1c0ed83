#include "context_mixing/copy_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "dna.h"
#include "genome/alphabet.h"

namespace bigdna::context_mixing {
namespace {

using test::random_bases;

TEST(CopyIndex, FindsTheLatestPlacesOnBothStrandsAndNothingAcrossN) {
  const std::string once = random_bases(40, 3), last = once.substr(10, 20);
  CopyIndex index;
  index.append(once + "N" + genome::reverse_complement(once) + "N" + random_bases(100, 4) + "N" + last);
  const auto places = index.latest();
  ASSERT_FALSE(places.empty());
  bool direct = false, inverted = false;
  for (const auto& place : places) {
    EXPECT_EQ(index.following(place, 4), once.substr(30, 4));
    EXPECT_EQ(index.following(place.after(2), 2), once.substr(32, 2));
    EXPECT_EQ(index.following(place), genome::base_code(once[30]));
    EXPECT_EQ(std::countr_one(index.agreement(place)), 20);
    (place.inverted ? inverted : direct) = true;
  }
  EXPECT_TRUE(direct && inverted);
  EXPECT_EQ(index.following(places.front(), 100), once.substr(30));
  EXPECT_EQ(index.following(places.front().after(10)), CopyIndex::kUnknown);
  index.append("N");
  EXPECT_TRUE(index.latest().empty());
}

TEST(CopyIndex, AgreementHasABitOfEachOfTheLastBases) {
  std::string first = random_bases(100, 6), second = first;
  second[95] = second[95] == 'A' ? 'C' : 'A';  // the fifth base from the end
  CopyIndex index;
  index.append(first + "N" + second);
  EXPECT_EQ(index.agreement({100, false}), ~(uint64_t{1} << 4));
}

TEST(CopyIndex, GrowsWithoutLosingPlaces) {
  CopyIndex index;
  const std::string all = random_bases(20'000, 5);
  for (size_t at = 0; at < all.size(); at += 7) index.append(all.substr(at, 7));
  int found = 0, wanted = 0;
  for (size_t at = 100; at + 40 < all.size(); at += 400, ++wanted) {
    CopyIndex now = index;
    now.append("N" + all.substr(at, 24));
    const auto places = now.latest();
    found += std::ranges::any_of(
        places, [&](const auto& place) { return now.following(place, 12) == all.substr(at + 24, 12); });
  }
  EXPECT_GE(found, 0.9 * wanted);  // some slots hold a later place of other bases
}

}  // namespace
}  // namespace bigdna::context_mixing
