#include "genome/transcripts.h"

#include <algorithm>

#include "base/error.h"
#include "support.h"

namespace bigdna::genome {
namespace {

std::string row(const std::string& type, int64_t first, int64_t last, char strand, const std::string& attributes) {
  return concat("c\tx\t", type, "\t", first, "\t", last, "\t.\t", strand, "\t.\t", attributes);
}

struct Read {
  std::string starts;  // "POSITION STRAND NAME; ..."
  std::string said;
};

Read read(const std::vector<std::string>& rows) {
  Transcripts transcripts;
  for (size_t i = 0; i < rows.size(); ++i) transcripts.add(gff_record(rows[i]), static_cast<int64_t>(i + 1));
  Read result;
  for (const auto& start : transcripts.starts())
    result.starts += concat(start.position, start.strand, " ", start.name, "; ");
  testing::internal::CaptureStderr();
  transcripts.report("a.gff", false);
  result.said = testing::internal::GetCapturedStderr();
  return result;
}

TEST(Transcripts, OrderOfRowsDecidesNothing) {
  std::vector<std::string> rows{row("gene", 41, 60, '-', "ID=g1"),
                                row("primary_transcript", 41, 60, '-', "ID=t1;Parent=g1"),
                                row("miRNA", 41, 44, '-', "ID=m1;Parent=t1"),
                                row("exon", 41, 44, '-', "ID=e1;Parent=m1"),
                                row("gene", 121, 130, '+', "ID=g2"),
                                row("exon", 121, 130, '+', "Parent=t3")};
  std::ranges::sort(rows);
  do {
    auto result = read(rows);
    EXPECT_TRUE(result.starts == "59- t1; 120+ t3; " || result.starts == "120+ t3; 59- t1; ") << result.starts;
    EXPECT_NE(result.said.find("1 row is a product of a transcript"), std::string::npos);
    EXPECT_NE(result.said.find("1 transcript has no row of their own"), std::string::npos);
    EXPECT_EQ(result.said.find("no start site: what"), std::string::npos) << result.said;
  } while (std::ranges::next_permutation(rows).found);
}

TEST(Transcripts, AreNamedByTheRowOfTheirGene) {
  const auto ensembl = read({row("mRNA", 1, 20, '+', "ID=transcript:T1;Parent=gene:G;Name=FOO-201"),
                             row("exon", 1, 20, '+', "Parent=transcript:T1;Name=E1"),
                             row("gene", 1, 20, '+', "ID=gene:G;Name=FOO%3B1;gene_id=G"),
                             row("ncRNA_gene", 31, 40, '-', "ID=gene:H;gene_id=H"),  // has no name
                             row("lnc_RNA", 31, 40, '-', "ID=transcript:T2;Parent=gene:H;Name=BAR-201")});
  EXPECT_EQ(ensembl.starts, "0+ FOO;1; 39- H; ");
  const auto sgd = read({row("gene", 1, 20, '+', "ID=YAL001C;Name=YAL001C;gene=TFC3"),
                         row("mRNA", 1, 20, '+', "ID=YAL001C_id001;Name=YAL001C_id001;Parent=YAL001C"),
                         row("gene", 31, 40, '+', "ID=g;Name=Ntr"), row("exon", 31, 40, '+', "ID=e;Parent=g"),
                         row("gene", 51, 60, '+', "ID=YAL069W;Name=YAL069W"),
                         row("mRNA", 51, 60, '+', "ID=YAL069W_mRNA;Name=YAL069W_mRNA;Parent=YAL069W")});
  EXPECT_EQ(sgd.starts, "0+ TFC3; 30+ Ntr; 50+ YAL069W; ");
  const auto ncbi = read({row("gene", 1, 20, '+', "ID=gene-A;Name=A;gene=A"),
                          row("mRNA", 1, 20, '+', "ID=rna-1;Parent=gene-A;Name=NM_1;gene=B")});
  EXPECT_EQ(ncbi.starts, "0+ B; ");
}

TEST(Transcripts, ProductsOfMirbaseAreNamedByDerivesFrom) {
  EXPECT_EQ(read({row("miRNA", 5, 9, '+', "ID=m;Derives_from=p"),
                  row("miRNA_primary_transcript", 1, 20, '+', "ID=p;Name=mir-1")})
                .starts,
            "0+ mir-1; ");
  EXPECT_EQ(read({row("miRNA", 5, 9, '+', "ID=m;Derives_from=elsewhere")}).starts, "");
}

TEST(Transcripts, ExonsWithoutARowAreATranscriptOnEachStrandAndContig) {
  const auto gtf =
      read({row("exon", 31, 40, '+', "gene_id \"G\"; transcript_id \"T\"; gene_name \"N\";"),
            row("CDS", 15, 20, '+', "gene_id \"G\"; transcript_id \"T\";"),
            row("exon", 11, 20, '+', "gene_id \"G\"; transcript_id \"T\";"),
            row("exon", 51, 60, '-', "gene_id \"G\"; transcript_id \"T\";"),
            row("transcript", 71, 90, '-', "gene_id \"G\"; transcript_id \"U\";"),
            row("exon", 71, 90, '-', "gene_id \"G\"; transcript_id \"U\";"), row("exon", 1, 2, '+', "gene_id \"G\";")});
  EXPECT_EQ(gtf.starts, "10+ N; 59- G; 89- G; ");
  EXPECT_NE(gtf.said.find("2 transcripts have no row of their own"), std::string::npos);
  EXPECT_NE(gtf.said.find("1 exon has neither transcript_id nor Parent"), std::string::npos);
  EXPECT_EQ(gtf.said.find("no transcript"), std::string::npos) << gtf.said;
  // an untranslated region, where there are no exons
  EXPECT_EQ(
      read({row("5UTR", 81, 90, '-', "transcript_id \"T\""), row("CDS", 1, 80, '-', "transcript_id \"T\"")}).starts,
      "89- T; ");
}

TEST(Transcripts, ExonsOfAGeneCountWhereItHasNoTranscript) {
  const auto said =
      read({row("gene", 1, 9, '+', "ID=g"), row("exon", 1, 4, '+', "ID=e;Parent=g"), row("gene", 11, 19, '+', "ID=h"),
            row("mRNA", 13, 19, '+', "ID=t;Parent=h"), row("exon", 11, 12, '+', "Parent=h,t"),
            row("pseudogene", 21, 29, '+', "ID=p"), row("exon", 21, 29, '+', "Parent=p"),
            row("V_gene_segment", 31, 39, '+', "ID=v"), row("exon", 31, 39, '+', "Parent=v")});
  EXPECT_EQ(said.starts, "0+ g; 12+ t; 30+ v; ");
  EXPECT_NE(said.said.find("1 pseudogene has exons but no transcript"), std::string::npos);
  EXPECT_NE(said.said.find("1 transcript has exons beyond their own row"), std::string::npos);
}

TEST(Transcripts, WhatHasNoStartIsCountedByReason) {
  const auto result =
      read({row("transcript", 1, 9, '.', "transcript_id \"a\";"),
            row("transcript", 11, 19, '+', "transcript_id \"b\";"), row("exon", 21, 29, '.', "transcript_id \"c\";"),
            row("CDS", 31, 39, '+', "transcript_id \"d\"; gene_id \"e\";")});
  EXPECT_EQ(result.starts, "10+ ; ");
  EXPECT_NE(result.said.find("2 transcripts have no strand (column 7), and so no start site"), std::string::npos);
  EXPECT_NE(result.said.find("1 transcript has neither a row nor exons, only coding sequence"), std::string::npos);
  EXPECT_NE(result.said.find("1 of 1 gene has no transcript"), std::string::npos);
}

TEST(Transcripts, ACircularContigGoesOnAtItsStart) {
  const std::string contig = row("region", 1, 100, '+', "ID=c;Is_circular=true"),
                    across = row("mRNA", 91, 120, '-', "ID=t"), at_end = row("mRNA", 91, 120, '+', "ID=u");
  EXPECT_EQ(read({contig, across, at_end}).starts, "19- t; 90+ u; ");
  EXPECT_EQ(read({across, contig}).starts, "19- t; ");
  EXPECT_EQ(read({row("region", 1, 100, '+', "ID=c"), across}).starts, "119- t; ");  // which its reader refuses
}

TEST(Transcripts, OneTranscriptIdOfSeveralGenesAndPlacesStandsForSeveral) {
  const auto exon = [](int64_t first, char strand, const std::string& gene, const std::string& more = "") {
    return row("exon", first, first + 9, strand, concat("gene_id \"", gene, "\"; transcript_id \"unknown\";", more));
  };
  const auto genes = read({row("gene", 1, 10, '+', "gene_id \"a\";"), exon(1, '+', "a"),
                           row("gene", 31, 40, '+', "gene_id \"b\";"), exon(31, '+', "b"), exon(51, '-', "c")});
  EXPECT_EQ(genes.starts, "0+ a; 30+ b; 59- c; ");
  EXPECT_NE(genes.said.find("1 transcript_id stands for several transcripts"), std::string::npos) << genes.said;
  EXPECT_EQ(genes.said.find("no start site"), std::string::npos) << genes.said;
  const auto beside_row = read({row("transcript", 1, 10, '+', "gene_id \"a\"; transcript_id \"unknown\";"),
                                exon(1, '+', "a"), exon(31, '+', "b")});
  EXPECT_EQ(beside_row.starts, "0+ a; 30+ b; ");
  const auto copies = read({exon(1, '+', "a", " exon_number 1;"), exon(21, '+', "a", " exon_number 2;"),
                            exon(101, '+', "a", " exon_number 1;"), exon(121, '+', "a", " exon_number 2;"),
                            row("5UTR", 101, 105, '+', "gene_id \"a\"; transcript_id \"unknown\"; exon_number 1;")});
  EXPECT_EQ(copies.starts, "0+ a; 100+ a; ");
  const auto other_tss = read({exon(1, '-', "a", " tss_id \"T1\";"), exon(41, '-', "a", " tss_id \"T2\";")});
  EXPECT_EQ(other_tss.starts, "9- a; 49- a; ");
}

TEST(Transcripts, OfAugustusHaveTheirNameAlone) {
  const auto braker = read({row("gene", 1, 40, '+', "g1"), row("transcript", 1, 40, '+', "g1.t1"),
                            row("exon", 1, 10, '+', "transcript_id \"g1.t1\"; gene_id \"g1\";"),
                            row("exon", 31, 40, '+', "transcript_id \"g1.t1\"; gene_id \"g1\";")});
  EXPECT_EQ(braker.starts, "0+ g1.t1; ");
}

TEST(Transcripts, AreNeverNamedByAnExon) {
  const auto segment = read({row("gene", 1, 40, '+', "ID=gene:G1;Name=IGHV1"),
                             row("V_gene_segment", 1, 40, '+', "ID=transcript:T1;Parent=gene:G1;Name=IGHV1-201"),
                             row("exon", 1, 10, '+', "Parent=transcript:T1;Name=E1")});
  EXPECT_EQ(segment.starts, "0+ IGHV1; ");
  EXPECT_EQ(read({row("exon", 1, 10, '+', "Parent=T1;Name=E1")}).starts, "0+ T1; ");
  const auto by_gene_row = read({row("gene", 1, 40, '+', "gene_id \"G1\"; gene_name \"FOO\";"),
                                 row("transcript", 1, 40, '+', "gene_id \"G1\"; transcript_id \"T1\";")});
  EXPECT_EQ(by_gene_row.starts, "0+ FOO; ");
}

TEST(Gff, QuotesCountWhereAValueBeginsWithOne) {
  const auto record = gff_record(row("miRNA", 1, 10, '+', "ID=m;product=x 5\" arm;Parent=t"));
  EXPECT_EQ(record.parents, "t");
  EXPECT_EQ(gff_record(row("gene", 1, 10, '+', "gene=5\"x;product=a")).name, "5\"x");
  EXPECT_EQ(gff_record(row("exon", 1, 10, '+', "note \"a;b\"; gene_name \"N;1\" ;transcript_id \"t\"")).name, "N;1");
  EXPECT_EQ(gff_record(row("exon", 1, 10, '+', "note \"open; gene_name \"N\";")).name, "N");
}

}  // namespace
}  // namespace bigdna::genome
