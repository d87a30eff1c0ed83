#include "motif/seqlets.h"

#include <gtest/gtest.h>

#include "planted.h"

namespace bigdna::motif {
namespace {

TEST(Seqlets, StandWhereMotifsWerePlanted) {
  const auto data = planted({"TGACGTCATTGCG"}, 200, 0.6, 0.4, 1);
  const auto seqlets = find_seqlets(data.observed);
  int64_t found = 0;
  for (const auto& site : data.sites)
    found += std::ranges::any_of(seqlets, [&](const Seqlet& of) {
      return of.of == site.of && of.first < site.first + site.width && site.first < of.first + of.width;
    });
  EXPECT_GT(static_cast<double>(found), 0.9 * static_cast<double>(data.sites.size()));
  EXPECT_LT(std::ssize(seqlets) - found, 0.3 * static_cast<double>(seqlets.size()));
  EXPECT_TRUE(std::ranges::is_sorted(seqlets, std::greater(), &Seqlet::sum));
  for (size_t i = 0; i < seqlets.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      EXPECT_FALSE(seqlets[i].of == seqlets[k].of && std::abs(seqlets[i].first - seqlets[k].first) < 15);
}

TEST(Seqlets, AreHardlyFoundWithoutMotifs) {
  int64_t all = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto data = planted({}, 100, 0, 0, seed);
    all += std::ssize(find_seqlets(data.observed));
  }
  EXPECT_LT(all, 100);  // of 40 000 windows that do not overlap
}

TEST(Seqlets, OfAPlaceThatTwoSequencesHoldCountOnce) {
  auto data = planted({"TGACGTCATTGCG"}, 60, 1, 0.5, 2);
  const auto once = find_seqlets(data.observed).size();
  const size_t count = data.observed.size();
  for (size_t i = 0; i < count; ++i) {
    data.observed.push_back(data.observed[i]);  // the same place again, but for its first bases
    auto& again = data.observed.back();
    again.start += 4, again.bases.erase(0, 4), again.values.erase(again.values.begin(), again.values.begin() + 4);
  }
  EXPECT_EQ(known_bases(data.observed), 60 * 300);
  EXPECT_EQ(find_seqlets(data.observed).size(), once);
}

TEST(Seqlets, HaveNoUnknownBase) {
  auto data = planted({"TGACGTCATTGCG"}, 60, 1, 0.5, 3);
  for (auto& of : data.observed) of.bases.replace(0, 300, std::string(300, 'N'));
  EXPECT_TRUE(find_seqlets(data.observed).empty());
  EXPECT_EQ(known_bases(data.observed), 0);
}

}  // namespace
}  // namespace bigdna::motif
