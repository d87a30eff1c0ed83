#include "variants/allele.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "support.h"

namespace bigdna::variants {
namespace {

using test::TempDir;

/// What other_lengths() says of a header with these contig lines, for a genome of chr1 and 2 (60 and 40 bp).
std::string said(const TempDir& dir, const std::string& contigs) {
  std::ofstream(dir / "g.fa") << ">chr1\n" << std::string(60, 'A') << "\n>2\n" << std::string(40, 'C') << "\n";
  std::ofstream(dir / "v.vcf") << "##fileformat=VCFv4.2\n"
                               << contigs << "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  return other_lengths(VcfReader(dir / "v.vcf"), genome::Genome(dir / "g.fa"));
}

TEST(OtherLengths, NameTheFirstContigAndBothLengthsUnderEitherSpelling) {
  TempDir dir;
  EXPECT_EQ(said(dir, ""), "");
  EXPECT_EQ(said(dir, "##contig=<ID=1,length=60>\n##contig=<ID=2>\n##contig=<ID=3,length=7>\n"), "");
  const std::string other =
      (dir / "v.vcf") + ": its header says that chr2 has 41 bp, but in " + (dir / "g.fa") + " 2 has 40";
  EXPECT_EQ(said(dir, "##contig=<ID=chr1,length=60>\n##contig=<ID=chr2,length=41>\n"),
            other + ": is it another assembly than the VCF's?");
  EXPECT_EQ(said(dir, "##contig=<ID=chr2,length=41>\n##contig=<ID=1,length=59>\n"),
            other + " (and 1 more of its contigs differ): is it another assembly than the VCF's?");
}

TEST(Minimal, IsTheSameChangeWithoutWhatBothShare) {
  const auto minimal_of = [](const char* ref, const char* alt) {
    const auto found = minimal({.contig = "a", .position = 100, .ref = ref, .alt = alt});
    return concat(found.position, " ", found.ref, " ", found.alt);
  };
  EXPECT_EQ(minimal_of("C", "G"), "100 C G");
  EXPECT_EQ(minimal_of("CTTTTGCCTC", "GTTTTGCCTC"), "100 C G");
  EXPECT_EQ(minimal_of("GTGC", "ATGC"), "100 G A");
  EXPECT_EQ(minimal_of("AATC", "AAGC"), "102 T G");
  EXPECT_EQ(minimal_of("CA", "C"), "100 CA C");  // as VCF has deletions and insertions
  EXPECT_EQ(minimal_of("GCA", "GC"), "101 CA C");
  EXPECT_EQ(minimal_of("GC", "GCT"), "101 C CT");
  EXPECT_EQ(minimal_of("CAAA", "CAA"), "100 CA C");  // behind goes first: the leftmost of equal changes
  EXPECT_EQ(minimal_of("AC", "GT"), "100 AC GT");
}

TEST(SkipCounts, HaveEveryReason) {
  SkipCounts counts;
  counts.add({});
  for (const Skip skip : {Skip::reference_mismatch, Skip::reference_mismatch, Skip::breakend})
    counts.add({.contig = "", .ref = "", .alt = "", .skip = skip});
  EXPECT_EQ(counts.total(), 4);
  EXPECT_EQ(counts.scored(), 1);
  const auto reasons = counts.by_reason();
  EXPECT_EQ(reasons.size(), static_cast<size_t>(kSkips) - 1);
  EXPECT_EQ(reasons["reference_mismatch"], 2);
  EXPECT_EQ(reasons["breakend"], 1);
  EXPECT_EQ(reasons["mostly_n"], 0);
  for (int reason = 0; reason < kSkips; ++reason)
    EXPECT_EQ(is_absent(static_cast<Skip>(reason)), reason >= static_cast<int>(Skip::contig_not_in_genome) &&
                                                        reason <= static_cast<int>(Skip::reference_mismatch));
}

}  // namespace
}  // namespace bigdna::variants
