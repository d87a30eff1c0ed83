#include "dataset/nearest_site.h"

#include <cstdlib>
#include <random>

#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

TEST(NearestSites, AreThoseThatNoOtherIsNearerThan) {
  test::TempDir dir;
  io::write_file(dir / "g.fa", ">1\n" + std::string(1000, 'A') + "\n>2\n" + std::string(50, 'A') + "\n");
  std::mt19937 random(3);
  std::string lines;
  std::vector<StartSite> sites;
  for (int i = 0; i < 40; ++i) {
    const StartSite site{"1", static_cast<int64_t>(random() % 1000), random() % 2 ? '+' : '-', "s" + std::to_string(i)};
    sites.push_back(site);
    lines += "chr1\t" + std::to_string(site.position) + "\t" + std::to_string(site.position + 1) + "\t" + site.name +
             "\t0\t" + site.strand + "\n";
  }
  io::write_file(dir / "s.bed", lines);
  const NearestSites nearest(genome::Genome(dir / "g.fa"), dir / "s.bed");
  for (int64_t position = 0; position < 1000; ++position) {
    const auto far = [&](const StartSite& site) { return std::abs(position - site.position); };
    const StartSite* best = &sites.front();
    for (const auto& site : sites)
      if (far(site) < far(*best) || (far(site) == far(*best) && site.position < best->position)) best = &site;
    const auto found = nearest.at("1", position);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, best->name);
    EXPECT_EQ(found->distance, best->strand == '+' ? position - best->position : best->position - position);
  }
  EXPECT_FALSE(nearest.at("2", 7));
}

TEST(NearestSites, AFileOfAnotherGenomeIsAnError) {
  test::TempDir dir;
  io::write_file(dir / "g.fa", ">1\n" + std::string(50, 'A') + "\n");
  io::write_file(dir / "s.bed", "1\t50\t51\ta\t0\t+\n3\t1\t2\tb\t0\t+\n");
  EXPECT_EQ(test::error_of([&] { NearestSites(genome::Genome(dir / "g.fa"), dir / "s.bed"); }),
            (dir / "s.bed") + ": none of its 2 start sites is in " + (dir / "g.fa") +
                ": are its contigs called otherwise, or is it of another assembly?");
}

}  // namespace
}  // namespace bigdna::dataset
