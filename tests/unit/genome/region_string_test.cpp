#include "genome/region_string.h"

#include <gtest/gtest.h>

#include "genome/fasta.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using io::write_file;
using test::error_of;
using test::TempDir;

TEST(Genome, ParsesRegionStringsAsSamtools) {
  TempDir dir;
  write_file(dir / "g.fa",
             ">chr1\n" + std::string(60, 'A') + "\n" + std::string(60, 'C') + "\n>2\nTTTTCCCC\n>x:1-3\nAAAA\n");
  const Genome genome(dir / "g.fa");
  EXPECT_EQ(genome.parse_region("chr1"), (Region{"chr1", 0, 120}));
  EXPECT_EQ(genome.parse_region("chr1:11-20"), (Region{"chr1", 10, 20}));
  EXPECT_EQ(genome.parse_region("chr1:11"), (Region{"chr1", 10, 120}));
  EXPECT_EQ(genome.parse_region("chr1:-20"), (Region{"chr1", 0, 20}));
  EXPECT_EQ(genome.parse_region("chr1:11-"), (Region{"chr1", 10, 120}));
  EXPECT_EQ(genome.parse_region("chr1:0.02k-1e2"), (Region{"chr1", 19, 100}));
  EXPECT_EQ(genome.parse_region("chr1:101-9,999"), (Region{"chr1", 100, 120}));
  EXPECT_EQ(genome.parse_region("1:11-20"), (Region{"1", 10, 20}));
  EXPECT_EQ(genome.parse_region("chr2:2-3"), (Region{"chr2", 1, 3}));
  EXPECT_EQ(genome.parse_region("{x:1-3}:2-3"), (Region{"x:1-3", 1, 3}));
  EXPECT_EQ(genome.parse_region("{1}:11-20"), (Region{"1", 10, 20}));
  EXPECT_EQ(genome.parse_region("{chr2}:2-3"), (Region{"chr2", 1, 3}));
  EXPECT_EQ(error_of([&] { genome.parse_region("chr9:1-2"); }),
            "region 'chr9:1-2': " + (dir / "g.fa") + " has no such contig");
  for (const std::string bad : {"chr1:20-11",
                                "chr1:121-130",
                                "chr1:a-b",
                                "chr1:1-b",
                                "chr1:0-20",
                                "chr1:0",
                                "chr1:-0",
                                "chr1:5-0",
                                "chr1:-",
                                "chr1:",
                                "chr1:1-5,x",
                                "chr1: 1-5",
                                "chr1:1 -5",
                                "chr1:1-5 ",
                                "chr1:+1-5",
                                "chr1:1--5",
                                "chr1:--5",
                                "chr1:1-2-3",
                                "chr1:1.5-5",
                                "chr1:0x1-5",
                                "chr1:1-99999999999999999999",
                                "chr1:1e999999999-2",
                                "{chr1:1-5",
                                "{chr1}1-5",
                                "{chr1}:0-5",
                                "{}:1-5",
                                "",
                                ":1-5",
                                "{",
                                "chr1:nan",
                                "chr1:inf-5"})
    EXPECT_TRUE(error_of([&] { genome.parse_region(bad); }).starts_with("region '" + bad + "': ")) << bad;
}

TEST(Genome, ARegionThatCanBeReadInTwoWaysIsAnError) {
  TempDir dir;
  write_file(dir / "g.fa", ">a\nACGTACGT\n>a:1-5\nTTTTT\n>chrb\nACGTACGT\n>b:2\nCCCC\n");
  const Genome genome(dir / "g.fa");
  EXPECT_EQ(error_of([&] { genome.parse_region("a:1-5"); }),
            "region 'a:1-5': is ambiguous, because " + (dir / "g.fa") +
                " has a contig a:1-5 and a contig a: write {a:1-5}, or {a}:1-5");
  EXPECT_NE(error_of([&] { genome.parse_region("b:2"); }), "");
  EXPECT_EQ(genome.parse_region("{a:1-5}"), (Region{"a:1-5", 0, 5}));
  EXPECT_EQ(genome.parse_region("{a}:1-5"), (Region{"a", 0, 5}));
  EXPECT_EQ(genome.parse_region("a:1-6"), (Region{"a", 0, 6}));
  EXPECT_EQ(genome.parse_region("a:1-5:2-3"), (Region{"a:1-5", 1, 3}));
}

TEST(Region, NamesOfFaidxAreIntervals) {
  EXPECT_EQ(region_of_name("chr1:100001-100600", 600), (Region{"chr1", 100000, 100600}));
  EXPECT_EQ(region_of_name("HLA:A:3-4", 2), (Region{"HLA:A", 2, 4}));
  for (const std::string name : {"chr1", "chr1:1", "chr1:0-1", "chr1:2-1", ":1-2", "chr1:1-2/rc", "chr1:1,000-1,001",
                                 "1-2", "chr1:1-99999999999999999999", "chr1:-1-0", "chr1:1-", "chr1:a-2", "chr1-2:1"})
    EXPECT_FALSE(region_of_name(name, 2)) << name;
  EXPECT_FALSE(region_of_name("chr1:100001-100600", 599));
}

TEST(Region, Text) {
  EXPECT_EQ(to_string({"chr20", 1000, 2000}), "chr20:1,001-2,000");
  EXPECT_EQ(to_string({"chr20", 0, 1234567, '-'}), "chr20:1-1,234,567(-)");
  EXPECT_EQ(to_string({"c", 99, 100, '+'}), "c:100-100(+)");
}

}  // namespace
}  // namespace bigdna::genome
