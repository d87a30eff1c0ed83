#include "io/output.h"
#include "prediction/promoter_sinks.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "bigwig_reader.h"
#include "support.h"

namespace bigdna::prediction {
namespace {

using test::error_of;
using test::TempDir;

ScoredInterval tile_at(int64_t start, float score, int64_t source = 0, float other = NAN) {
  ScoredInterval tile;
  tile.interval.record.region = {"chr1", start, start + 100, '+'};
  tile.interval.source = source;
  tile.scores = {score, other};
  return tile;
}

std::vector<std::pair<int64_t, int>> survivors(const std::vector<ScoredInterval>& tiles, double threshold,
                                               int64_t distance) {
  std::vector<std::pair<int64_t, int>> kept;
  NonMaximumSuppression suppression(threshold, distance,
                                    [&](const ScoredInterval& tile, const std::array<bool, 2>& alive) {
                                      for (int side = 0; side < 2; ++side)
                                        if (alive[static_cast<size_t>(side)])
                                          kept.emplace_back(tile.interval.region().start, side);
                                    });
  for (const auto& tile : tiles) suppression.add(tile);
  suppression.finish();
  return kept;
}

TEST(NonMaximumSuppression, EqualsItsDefinition) {
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<ScoredInterval> tiles;
    for (int i = 0; i < 200; ++i)
      tiles.push_back(tile_at((i % 100) * 10, static_cast<float>(rng.below(8)) / 8, i / 100,
                              rng.below(4) ? static_cast<float>(rng.below(8)) / 8 : NAN));
    if (round % 2) std::reverse(tiles.begin(), tiles.begin() + 100);  // regions on - come the other way round
    std::vector<std::pair<int64_t, int>> expected;
    for (size_t i = 0; i < tiles.size(); ++i)
      for (size_t side = 0; side < 2; ++side) {
        bool alive = tiles[i].scores[side] >= 0.3F;
        for (size_t j = 0; j < tiles.size() && alive; ++j)
          if (tiles[j].interval.source == tiles[i].interval.source &&
              std::abs(tiles[j].interval.region().start - tiles[i].interval.region().start) <= 55 && j != i)
            alive = !(tiles[j].scores[side] > tiles[i].scores[side] ||
                      (tiles[j].scores[side] == tiles[i].scores[side] && j < i));
        if (alive) expected.emplace_back(tiles[i].interval.region().start, side);
      }
    EXPECT_EQ(survivors(tiles, 0.3, 55), expected);
  }
  EXPECT_EQ(survivors({tile_at(0, 0.5F), tile_at(10, 0.4F), tile_at(20, 0.9F, 1)}, 0.45, 100),
            (std::vector<std::pair<int64_t, int>>{{0, 0}, {20, 0}}));
}

TEST(StartSite, IsThatOfTheInterval) {
  const double anchor = 5000 / 8000.0;
  EXPECT_EQ(start_site_of({"c", 1000, 9000, '+'}, '+', anchor), 6000);  // [t - 5000, t + 3000)
  EXPECT_EQ(start_site_of({"c", 1000, 9000, '-'}, '-', anchor), 3999);  // [t - 2999, t + 5001)
  EXPECT_EQ(start_site_of({"c", 1000, 9000, '+'}, '.', anchor), 6000);  // the mean of readings of the same site
  EXPECT_EQ(start_site_of({"c", 1000, 9000, '-'}, '.', anchor), 3999);
  EXPECT_EQ(start_site_of({"c", 1000, 9000, '.'}, '.', anchor), 6000);
  EXPECT_EQ(start_site_of({"c", 0, 100, '+'}, '+', anchor), 63);  // a record shorter than the interval
  EXPECT_EQ(start_site_of({"c", 0, 100, '-'}, '-', anchor), 36);
  EXPECT_EQ(start_site_of({"c", 0, 100, '+'}, '+', 1), 99);
}

TEST(PromoterTrack, HalfAStrideAroundEachSite) {
  TempDir dir;
  const std::vector<genome::Contig> contigs{{"a", 1000}, {"b", 120}};
  PromoterTrack track(dir / "t.bw", contigs, 100);
  track.add("a", "a", 1000, 30, '+', 0.25F);
  track.add("a", "a", 1000, 130, '+', 0.5F);
  track.add("a", "a", 1000, 140, '+', 0.75F);  // the last tile, nearer than a stride
  track.add("b", "b", 120, 90, '+', 1);
  track.add("b", "b", 120, 110, '+', 0.5F);  // nothing of the contig is left
  track.commit();
  const test::BigWigReader reader(dir / "t.bw");
  using Interval = test::BigWigReader::Interval;
  EXPECT_EQ(reader.intervals("a", 0, 1000),
            (std::vector<Interval>{{0, 80, 0.25F}, {80, 180, 0.5F}, {180, 190, 0.75F}}));
  EXPECT_EQ(reader.intervals("b", 0, 120), (std::vector<Interval>{{40, 120, 1}}));
  PromoterTrack minus(dir / "m.bw", contigs, 100);  // the start sites of + on the bins [0, 100) and so on are 50, 150
  for (const int64_t site : {49, 149}) minus.add("a", "a", 1000, site, '-', 0.5F);
  minus.add("b", "b", 120, 110, '-', 1);
  minus.commit();
  EXPECT_EQ(test::BigWigReader(dir / "m.bw").intervals("a", 0, 1000),
            (std::vector<Interval>{{0, 100, 0.5F}, {100, 200, 0.5F}}));
  EXPECT_EQ(test::BigWigReader(dir / "m.bw").intervals("b", 0, 120), (std::vector<Interval>{{61, 120, 1}}));
  EXPECT_EQ(track_names("x/scan.bw", session::Strands::both),
            (std::vector<std::string>{"x/scan.plus.bw", "x/scan.minus.bw"}));
  EXPECT_EQ(track_names("a.b/scan", session::Strands::both),
            (std::vector<std::string>{"a.b/scan.plus", "a.b/scan.minus"}));
  EXPECT_EQ(track_names("scan.bw", session::Strands::average), std::vector<std::string>{"scan.bw"});
}

}  // namespace
}  // namespace bigdna::prediction
