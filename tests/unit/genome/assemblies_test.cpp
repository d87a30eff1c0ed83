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

TEST(Assemblies, AccessionsOfHumanAndMouse) {
  EXPECT_EQ(chromosome_of_accession("NC_000001.11"), "chr1");
  EXPECT_EQ(chromosome_of_accession("NC_000022.10"), "chr22");
  EXPECT_EQ(chromosome_of_accession("NC_000024.9"), "chrY");
  EXPECT_EQ(chromosome_of_accession("NC_000067.6"), "chr1");
  EXPECT_EQ(chromosome_of_accession("NC_000085.6"), "chr19");
  EXPECT_EQ(chromosome_of_accession("NC_000087.7"), "chrY");
  EXPECT_EQ(chromosome_of_accession("NC_012920.1"), "chrM");
  for (const std::string name : {"chr1", "NC_001133.9", "NC_0001", "NC_000001x", "NC_000030.1"})
    EXPECT_EQ(chromosome_of_accession(name), name);
}

TEST(Assemblies, AnAccessionSaysOfWhichAssemblyPositionsAre) {
  EXPECT_EQ(other_assembly("NC_000020.10", 64444167, "the genome's"),
            "NC_000020.10 is a chromosome of GRCh37 (hg19), but the genome's is of GRCh38 (hg38) (64444167 bp)");
  EXPECT_EQ(other_assembly("NC_000020.11", 63025520, "the genome's"),
            "NC_000020.11 is a chromosome of GRCh38 (hg38), but the genome's is of GRCh37 (hg19) (63025520 bp)");
  EXPECT_TRUE(other_assembly("NC_000024.8", 59373566, ""));
  for (const char* name : {"NC_000020.10", "NC_000020", "20", "chr20", "NC_000020.99", "NC_000086.8"})
    EXPECT_FALSE(other_assembly(name, 63025520, "")) << name;
  EXPECT_FALSE(other_assembly("NC_000020.11", 1000000, ""));  // a part of a genome
}

}  // namespace
}  // namespace bigdna::genome
