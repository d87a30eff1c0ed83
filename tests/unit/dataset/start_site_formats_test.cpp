#include "dataset/start_sites.h"

#include <fstream>

#include "base/error.h"
#include "dataset/leakage.h"
#include "dataset/promoter_dataset.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

using test::error_of;
using test::TempDir;

std::vector<StartSite> sites_of(const std::string& text) {
  TempDir dir;
  std::ofstream(dir / "sites") << text;
  return read_start_sites(dir / "sites");
}

TEST(StartSiteFormats, EpdsLineIsReadFrom1To0Based) {
  // a line as EPD gives it: human MYC's second promoter
  const auto sites = sites_of("FP   Hs c-myc         P2+:+S  EU:NC_000008.9       1+ 128817660; 11148.053 010*2\n");
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].contig, "NC_000008.9");
  EXPECT_EQ(sites[0].position, 128817659);
  EXPECT_EQ(sites[0].strand, '+');
  EXPECT_EQ(sites[0].name, "Hs_c-myc_P2+");
}

TEST(StartSiteFormats, EpdsLinesInOtherShapes) {
  const auto sites = sites_of("FP   A: B c:+S  EU:chr1 1- 7; 1\nFP x:R EU:chr2 0+12;\nFP  y : EU:c3 1+ 3;\n");
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].name, "A:_B_c");
  EXPECT_EQ(sites[0].strand, '-');
  EXPECT_EQ(sites[1].position, 11);
  EXPECT_EQ(sites[2].name, "y");
  for (const std::string line : {"FP x:+S EU:chr1 1+ 7", "FP x:+S EU:chr1 2+ 7;", "FP x:+S EU 1+ 7;",
                                 "FP x EU:chr1 1+ 7;", "FP x:+S EU:chr1 1+ ;", "FP "})
    EXPECT_NE(error_of([&] { sites_of(line + "\n"); }).find("not an FPS line"), std::string::npos) << line;
  EXPECT_NE(error_of([] { sites_of("FP x:+S EU:chr1 1+ 7x;\n"); }).find("not a positive number"), std::string::npos);
  for (const char c : {' ', ':', 'x', '1'})  // a long line overflowed the stack of std::regex
    EXPECT_NE(error_of([&] { sites_of("FP " + std::string(1'000'000, c) + "\n"); }), "");
}

TEST(StartSiteFormats, SgaIsReadFrom1To0Based) {
  const auto sites = sites_of("NC_000023.10\tTSS\t100\t-\t1\tGENE_1\t2\nchr5\tTSS\t7\t+\t3\n");
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].contig, "NC_000023.10");
  EXPECT_EQ(sites[0].position, 99);
  EXPECT_EQ(sites[0].strand, '-');
  EXPECT_EQ(sites[0].name, "GENE_1");
  EXPECT_EQ(sites[1].contig, "chr5");
  EXPECT_EQ(sites[1].line, 2);
}

TEST(StartSiteFormats, TranscriptsOfGtfAndGff3) {
  const auto gtf = sites_of(
      "#!genome-build x\n"
      "chr1\thavana\tgene\t101\t900\t.\t+\t.\tgene_id \"G1\"; gene_name \"ABC; D\";\n"
      "chr1\thavana\ttranscript\t101\t900\t.\t+\t.\tgene_id \"G1\"; transcript_id \"T1\"; gene_name \"ABC; D\";\n"
      "chr1\thavana\texon\t101\t200\t.\t+\t.\tgene_id \"G1\"; transcript_id \"T1\";\n"
      "chr2\thavana\ttranscript\t11\t20\t.\t-\t.\tgene_id \"G2\"; transcript_id \"T2\";\n");
  ASSERT_EQ(gtf.size(), 2u);
  EXPECT_EQ(gtf[0].position, 100);
  EXPECT_EQ(gtf[0].strand, '+');
  EXPECT_EQ(gtf[0].name, "ABC; D");
  EXPECT_EQ(gtf[0].line, 3);
  EXPECT_EQ(gtf[1].contig, "chr2");
  EXPECT_EQ(gtf[1].position, 19);
  EXPECT_EQ(gtf[1].strand, '-');
  EXPECT_EQ(gtf[1].name, "G2");

  const auto gff = sites_of(
      "##gff-version 3\n"
      "NC_1.1\tRefSeq\tregion\t1\t5000\t.\t+\t.\tID=NC_1.1\n"
      "NC_1.1\tRefSeq\tgene\t5\t90\t.\t-\t.\tID=gene-x;gene=x\n"
      "NC_1.1\tRefSeq\tmRNA\t5\t90\t.\t-\t.\tID=rna-1;Parent=gene-x;Name=NM_1;gene=x%3B1\n"
      "NC_1.1\tRefSeq\tlnc_RNA\t7\t9\t.\t+\t.\tID=rna-2;Parent=gene-y\n"
      "NC_1.1\tRefSeq\tCDS\t5\t90\t.\t-\t0\tID=cds-1;Parent=rna-1\n"
      "##FASTA\n>NC_1.1\nACGT\n");
  ASSERT_EQ(gff.size(), 2u);
  EXPECT_EQ(gff[0].position, 89);
  EXPECT_EQ(gff[0].name, "x;1");
  EXPECT_EQ(gff[1].position, 6);
  EXPECT_EQ(gff[1].name, "rna-2");
}

TEST(StartSiteFormats, GenesWithoutTranscriptsAreCounted) {
  const auto said_of = [](const std::string& rows) {
    testing::internal::CaptureStderr();
    sites_of("##gff-version 3\n" + rows);
    return testing::internal::GetCapturedStderr();
  };
  const auto row = [](const std::string& type, const std::string& attributes) {
    return concat("c\tx\t", type, "\t5\t90\t.\t+\t.\t", attributes, "\n");
  };
  const std::string rna = row("gene", "ID=g1") + row("tRNA", "ID=r1;Parent=g1"),
                    coding = row("gene", "ID=g2;Name=x") + row("CDS", "ID=c2;Parent=g2") +
                             row("CDS", "ID=c2;Parent=g2") + row("pseudogene", "ID=p");
  EXPECT_NE(said_of(rna + coding).find(": 1 of 2 genes has no transcript (rows of type"), std::string::npos);
  EXPECT_NE(said_of(rna + row("CDS", "ID=p1") + row("CDS", "ID=p2")).find(": 2 of 3 genes have no transcript"),
            std::string::npos);  // rows of genes are left out
  EXPECT_NE(said_of(row("transcript", "gene_id \"a\";") + row("CDS", "gene_id \"a\";") + row("gene", "gene_id \"b\";"))
                .find(": 1 of 2 genes has no transcript"),
            std::string::npos);
  for (const auto& complete : {rna, row("mRNA", "ID=t;Parent=g3,g4") + row("gene", "ID=g3") +
                                        row("ncRNA_gene", "ID=g4") + row("CDS", "Parent=t")})
    EXPECT_EQ(said_of(complete).find("no transcript"), std::string::npos);
}

TEST(CpgPromoters, WebersRule) {
  std::string island, poor;
  for (int i = 0; i < 250; ++i) island += i % 2 ? "CG" : i % 4 ? "GC" : "AT";
  for (int i = 0; i < 450; ++i) poor += "AT";
  EXPECT_TRUE(is_cpg_promoter(island));
  EXPECT_TRUE(is_cpg_promoter(poor.substr(0, 200) + island + poor.substr(0, 200)));
  EXPECT_FALSE(is_cpg_promoter(poor));
  EXPECT_FALSE(is_cpg_promoter(std::string(450, 'C') + std::string(450, 'G')));  // rich in G and C, one CpG
  EXPECT_FALSE(is_cpg_promoter(""));
  EXPECT_FALSE(is_cpg_promoter("N"));
}

TEST(Leakage, NearestAndMostSimilarTrainingRow) {
  TempDir dir;
  std::string a, b;
  for (int i = 0; i < 400; ++i) {
    a += "ACGT"[(i * i + i / 7) % 4 ^ (i * 2654435761U >> 29 & 3)];
    b += "ACGT"[(i * 40503U >> 3 ^ i * 2654435761U >> 11) & 3];
  }
  Leakage leakage;
  leakage.add("train_a", {"c", 1000, 1400, '+'}, Split::train, a);
  leakage.add("train_long", {"c", 0, 5000, '+'}, Split::train, std::string(5000, 'N'));
  leakage.add("copy", {"d", 0, 400, '+'}, Split::test, a);
  leakage.add("other", {"c", 5100, 5500, '+'}, Split::validation, b);
  leakage.write(dir / "l.tsv");
  EXPECT_EQ(io::read_file(dir / "l.tsv"),
            "#name\tchrom\tstart\tend\tsplit\tnearest\tdistance\tmost_similar\tcontainment\n"
            "copy\td\t0\t400\ttest\t.\t.\ttrain_a\t1.0000\n"
            "other\tc\t5100\t5500\tvalidation\ttrain_long\t100\t.\t0.0000\n");
}

}  // namespace
}  // namespace bigdna::dataset
