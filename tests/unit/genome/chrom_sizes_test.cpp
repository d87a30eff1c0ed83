#include "genome/chrom_sizes.h"

#include <fstream>

#include "support.h"

namespace bigdna::genome {
namespace {

using test::error_of;
using test::TempDir;

TEST(ChromSizes, OfUcscBedtoolsAndAnIndex) {
  TempDir dir;
  std::ofstream(dir / "a.sizes") << "#contig\tlength\nchr1\t100\nchr2\t50\n";
  std::ofstream(dir / "a.fai") << "chr1\t100\t6\t60\t61\nchr2\t50\t120\t60\t61\n";
  std::ofstream(dir / "a.genome") << "chr1 100\n\nchr2  50\n";
  for (const char* name : {"a.sizes", "a.fai", "a.genome"}) {
    const auto contigs = read_chrom_sizes(dir / name);
    ASSERT_EQ(contigs.size(), 2u) << name;
    EXPECT_EQ(contigs[1].name, "chr2");
    EXPECT_EQ(contigs[1].length, 50);
  }
}

TEST(ChromSizes, ErrorsNameTheLine) {
  TempDir dir;
  const auto error = [&](const std::string& text) {
    std::ofstream(dir / "a.tsv") << text;
    return error_of([&] { read_chrom_sizes(dir / "a.tsv"); });
  };
  const std::string at = dir / "a.tsv";
  EXPECT_EQ(error("a\t5\na\t6\n"), at + ":2: two contigs are called a");
  EXPECT_EQ(error("a\t5\nb\tx\n"), at + ":2: length 'x' is not a number");
  EXPECT_EQ(error("a\t0\n"), at + ":1: a contig cannot have 0 bp");
  EXPECT_EQ(error("# nothing\n"), at + ": lists no contig");
  EXPECT_NE(error(">chr1 100\nACGT\n").find("it looks like FASTA"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::genome
