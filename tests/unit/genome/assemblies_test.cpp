#include "genome/assemblies.h"

#include <gtest/gtest.h>

namespace bigdna::genome {
namespace {

TEST(Assemblies, AreToldByTheLengthsOfChromosomes) {
  EXPECT_EQ(contig_and_length("20", 63025520),
            "20 (63025520 bp, its length in GRCh37 (hg19): are the positions of another assembly?)");
  EXPECT_EQ(contig_and_length("chrY", 57227415),
            "chrY (57227415 bp, its length in GRCh38 (hg38): are the positions of another assembly?)");
  EXPECT_EQ(contig_and_length("chr1", 63025520), "chr1 (63025520 bp)");
  EXPECT_EQ(contig_and_length("contig7", 100), "contig7 (100 bp)");
  EXPECT_EQ(contig_and_length("", 5), " (5 bp)");
}

}  // namespace
}  // namespace bigdna::genome
