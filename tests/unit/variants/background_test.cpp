#include "variants/background.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "support.h"

namespace bigdna::variants {
namespace {

/// Effects grow with GC, as they would: only strata of GC make percentiles uniform.
std::pair<Background::Site, float> random_site(Rng& rng) {
  const Background::Site site{"chr1", rng.between(0, 100'000'000), rng.uniform()};
  return {site, static_cast<float>((site.gc > 0.5 ? 10 : 1) * rng.normal())};
}

Background random_background(uint64_t seed, int count) {
  Rng rng(seed);
  std::vector<Background::Site> sites;
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    const auto [site, value] = random_site(rng);
    sites.push_back(site);
    values.push_back(value);
  }
  return Background(std::move(sites), std::move(values), 1);
}

TEST(Background, PercentilesOfItsOwnKindAreUniform) {
  const auto background = random_background(1, 4000);
  Rng rng(2);
  std::vector<double> percentiles;
  for (int i = 0; i < 4000; ++i) {
    const auto [site, value] = random_site(rng);
    percentiles.push_back(background.percentile(0, value, site) / 100);
  }
  std::sort(percentiles.begin(), percentiles.end());
  double distance = 0;  // Kolmogorov and Smirnov's; over 0.05 with a chance of less than 1e-4 here
  for (size_t i = 0; i < percentiles.size(); ++i)
    distance = std::max({distance, std::abs(percentiles[i] - static_cast<double>(i) / 4000),
                         std::abs(percentiles[i] - static_cast<double>(i + 1) / 4000)});
  EXPECT_LT(distance, 0.05);
}

TEST(Background, IsTwoSidedAndLeavesOutWhatIsNear) {
  const std::vector<Background::Site> sites{{"a", 1000, 0.1}, {"a", 5000, 0.1}, {"b", 1000, 0.1}};
  const Background background(sites, {1, -2, 3}, 1);  // all of one GC: the last stratum has them all
  const auto percentile = [&](float effect, const char* contig, int64_t position) {
    return background.percentile(0, effect, {contig, position, 0.1});
  };
  EXPECT_FLOAT_EQ(percentile(2.5F, "c", 0), 100 * 2.5F / 4);
  EXPECT_FLOAT_EQ(percentile(-2.5F, "c", 0), 100 * 2.5F / 4);
  EXPECT_FLOAT_EQ(percentile(2.0F, "c", 0), 100 * 2.0F / 4);     // half of its equal
  EXPECT_FLOAT_EQ(percentile(2.5F, "a", 1199), 100 * 1.5F / 3);  // without the one at 1000
  EXPECT_FLOAT_EQ(percentile(2.5F, "a", 1200), 100 * 2.5F / 4);
  EXPECT_TRUE(std::isnan(percentile(NAN, "a", 0)));
}

TEST(Background, IsKeptForWhatItIsOf) {
  test::TempDir dir;
  const nlohmann::ordered_json identity{{"model", "x"}};
  const auto background = random_background(3, 200);
  const auto path = dir / Background::file_name(identity);
  EXPECT_FALSE(Background::load(path, identity));
  background.save(path, identity);
  const auto again = Background::load(path, identity);
  ASSERT_TRUE(again);
  Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    const auto [site, value] = random_site(rng);
    EXPECT_EQ(again->percentile(0, value, site), background.percentile(0, value, site));
  }
  EXPECT_FALSE(Background::load(path, {{"model", "y"}}));
}

}  // namespace
}  // namespace bigdna::variants
