#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "dataset/promoter_dataset.h"
#include "dataset/start_sites.h"
#include "genome/fasta.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

class PromoterFolder : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void SetUp() override {
    std::string bases;
    Rng rng(1);
    for (int i = 0; i < 400'000; ++i) bases += "ACGT"[rng.below(4)];
    bases.replace(100'000, 1000, 1000, 'N');
    io::write_file(path("g.fa"), ">1\n" + bases + "\n");
    std::string sites = "chr1\t5\t6\tat_the_end\t0\t+\nchr2\t5\t6\tother\t0\t+\nchr1\t100200\t100201\tn\t0\t+\n";
    for (int i = 0; i < 100; ++i)
      sites += concat("chr1\t", 3000 + i * 3900, "\t", 3001 + i * 3900, "\tp", i, "\t0\t", i % 2 ? '-' : '+', "\n");
    sites += "chr1\t3000\t3001\tagain\t0\t+\n";
    io::write_file(path("tss.bed"), sites);
  }
  PromoterOptions options() const {
    PromoterOptions options;
    options.promoters = path("tss.bed");
    options.genome = path("g.fa");
    options.output = path("d");
    options.upstream = 250;
    options.downstream = 150;
    options.tss_distance = 300;
    options.negatives = {"genomic", "substitute"};
    options.split.gap = 0;
    return options;
  }
  const test::TempDir folder_;
};

TEST_F(PromoterFolder, RowsSequencesAndDrops) {
  build_promoter_dataset(options());
  const auto dataset = PromoterDataset::open(path("d"));
  genome::Genome genome(path("g.fa")), sequences(dataset.sequences_path());
  const auto sites = read_start_sites(path("tss.bed"));
  std::map<std::string, StartSite> by_name;
  for (const auto& site : sites) by_name[site.name] = site;
  std::map<std::string, Split> split_of;
  int64_t positives = 0, genomic = 0;
  for (const auto& row : dataset.rows)
    if (row.label) split_of[row.name] = row.split;
  for (const auto& row : dataset.rows) {
    const auto bases = sequences.fetch({row.name, 0, 400, '.'});
    const std::string positive = row.name.substr(0, row.name.find('/'));
    EXPECT_EQ(row.split, split_of.at(positive));  // a positive and its negatives share a split
    if (row.kind == "promoter") {
      ++positives;
      auto site = by_name.at(row.name);
      site.contig = "1";
      EXPECT_EQ(row.region, promoter_interval(site, 250, 150));
      EXPECT_EQ(bases, genome.fetch(row.region));
    } else if (row.kind == "genomic") {
      ++genomic;
      EXPECT_EQ(bases, genome.fetch(row.region));
      for (const auto& site : sites)
        if (site.contig == "chr1") {
          EXPECT_TRUE(site.position + 300 < row.region.start || site.position - 300 >= row.region.end);
        }
    } else {
      EXPECT_EQ(row.kind, "substitute");
      EXPECT_NE(bases, genome.fetch(row.region));
    }
  }
  EXPECT_GT(positives, 90);
  EXPECT_GT(genomic, 85);
  // no overlap across splits, synthetic negatives being their positive's interval
  for (const auto& a : dataset.rows)
    for (const auto& b : dataset.rows)
      if (a.split != b.split) {
        EXPECT_TRUE(a.region.end <= b.region.start || b.region.end <= a.region.start);
      }
  const auto& dropped = dataset.manifest.details.at("dropped");
  EXPECT_EQ(dropped.at("contig_end"), 1);
  EXPECT_EQ(dropped.at("contig_not_in_genome"), 1);
  EXPECT_EQ(dropped.at("duplicate"), 1);
  EXPECT_EQ(dropped.at("too_many_n"), 2);  // n and p25
}

TEST_F(PromoterFolder, TheSameSeedGivesTheSameBytes) {
  build_promoter_dataset(options());
  auto again = options();
  again.output = path("e");
  build_promoter_dataset(again);
  for (const char* name : {"regions.bed.gz", "sequences.fa.gz", "dropped.tsv"})
    EXPECT_EQ(io::read_file(path("d/") + name), io::read_file(path("e/") + name)) << name;
  again.output = path("f");
  again.split.seed = 2;
  build_promoter_dataset(again);
  EXPECT_NE(io::read_file(path("d/regions.bed.gz")), io::read_file(path("f/regions.bed.gz")));
}

TEST_F(PromoterFolder, ErrorsLeaveNothing) {
  auto settings = options();
  settings.tss_distance = 5000;  // no place for a genomic negative
  settings.negatives = {"genomic"};
  EXPECT_THROW(build_promoter_dataset(settings), Error);
  EXPECT_FALSE(std::filesystem::exists(path("d")));
  settings = options();
  settings.negatives = {"guess"};
  EXPECT_THROW(build_promoter_dataset(settings), UsageError);
  settings = options();
  settings.promoters = path("g.fa");
  EXPECT_THROW(build_promoter_dataset(settings), Error);
  EXPECT_THROW(PromoterDataset::open(path("d")), Error);
}

}  // namespace
}  // namespace bigdna::dataset
