#include "variants/haplotypes.h"

#include <gtest/gtest.h>
#include <htslib/bgzf.h>
#include <htslib/tbx.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::variants {
namespace {

// 40 bases: position 0-based i has kGenome[i]
const std::string kGenome = "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT";

class HaplotypesTest : public ::testing::Test {
 protected:
  /// `records`: POS, REF, ALT, genotypes of S1 and S2.
  void read(const std::vector<std::vector<std::string>>& records, const std::string& samples = "") {
    io::write_file(folder_ / "genome.fa", ">c\n" + kGenome + "\n");
    std::string text =
        "##fileformat=VCFv4.2\n##contig=<ID=c,length=40>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\tS2\n";
    for (const auto& fields : records)
      text += "c\t" + fields[0] + "\t.\t" + fields[1] + "\t" + fields[2] + "\t.\t.\t.\tGT\t" + fields[3] + "\t" +
              fields[4] + "\n";
    const std::string path = folder_ / "calls.vcf.gz";
    BGZF* file = bgzf_open(path.c_str(), "w");
    ASSERT_EQ(bgzf_write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ASSERT_EQ(bgzf_close(file), 0);
    ASSERT_EQ(tbx_index_build(path.c_str(), 0, &tbx_conf_vcf), 0);
    genome_.emplace(folder_ / "genome.fa");
    window_ = std::make_unique<GenomeWindow>(*genome_);
    phased_.emplace(path, std::vector<genome::Region>{{"c", 0, 40, '.'}}, samples, *genome_, 1000);
  }
  Haplotype of(int which, size_t sample = 0, int64_t centre = 20, int64_t before = 12, int64_t after = 12) {
    return phased_->around("c", centre, before, after, sample, which, *window_);
  }
  test::TempDir folder_;
  std::optional<genome::Genome> genome_;
  std::unique_ptr<GenomeWindow> window_;
  std::optional<PhasedVariants> phased_;
};

TEST_F(HaplotypesTest, SubstitutionsLieOnTheirHaplotype) {
  read({{"11", "G", "T", "0|1", "1|1"}, {"25", "A", "C,G", "2|1", "0|0"}});
  std::string first = kGenome.substr(8, 24), second = first;
  first[16] = 'G', second[2] = 'T', second[16] = 'C';
  EXPECT_EQ(of(0).bases, first);
  EXPECT_EQ(of(1).bases, second);
  EXPECT_EQ(of(0).applied, 1);
  EXPECT_EQ(of(1).applied, 2);
  EXPECT_EQ(of(0, 1).bases, of(1, 1).bases);
}

TEST_F(HaplotypesTest, InsertionsAndDeletionsMoveWhatIsFurtherFromTheCentre) {
  // An insertion of TT behind position 10 (1-based 11), and a deletion of positions 25 and 26 (1-based 26, 27).
  read({{"11", "G", "GTT", "1|0", "0|0"}, {"25", "ACG", "A", "1|0", "0|0"}});
  EXPECT_EQ(of(0).bases, "GTT" + kGenome.substr(11, 9) + kGenome.substr(20, 5) + kGenome.substr(27, 7));
  EXPECT_EQ(of(0).applied, 2);
  EXPECT_EQ(of(1).bases, kGenome.substr(8, 24));
}

TEST_F(HaplotypesTest, ADeletionAcrossTheCentreMovesIt) {
  read({{"19", "GTACG", "G", "1|0", "0|0"}});  // deletes positions 19 to 22
  EXPECT_EQ(of(0).bases, kGenome.substr(7, 12) + kGenome.substr(23, 12));
}

TEST_F(HaplotypesTest, WhatCannotBeAppliedIsCounted) {
  read({{"15", "GTA", "G", "1|0", "0|0"},  // deletes 15, 16
        {"17", "A", "C", "1|0", "0|0"},    // overlaps it
        {"22", "C", "<DEL>", "1|0", "0|0"},
        {"24", "T", "A", "0/1", "1/1"},  // S1 has no phase
        {"26", "C", "G", ".|1", "1"}});
  const auto first = of(0), second = of(1);
  EXPECT_EQ(first.applied, 1);
  EXPECT_EQ(first.skipped, 2);
  EXPECT_EQ(first.unphased, 1);
  EXPECT_EQ(second.applied, 1);
  EXPECT_EQ(second.skipped, 0);
  EXPECT_EQ(first.unphased_records, std::vector<int64_t>{3});
  EXPECT_EQ(second.unphased_records, std::vector<int64_t>{3});
  EXPECT_TRUE(of(0, 1).unphased_records.empty());
  EXPECT_EQ(of(0, 1).applied, 2);  // a haploid genotype is the first haplotype's
  EXPECT_EQ(of(1, 1).applied, 1);
}

TEST_F(HaplotypesTest, AnInsertionMayFollowASubstitutionOfItsAnchor) {
  read({{"24", "T", "A", "1|0", "0|1"}, {"24", "T", "TCC", "1|1", "0|0"}, {"24", "T", "A", "0|1", "0|0"}});
  EXPECT_EQ(of(0).bases, kGenome.substr(8, 15) + "ACC" + kGenome.substr(24, 6));
  EXPECT_EQ(of(0).applied, 2);
  EXPECT_EQ(of(1).bases, kGenome.substr(8, 16) + "CC" + kGenome.substr(24, 6));  // not the other way round
  EXPECT_EQ(of(1).skipped, 1);
}

TEST_F(HaplotypesTest, APaddedAlleleReachesAsFarAsItsRef) {
  read({{"23", "GTACG", "GTTACG", "1|0", "0|0"},  // inserts one base
        {"25", "A", "C", "1|1", "0|0"},           // within its REF
        {"26", "CG", "C", "0|1", "0|0"},
        {"27", "GT", "G", "1|0", "0|0"}});  // stands behind its last base, but it inserts
  EXPECT_EQ(of(0).bases, kGenome.substr(8, 15) + "T" + kGenome.substr(23, 8));
  EXPECT_EQ(of(0).applied, 1);
  EXPECT_EQ(of(0).skipped, 2);
  EXPECT_EQ(of(1).applied, 2);
}

TEST_F(HaplotypesTest, ChosenSamplesAndTheContigsEnds) {
  read({{"3", "G", "A", "0|0", "1|0"}}, "S2");
  EXPECT_EQ(phased_->samples(), (std::vector<std::string>{"S2"}));
  std::string expected = "NNNN" + kGenome.substr(0, 8);
  expected[6] = 'A';
  EXPECT_EQ(of(0, 0, 2, 6, 6).bases, expected);
  EXPECT_THROW(read({{"3", "G", "A", "0|0", "1|0"}}, "S3"), UsageError);
  EXPECT_THROW(read({{"3", "T", "A", "0|0", "1|0"}}), Error);  // no REF is the genome's
}

TEST(Genotype, IsReadOrRefused) {
  const auto one = genotype_of("0|2", 2, "x");
  EXPECT_EQ(one.alleles[0], 0);
  EXPECT_EQ(one.alleles[1], 2);
  EXPECT_TRUE(one.phased);
  EXPECT_FALSE(genotype_of("0/1", 1, "x").phased);
  EXPECT_FALSE(genotype_of("./1", 1, "x").phased);
  EXPECT_TRUE(genotype_of("1/1", 1, "x").phased);
  EXPECT_EQ(genotype_of("1", 1, "x").alleles[1], Genotype::kMissing);
  EXPECT_EQ(genotype_of(".", 1, "x").alleles[0], Genotype::kMissing);
  for (const char* text : {"0|1|1", "0|2", "a|0", "", "0|", "-1|0", "0 |1"})
    EXPECT_THROW(genotype_of(text, 1, "x"), Error) << text;
}

}  // namespace
}  // namespace bigdna::variants
